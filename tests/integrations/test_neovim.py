"""Neovim with the recipe of ``docs/editors.md``: findings, hover, a quick fix, all safe fixes at the key."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from small_files import PLAIN_TENSOR

PAGE = Path(__file__).resolve().parents[2] / "docs" / "editors.md"
NEOVIM = shutil.which("nvim", path=os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])))
SESSION = r"""
local function say(...) io.stdout:write(table.concat({ ... }, " "), "\n") end
local function findings() return #vim.diagnostic.get(0) end
local function await(what, holds) if not vim.wait(60000, holds, 20) then error("waited in vain for " .. what) end end
local function text() return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n") end
local function press(keys) vim.api.nvim_feedkeys(vim.keycode(keys), "mx", false) end

local function session()
  await("the finding", function() return findings() == 1 end)
  local found = vim.diagnostic.get(0)[1]
  say("finding", found.lnum + 1, found.source, found.code)
  say("link", found.user_data.lsp.codeDescription.href)
  say("related", #found.user_data.lsp.relatedInformation)

  vim.api.nvim_win_set_cursor(0, { found.lnum + 1, found.col + 5 })
  local windows = #vim.api.nvim_list_wins()
  press("K")
  await("the hover", function() return #vim.api.nvim_list_wins() > windows end)
  local hover = vim.api.nvim_win_get_buf(vim.api.nvim_list_wins()[windows + 1])
  say("hover", vim.api.nvim_buf_get_lines(hover, 0, 1, false)[1])
  vim.cmd("fclose!")

  vim.ui.select = function(items, options, choose)
    for _, item in ipairs(items) do say("offered", options.format_item(item)) end
    choose(items[1], 1)
  end
  press("gra")
  await("the quick fix", function() return text():find("register_buffer") ~= nil end)
  await("no finding in the text that is not saved", function() return findings() == 0 end)
  vim.cmd("undo")
  await("the finding in the text that is not saved", function() return findings() == 1 end)

  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  press(" rf")
  await("all safe fixes", function() return text():find("register_buffer") ~= nil end)
  say(text())
end

local worked, trouble = xpcall(session, debug.traceback)
if not worked then say(trouble) end
vim.cmd(worked and "qall!" or "cquit")
"""


def is_new_enough() -> bool:
    """Whether there is a Neovim that has ``vim.lsp.config``."""
    command = [NEOVIM or "", "--clean", "--headless", "+lua vim.cmd(vim.lsp.config and 'qall' or 'cquit')"]
    return NEOVIM is not None and subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(find_spec("pygls") is None, reason="needs the extra lsp")
def test_the_recipe_works(tmp_path: Path) -> None:
    if not is_new_enough():
        pytest.skip("needs Neovim 0.11")
    setup = tmp_path / "init.lua"
    recipe = re.findall(r"```lua\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    setup.write_text("\n".join(('vim.g.mapleader = " "', *recipe)), encoding="utf-8")
    session = tmp_path / "session.lua"
    session.write_text(SESSION, encoding="utf-8")
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "model.py").write_text(PLAIN_TENSOR, encoding="utf-8")
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    homes = {f"XDG_{one}_HOME": str(tmp_path / one) for one in ("CONFIG", "DATA", "STATE", "CACHE")}
    command = [NEOVIM or "", "--headless", "-u", str(setup), "model.py", "-c"]
    command.append("lua vim.schedule(function() dofile('session.lua') end)")
    done = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, **homes, "PATH": path}, capture_output=True, text=True, check=False,
        timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    said = done.stdout
    assert "finding 8 regbuf-lint RBF001" in said
    assert "link https://" in said
    assert "/RBF001/" in said
    assert "related 1" in said
    assert "hover `M.m` holds" in said
    assert "offered Register `m` as a non-persistent buffer" in said
    assert 'self.register_buffer("m", torch.ones(3), persistent=False)' in said
