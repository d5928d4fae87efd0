"""Lines that players say to people of a town: a YAML file, for comparisons and for measuring how long players wait."""

from __future__ import annotations

from importlib import resources

from pydantic import BaseModel, ConfigDict, Field

from npc_server.documents import check_yaml
from npc_server.records import Document

OWN_LINES = "eval/preference.yaml"
HINTS = {
    "talks": "A list of talks, each with town, to, at, player and lines.",
    "at": 'Write it in quotes, like "2026-05-04 10:00".',
    "lines": "What the player says, one line each.",
}


class _LinesRecord(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PlayerLines(_LinesRecord):
    """What a player says to one person, line by line."""

    town: str = Field(min_length=1, description="Name of a town that comes with npc-server, or path of a town file.")
    to: str = Field(min_length=1, description="Id of the person.")
    at: str = Field(pattern=r"^\d{4}-\d\d-\d\d \d\d:\d\d$", description="Game time at which the talk begins.")
    player: str = Field("Robin", min_length=1, max_length=100, description="The player's name.")
    lines: tuple[str, ...] = Field(min_length=1, max_length=40, description="What the player says.")


class LinesFile(_LinesRecord):
    talks: tuple[PlayerLines, ...] = Field(min_length=1, description="Talks, each of which begins anew.")


def read_lines(document: Document) -> tuple[PlayerLines, ...]:
    """Reads a file of players' lines. Raises FileProblem with every mistake."""
    return check_yaml(document, LinesFile, HINTS).value.talks


def own_lines() -> Document:
    """The lines that come with npc-server: of players who did not know how anybody answers."""
    return Document(OWN_LINES, resources.files("npc_eval").joinpath(f"data/{OWN_LINES}").read_text(encoding="utf-8"))
