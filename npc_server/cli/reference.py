"""Writes `docs/commands.md`: `python -m npc_server.cli.reference > docs/commands.md`. A test checks that the page is up to date."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import typer

from npc_server.cli.app import app

HEAD = """# Commands

`python -m npc_server.cli.reference` writes this page, so do not edit it. `npc-server COMMAND --help` shows the same.
"""


def reference() -> str:
    """Describes every command with its arguments and options, in Markdown."""
    return HEAD + "".join(_sections(typer.main.get_command(app), "npc-server"))


def _sections(command: Any, name: str) -> Iterator[str]:
    """Yields the section of each command. Typer changes the classes of its commands between versions, so they are not typed here."""
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
            f"| `{_name(parameter)}` | {_plain(getattr(parameter, 'help', ''))}{_default(parameter)} |\n" for parameter in rows
        )


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
    return " ".join((text or "").split()).replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(reference())
