"""Writes `docs/commands.md`: `python -m npc_eval.commands.reference > docs/commands.md`. A test checks that the page is up to date."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import typer

from npc_server.cli.app import app

HEAD = """# Commands

`npc-server COMMAND --help` explains every argument and option, also of a command within another, such as `npc-server model pull --help`.
The pages at the right show how commands are used. `answer`, `bench`, `cost`, `eval` and `simulate` come with `npc-server[eval]`.

`NPC` and `WHO` are an id or a name, and `SAVE` is a save file. Options that many commands have: `--town` takes the name of an included
town or a town file, `--config` the [settings](settings.md) file, and `--at` a game time such as `"2026-05-04 18:00"`. `--force` replaces
a file that exists, and `--json` prints all details.

| `npc-server` | does | page |
|---|---|---|
"""
PAGES = {
    "answer": "eval",
    "bench": "benchmarks",
    "bundle": "export",
    "cost": "inspect",
    "demo": "towns",
    "editor": "editor",
    "eval": "eval",
    "interview": "inspect",
    "memory": "inspect",
    "mind": "inspect",
    "model": "models",
    "persona": "personas",
    "policy": "policies",
    "save": "saves",
    "serve": "protocol",
    "settings": "settings",
    "setup": "models",
    "simulate": "eval",
    "talk": "personas",
}
"""The page of `docs/` that shows how a command is used."""


def reference() -> str:
    """Describes every command in a sentence, in Markdown, and names the commands within it."""
    rows = (_row(name, child) for name, child in _children(typer.main.get_command(app)))
    return HEAD + "".join(rows)


def commands() -> dict[str, Any]:
    """Returns every command by its whole name, such as `npc-server model pull`."""
    return dict(_commands(typer.main.get_command(app), "npc-server"))


def _commands(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yields each command with its name. Typer changes the classes of its commands between versions, so they are not typed here."""
    if not hasattr(command, "list_commands"):
        yield name, command
    for child_name, child in _children(command):
        yield from _commands(child, f"{name} {child_name}")


def _children(command: Any) -> list[tuple[str, Any]]:
    names = sorted(command.list_commands(None)) if hasattr(command, "list_commands") else []
    return [(name, command.get_command(None, name)) for name in names]


def _row(name: str, command: Any) -> str:
    does = " ".join((command.help or "").split()).partition(". ")[0].rstrip(".")
    page = f"[{PAGES[name]}]({PAGES[name]}.md)" if name in PAGES else ""
    return f"| `{_call(command, name)}` | {does}.{_below(command)} | {page} |\n"


def _below(command: Any) -> str:
    """The names of the commands below a command, to be read after what it does."""
    names = [f"`{name}`" for name, _ in _children(command)]
    return f" {', '.join(names)}" if names else ""


def _call(command: Any, name: str) -> str:
    """The command with its arguments, as one types it."""
    return " ".join([name, *(_usage(parameter) for parameter in command.params if parameter.param_type_name == "argument")])


def _usage(argument: Any) -> str:
    name = (argument.metavar or argument.name or "").strip("[].").upper() + ("…" if argument.nargs == -1 else "")
    return name if argument.required else f"[{name}]"


if __name__ == "__main__":
    sys.stdout.write(reference())
