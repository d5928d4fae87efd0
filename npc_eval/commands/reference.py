"""Writes `docs/commands.md`: `python -m npc_eval.commands.reference > docs/commands.md`. A test checks that the page is up to date."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import typer

from npc_server.cli.app import app

HEAD = """# Commands

`python -m npc_eval.commands.reference` writes this page, so do not edit it. `npc-server COMMAND --help` shows the same.

## Options of many commands

Other sections name these after *Also*. The options of commands that only measure or answer by hand are in `--help`.

"""
BY_HELP = ("npc-server answer", "npc-server bench", "npc-server eval")
"""Commands for those who work on models or npc-server. The page says what they do, and leaves their options to `--help`."""
MANY = 3
"""An argument or option that so many commands have in the same words is described once."""


def reference() -> str:
    """Describes every command with its arguments and options, in Markdown."""
    commands = dict(_commands(typer.main.get_command(app), "npc-server"))
    shared = _shared([command for name, command in commands.items() if not name.startswith(BY_HELP)])
    return HEAD + "".join(sorted(shared)) + "".join(_section(command, name, shared) for name, command in commands.items())


def _shared(commands: list[Any]) -> set[str]:
    """Finds what many commands have in the same words: for each name the most frequent, so that a name means one thing."""
    counts = Counter(row for command in commands for row in _rows(command).values())
    most = {row.split("`")[1]: row for row, count in reversed(counts.most_common()) if count >= MANY}
    return set(most.values())


def _commands(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yields each command with its name. Typer changes the classes of its commands between versions, so they are not typed here."""
    if not hasattr(command, "list_commands"):
        yield name, command
        return
    for child in sorted(command.list_commands(None)):
        yield from _commands(command.get_command(None, child), f"{name} {child}")


def _section(command: Any, name: str, shared: set[str]) -> str:
    words = " ".join(_usage(parameter) for parameter in command.params if parameter.param_type_name == "argument")
    rows = _rows(command)
    own = [row for row in rows.values() if row not in shared]
    also = ", ".join(f"`{option}`" for option, row in rows.items() if row in shared and option.startswith("-"))
    text = f"\n## `{name}{' ' + words if words else ''}`\n\n{_plain(command.help)}\n"
    if name.startswith(BY_HELP):
        return text
    listed = "".join(own) + (f"- Also {also}\n" if also else "")
    return text + (f"\n{listed}" if listed else "")


def _rows(command: Any) -> dict[str, str]:
    """The list item of each argument and option by its name."""
    return {
        _name(parameter): f"- `{_name(parameter)}`: {_plain(getattr(parameter, 'help', ''))}{_default(parameter)}\n"
        for parameter in command.params
        if not getattr(parameter, "hidden", False)
    }


def _usage(argument: Any) -> str:
    name = (argument.name or "").upper() + ("…" if argument.nargs == -1 else "")
    return name if argument.required else f"[{name}]"


def _default(parameter: Any) -> str:
    """Names the default of an option that has one. An option without a default explains in its help what happens without it."""
    default = parameter.default
    shown = parameter.param_type_name == "option" and default not in (None, "") and not isinstance(default, bool)
    return f" Default: `{default}`." if shown else ""


def _name(parameter: Any) -> str:
    return _usage(parameter) if parameter.param_type_name == "argument" else ", ".join([*parameter.opts, *parameter.secondary_opts])


def _plain(text: str | None) -> str:
    return " ".join((text or "").split())


if __name__ == "__main__":
    sys.stdout.write(reference())
