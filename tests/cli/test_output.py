"""What commands print can steer no terminal."""

from __future__ import annotations

import ast
import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

import npc_eval
import npc_server.cli
from npc_server.cli.output import Console, say

HOSTILE = "Mara\x1b]0;owned\x1b[31m\x9b2J\u202eVoss"
CLI = Path(npc_server.cli.__file__).parent
EVAL = Path(npc_eval.__file__).parent


def test_said_text_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    say(f"{HOSTILE}: good")
    say(HOSTILE, err=True)
    out, err = capsys.readouterr()
    shown = "Mara\\u001b]0;owned\\u001b[31m\\u009b2J\\u202eVoss"
    assert (out, err) == (f"{shown}: good\n", f"{shown}\n")


@pytest.mark.parametrize("colours", [True, False])
def test_whatever_a_console_prints_is_shown(colours: bool) -> None:
    file = io.StringIO()
    console = Console(file=file, width=200, force_terminal=colours, color_system="standard" if colours else None)
    table = Table(HOSTILE, title=HOSTILE)
    table.add_row(HOSTILE)
    tree = Tree(HOSTILE)
    tree.add(Text(HOSTILE, style="red"))
    for thing in (HOSTILE, Text(HOSTILE), table, tree, Padding(HOSTILE, 1), f"[link=http://x]{HOSTILE}[/link]"):
        console.print(thing)
    printed = file.getvalue()
    assert not any(bad in printed for bad in ("\x1b]", "\x9b", "\u202e"))
    assert printed.count("owned") == 9
    assert "\x1b]8" not in printed, "a text cannot bring Rich's markup"
    assert ("\x1b[31m" in printed) is colours, "the program's own colours stay"


def printing(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("print", "typer.echo", "typer.secho", "rich.console.Console"):
            yield ast.unparse(node.func)
        if isinstance(node, ast.ImportFrom) and node.module == "rich" and any(name.name == "print" for name in node.names):
            yield "rich.print"


def commands() -> list[Path]:
    return sorted([*CLI.glob("*.py"), *(EVAL / "commands").glob("*.py")])


def test_what_measures_prints_nothing_itself() -> None:
    """It gets the console of the command that calls it."""
    for path in (it for it in EVAL.rglob("*.py") if it.parent.name != "commands"):
        tree = ast.parse(path.read_text())
        assert not list(printing(tree)), path
        made = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "Console"]
        assert not made, path


def test_every_command_prints_through_one_function() -> None:
    found = {path.name: list(printing(ast.parse(path.read_text()))) for path in commands()}
    assert {name for name, calls in found.items() if calls} == {"output.py"}
    for path in commands():
        if path.name not in ("output.py", "demo_view.py"):
            assert "from rich.console import Console" not in path.read_text(), path.name
