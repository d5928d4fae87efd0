"""Writes `docs/commands.md`: `python -m npc_eval.commands.reference > docs/commands.md`. A test checks that the page is up to date."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import typer

from npc_server.cli.app import app

HEAD = """# Commands

`npc-server COMMAND --help` explains every argument and option. `python -m npc_eval.commands.reference` writes this page.

`NPC` and `WHO` are an id or a name, and `SAVE` is a save file. Options that many commands have: `--town` takes the name of an included
town or a town file, `--config` the [settings](settings.md) file, and `--at` a game time such as `"2026-05-04 18:00"`. `--force` replaces
a file that exists, and `--json` prints all details. The commands `answer`, `bench`, `cost`, `eval` and `simulate` come with
`npc-server[eval]` ([evaluate a model](eval.md), [benchmarks](benchmarks.md)).
"""
SINGLE = "Play, look and serve"
TITLES = {
    "editor": "For Godot's editor",
    "eval": "Evaluate",
    "memory": "Memories of a save",
    "model": "Models",
    "persona": "Persona files",
    "policy": "Policy files",
    "save": "Saves",
}
"""The headings of groups of commands."""


def reference() -> str:
    """Describes every command in a sentence, in Markdown."""
    listed = sorted(commands().items(), key=lambda it: (_title(it[0]) != SINGLE, it[0]))
    return HEAD + "".join(_table(title, dict(them)) for title, them in groupby(listed, lambda it: _title(it[0])))


def commands() -> dict[str, Any]:
    """Returns every command by its whole name, such as `npc-server model pull`."""
    return dict(_commands(typer.main.get_command(app), "npc-server"))


def _commands(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yields each command with its name. Typer changes the classes of its commands between versions, so they are not typed here."""
    if not hasattr(command, "list_commands"):
        yield name, command
        return
    for child in sorted(command.list_commands(None)):
        yield from _commands(command.get_command(None, child), f"{name} {child}")


def _title(name: str) -> str:
    words = name.split()
    return TITLES.get(words[1], words[1].capitalize()) if len(words) > 2 else SINGLE


def _table(title: str, listed: dict[str, Any]) -> str:
    rows = "".join(_row(command, name) for name, command in listed.items())
    return f"\n## {title}\n\n| `npc-server` | does |\n|---|---|\n{rows}"


def _row(command: Any, name: str) -> str:
    does = _plain(command.help).partition(". ")[0].rstrip(".")
    return f"| `{_call(command, name.removeprefix('npc-server '))}` | {does}. |\n"


def _call(command: Any, name: str) -> str:
    """The command with its arguments, as one types it."""
    return " ".join([name, *(_usage(parameter) for parameter in command.params if parameter.param_type_name == "argument")])


def _usage(argument: Any) -> str:
    name = (argument.metavar or argument.name or "").strip("[].").upper() + ("…" if argument.nargs == -1 else "")
    return name if argument.required else f"[{name}]"


def _plain(text: str | None) -> str:
    return " ".join((text or "").split())


if __name__ == "__main__":
    sys.stdout.write(reference())
