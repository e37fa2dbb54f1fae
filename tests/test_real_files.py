"""Files of installed packages: formatted by ruff and then fixed, they are still as ruff formats them."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from regbuf_lint.engine.fixing import FixMode
from regbuf_lint.engine.run import check_source
from regbuf_lint.engine.session import Session
from regbuf_lint.model.settings import BufferStyle, Settings
from regbuf_lint.source.text import read_source

if TYPE_CHECKING:
    from regbuf_lint.source.text import SourceText

SAMPLE = {
    "torch": (
        "ao/nn/quantized/modules/activation.py",
        "ao/quantization/fx/_equalize.py",
        "ao/quantization/fx/_model_report/model_report_observer.py",
        "backends/_nnapi/prepare.py",
        "nn/parallel/distributed.py",
        "testing/_internal/common_quantization.py",
        "testing/_internal/distributed/rpc/jit/rpc_test.py",
    ),
    "transformers": (
        "models/d_fine/modeling_d_fine.py",
        "models/inkling/modeling_inkling.py",
        "models/mimi/modeling_mimi.py",
        "models/pp_doclayout_v2/modeling_pp_doclayout_v2.py",
        "models/rt_detr/modeling_rt_detr.py",
    ),
}
"""Files in which torch 2.13.0 and transformers 5.23.0 have findings with a fix; other versions lack some of them."""

LENGTHS = {88: {}, 120: {"buffer_style": BufferStyle.NN_BUFFER, "annotate": True, "oldest_python": (3, 10)}}
"""Line lengths, each with the styles in which fixes are written: a pass over these files takes ten seconds."""


@pytest.mark.skipif(find_spec("ruff") is None, reason="ruff is not installed")
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("package", SAMPLE)
def test_real_files_stay_formatted(package: str, length: int, tmp_path: Path) -> None:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        pytest.skip(f"{package} is not installed")
    root = Path(spec.origin).parent
    originals = {root / name: read_source(root / name) for name in SAMPLE[package] if (root / name).exists()}
    before = formatted(originals, tmp_path, length)
    fixed = fix(before, Settings(root, line_length=length, **LENGTHS[length]))  # type: ignore[arg-type]
    assert any(fixed[path].data != before[path].data for path in originals)
    assert texts(formatted(fixed, tmp_path, length)) == texts(fixed)


def fix(sources: dict[Path, SourceText], settings: Settings) -> dict[Path, SourceText]:
    session = Session(settings)
    results = {
        path: check_source(source, path, settings, fix=FixMode.UNSAFE, session=session)
        for path, source in sources.items()
    }
    assert [result.errors for result in results.values()] == [()] * len(results)
    return {
        path: sources[path].with_text(result.fixed.after) if result.fixed else sources[path]
        for path, result in results.items()
    }


def formatted(sources: dict[Path, SourceText], directory: Path, length: int) -> dict[Path, SourceText]:
    """What ruff's formatter makes of the contents of files, which it sees elsewhere."""
    copies = {path: directory / path.name for path in sources}
    for path, source in sources.items():
        copies[path].write_bytes(source.data)
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--no-cache", f"--line-length={length}"]
    subprocess.run([*command, str(directory)], check=True, capture_output=True)
    return {path: read_source(copy) for path, copy in copies.items()}


def texts(sources: dict[Path, SourceText]) -> dict[str, str]:
    return {path.name: source.text for path, source in sources.items()}
