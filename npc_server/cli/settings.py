"""`npc-server settings`: what each setting means, and which value holds here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from typing import Annotated

import typer
from pydantic.fields import FieldInfo

from npc_server.cli.options import AsJson, Config
from npc_server.cli.output import Console, say
from npc_server.config import Settings, load_settings
from npc_server.errors import BadInput

SECRETS = ("server.token",)
"""Settings whose value is not printed."""
_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")


@dataclass(frozen=True)
class ShownSetting:
    """A setting as it is printed. Values are as JSON has them."""

    name: str
    value: object
    default: object
    meaning: str

    @property
    def is_changed(self) -> bool:
        return self.value != self.default


def settings(
    names: Annotated[list[str] | None, typer.Argument(help="Names or parts of names, such as `engine` or `first_word`.")] = None,
    config: Config = None,
    changed: Annotated[bool, typer.Option("--changed", help="Only those that differ from their default.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show what settings mean, their defaults, and the values that the environment and the settings file give them here."""
    every = list(_every(load_settings(config)))
    found = [it for it in every if any(part in it.name for part in names or [""]) and (it.is_changed or not changed)]
    for part in names or ():
        if not any(part in it.name for it in every):
            close = get_close_matches(part, [name for it in every for name in (it.name, it.name.partition(".")[2])], n=1)
            raise BadInput(f"No setting has {part!r} in its name.", f"Did you mean {close[0]!r}?" if close else "Name none to see all.")
    if as_json:
        say(json.dumps([asdict(it) for it in found], indent=2))
        return
    if not found:
        say("Every setting has its default.")
    console = Console(highlight=False)
    for it in found:
        value = f"{it.name} = {_shown(it.value)}" + (f", default {_shown(it.default)}" if it.is_changed else "")
        console.print(value, style="bold" if it.is_changed else "", soft_wrap=True)
        console.print(f"    {it.meaning}", style="dim", soft_wrap=True)


def _every(loaded: Settings) -> Iterator[ShownSetting]:
    values, usual = loaded.model_dump(mode="json"), _defaults()
    for section, spec in Settings.model_fields.items():
        fields: dict[str, FieldInfo] = getattr(spec.annotation, "model_fields", {})
        for name, field in fields.items():
            value, default, full = values[section][name], usual[section][name], f"{section}.{name}"
            if full in SECRETS and value:
                value = "hidden"
            yield ShownSetting(full, value, default, _LINK.sub(r"\1", field.description or ""))


def _defaults() -> dict[str, dict[str, object]]:
    """Return each section without any file or variable."""
    return {section: spec.annotation().model_dump(mode="json") for section, spec in Settings.model_fields.items() if spec.annotation}


def _shown(value: object) -> str:
    return "none" if value is None or value == "" else json.dumps(value)
