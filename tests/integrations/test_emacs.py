"""Emacs with the recipe of ``docs/editors.md``: findings, quick fixes, and all safe fixes at a command."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from small_files import PLAIN_TENSOR

PAGE = Path(__file__).resolve().parents[2] / "docs" / "editors.md"
EMACS = shutil.which("emacs")
SESSION = """
(setq eglot-sync-connect 60)
(find-file "model.py")
(call-interactively #'eglot)
(with-timeout (60) (while (null (flymake-diagnostics)) (flymake-start) (accept-process-output nil 0.1)))
(dolist (one (flymake-diagnostics))
  (princ (format "%s: %s\\n" (line-number-at-pos (flymake-diagnostic-beg one)) (flymake-diagnostic-text one))))
(dolist (one (append (eglot-code-actions (point-min) (point-max)) nil))
  (princ (format "%s\\n" (plist-get one :kind))))
(regbuf-lint-fix-all)
(write-file "fixed.py")
(kill-emacs 0)
"""


def has_eglot() -> bool:
    command = [EMACS or "", "-q", "--batch", "--eval", "(require 'eglot)"]
    return bool(EMACS) and subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(find_spec("pygls") is None, reason="needs the extra lsp")
def test_the_recipe_works(tmp_path: Path) -> None:
    if not has_eglot():
        pytest.skip("needs Emacs with eglot")
    (recipe,) = re.findall(r"```lisp\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    server = shutil.which("regbuf-lint", path=str(Path(sys.executable).parent))
    assert server is not None
    session = tmp_path / "session.el"
    text = f"(require 'eglot)\n(require 'python)\n{recipe}\n{SESSION}"
    session.write_text(text.replace('"regbuf-lint" "server"', f'"{server}" "server"'), encoding="utf-8")
    (tmp_path / "model.py").write_text(PLAIN_TENSOR, encoding="utf-8")
    command = [EMACS or "", "-q", "--batch", "-l", str(session)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "[RBF001]" in done.stdout
    assert done.stdout.splitlines()[-2:] == ["quickfix", "source.fixAll.regbuf-lint"]
    fixed = (tmp_path / "fixed.py").read_text(encoding="utf-8")
    assert 'self.register_buffer("m", torch.ones(3), persistent=False)' in fixed.splitlines()[7]
