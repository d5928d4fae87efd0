"""Options that several commands share mean the same everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import typer

from npc_server.cli.app import app

SHARED = (
    "--config",
    "--seed",
    "--people",
    "--policies",
    "--no-policies",
    "--questions",
    "--save-folder",
    "--json",
    "--force",
    "--each",
)


def children(command: Any) -> dict[str, Any]:
    """The commands of a group, with those that packages add."""
    return {name: command.get_command(None, name) for name in command.list_commands(None)} if hasattr(command, "list_commands") else {}


def helps(command: Any, option: str) -> Iterator[str]:
    for child in children(command).values():
        yield from helps(child, option)
    yield from (parameter.help for parameter in command.params if option in parameter.opts)


@pytest.mark.parametrize("option", SHARED)
def test_an_option_of_several_commands_has_one_help(option: str) -> None:
    found = list(helps(typer.main.get_command(app), option))
    assert len(found) > 1
    assert len(set(found)) == 1


def test_every_option_and_argument_says_what_it_is() -> None:
    def silent(command: Any, name: str) -> Iterator[str]:
        for child, below in children(command).items():
            yield from silent(below, f"{name} {child}")
        yield from (f"{name} {it.name}" for it in command.params if it.name != "help" and not it.help)

    assert list(silent(typer.main.get_command(app), "npc-server")) == []
