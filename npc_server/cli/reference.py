"""The commands as `docs/commands.md` lists them: `python -m npc_server.cli.reference > docs/commands.md`. A test compares the two."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import typer

from npc_server.cli.app import app

HEAD = """# Commands

Made by `python -m npc_server.cli.reference`; do not edit. `npc-server COMMAND --help` says the same.
"""


def reference() -> str:
    """Every command with its arguments and options."""
    return HEAD + "".join(_sections(typer.main.get_command(app), "npc-server"))


def _sections(command: Any, name: str) -> Iterator[str]:
    """`command` is typer's; its classes are not typed the same in all its versions."""
    children = getattr(command, "commands", None)
    if children is not None:
        for child in sorted(children):
            yield from _sections(children[child], f"{name} {child}")
        return
    words = " ".join(_usage(parameter) for parameter in command.params if parameter.param_type_name == "argument")
    yield f"\n## `{name}{' ' + words if words else ''}`\n\n{_plain(command.help)}\n"
    rows = [parameter for parameter in command.params if not getattr(parameter, "hidden", False)]
    if rows:
        yield "\n| | |\n|---|---|\n" + "".join(
            f"| `{_name(parameter)}` | {_plain(getattr(parameter, 'help', ''))} |\n" for parameter in rows
        )


def _usage(argument: Any) -> str:
    name = (argument.name or "").upper() + ("…" if argument.nargs == -1 else "")
    return name if argument.required else f"[{name}]"


def _name(parameter: Any) -> str:
    return _usage(parameter) if parameter.param_type_name == "argument" else ", ".join([*parameter.opts, *parameter.secondary_opts])


def _plain(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(reference())
