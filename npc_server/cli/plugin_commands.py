"""The commands of other packages. One is imported when it is run or described, so that it slows no other command down."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from npc_server import plugins


class CommandsOfAll(TyperGroup):
    """The commands of npc-server and, after them, those that installed packages add."""

    def list_commands(self, ctx: Any) -> list[str]:
        own = super().list_commands(ctx)
        return [*own, *(name for name in plugins.names(plugins.COMMANDS) if name not in own)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Raises BadInput for a command of npc-eval that is not installed."""
        return super().get_command(ctx, cmd_name) or _of_a_package(cmd_name)


def _of_a_package(name: str) -> Any:
    """A command of another package, which is a function or a group of them; None if nobody has it."""
    found = plugins.find(plugins.COMMANDS, name)
    if found is None:
        return None
    if not isinstance(found, typer.Typer):
        alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        alone.command(name)(found)
        found = alone
    made = typer.main.get_command(found)
    made.name = name
    return made
