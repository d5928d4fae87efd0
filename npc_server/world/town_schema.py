"""The schema of a town file. As JSON Schema, it gives authors help and completion in their editor.

`python -m npc_server.world.town_schema` prints the schema; a test compares it with `data/schema/town.schema.json`.
"""

from __future__ import annotations

import json
import sys
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

MAX_SIDE = 512
"""The most cells of a side. A path across so large a town is still found in milliseconds."""

Id = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,49}$")]
Phrase = Annotated[str, Field(min_length=1, max_length=120)]
Fact = Annotated[str, Field(min_length=1, max_length=500)]
Cell = tuple[Annotated[int, Field(ge=0, lt=MAX_SIDE)], Annotated[int, Field(ge=0, lt=MAX_SIDE)]]
Side = Annotated[int, Field(ge=1, le=MAX_SIDE)]
Rect = tuple[Annotated[int, Field(ge=0, lt=MAX_SIDE)], Annotated[int, Field(ge=0, lt=MAX_SIDE)], Side, Side]
Property = Literal[
    "grabbable", "openable", "switchable", "sittable", "lieable", "surface", "container", "drinkable", "edible", "readable", "watchable",
    "usable", "washable", "wearable", "fillable", "cookable", "makeable", "water", "heats", "cloth", "washes", "plenty",
]  # fmt: skip
NeedName = Literal["food", "rest", "company", "fun", "health"]
Points = Annotated[float, Field(gt=0, le=60, allow_inf_nan=False)]
Preposition = Annotated[str, Field(pattern=r"^[a-z]{1,20}$")]
Capacity = Annotated[int, Field(ge=0, le=10_000)]


class _Entry(BaseModel):
    # Unknown keys are kept, so that a warning can name them. Editors mark them.
    model_config = ConfigDict(frozen=True, extra="allow", strict=False, json_schema_extra={"additionalProperties": False})


class ActionEntry(_Entry):
    """Something that a person can do with an object."""

    name: Phrase = Field(description="A verb phrase: `cook`, `water the flowers`.")
    needs: str = Field("", description="State the object must be in; leave out for any.")
    during: str = Field("", description="State while somebody does it; leave out for no change.")
    after: str = Field("", description="State it leaves; leave out for the state before.")
    first: str = Field(
        "", max_length=100, description="An activity that must come before, at another place: 'buy food' before a refrigerator is filled."
    )
    fills: dict[NeedName, Points] = Field({}, description="The needs that it fills, each with its points per game hour: {food: 8}.")


class IncidentEntry(_Entry):
    """Something that goes wrong with an object after an action: food left on the stove burns, a refrigerator runs empty."""

    action: str = Field(description="The action after which it may happen: one of the kind's.")
    becomes: str = Field(description="The state the object is left in: one of the kind's.")
    chance: float = Field(0.0, ge=0, le=1, allow_inf_nan=False, description="How likely it is each time, 0 to 1.")
    every: int = Field(0, ge=0, le=10_000, description="It happens again each time the action was done this many times.")


class KindEntry(_Entry):
    """The states of one kind of object, and what people can do with it."""

    states: list[Phrase] = Field([], description="Every state it can be in.")
    state: str = Field("", description="State at the start; the first of `states` when left out.")
    actions: list[ActionEntry] = Field([], description="What can be done with it.")
    properties: list[Property] = Field(
        [], description="For a household: its properties, which give it states and commands; see docs/household.md."
    )
    capacity: Capacity = Field(0, description="People who can use it at once; 0 for no limit.")
    incidents: list[IncidentEntry] = Field([], description="What goes wrong with it now and then, in the sandbox.")


class ObjectEntry(_Entry):
    """One object in a room."""

    id: Id = Field(description="Last part of its address: lower-case letters, digits and `_`; unique in its room.")
    kind: str = Field(description="One of `object_kinds`.")
    at: Cell | None = Field(None, description="Its cell, [x, y] from the top left of the town; left out when it is on or inside another.")
    on: str = Field("", description="Id of the object it lies on, in a household.")
    inside: str = Field("", description="Id of the object it lies in, in a household.")
    beside: str = Field(
        "", description="In a household, id of the object it belongs to, as a chair to a table. Whoever is at one is at the other."
    )
    name: str = Field("", max_length=120, description="What people call it; its kind when left out.")
    description: str = Field("", max_length=400, description="One phrase about it.")
    state: str = Field("", description="State at the start; the kind's when left out.")
    capacity: Capacity | None = Field(None, description="People who can use it at once; the kind's when left out.")


class RoomEntry(_Entry):
    """A room, or a part of an open place."""

    id: Id = Field(description="Part of its address: lower-case letters, digits and `_`; unique in its place.")
    rect: Rect = Field(description="[x, y, width, height] in cells from the top left of the town, without the walls.")
    name: str = Field("", max_length=120, description="What people call it; its id when left out.")
    preposition: Preposition = Field(
        "in", description="The word before its name that says where something is: on the lawn, at the pond side."
    )
    description: str = Field("", max_length=400, description="One phrase about it.")
    capacity: Capacity = Field(0, description="People who fit in at once; 0 for no limit.")
    hours: str = Field("", description='Opening hours, "08:00-17:00"; leave out for always.')
    owners: list[Id] = Field([], description="Ids of the people who may enter; leave out for everybody.")
    objects: list[ObjectEntry] = Field([], description="What stands in it.")


class PlaceEntry(_Entry):
    """A building, or an open place such as a square."""

    id: Id = Field(description="Part of its address: lower-case letters, digits and `_`; unique in the town.")
    rect: Rect = Field(description="[x, y, width, height] in cells from the top left of the town, with the outer walls.")
    name: str = Field("", max_length=120, description="What people call it; its id when left out.")
    preposition: Preposition = Field(
        "in", description="The word before its name that says where something is: on the lawn, at the pond side."
    )
    description: str = Field("", max_length=400, description="One phrase about it.")
    doors: list[Cell] = Field([], description="Cells of the doors in its walls, inner and outer, [x, y].")
    open: bool = Field(False, description="True for a place without walls.")
    hours: str = Field("", description='Opening hours, "08:00-17:00"; leave out for always. Who owns a room in it has a key.')
    owners: list[Id] = Field([], description="Ids of the people who may enter; leave out for everybody.")
    capacity: Capacity = Field(0, description="People who fit in at once; 0 for no limit.")
    rooms: list[RoomEntry] = Field(min_length=1, description="Its rooms. Everybody in the place is in one of them.")


class FactionEntry(_Entry):
    """A group of people who share knowledge."""

    id: Id = Field(description="Name in persona files: lower-case letters, digits and `_`.")
    name: Phrase = Field(description="What people call it.")
    members: list[str] = Field([], description="Persona ids; a persona may also name the faction itself.")
    knowledge: list[Fact] = Field([], description="Facts every member knows from the start.")


class StoryEntry(_Entry):
    """An idea that the inner voice gives to one person, to see how it spreads."""

    id: Id = Field(description="Name of the story.")
    kind: Literal["party", "news"] = Field("news", description="party: people may come to it. news: people only hear of it.")
    starter: str = Field(description="Id of the person who has the idea.")
    whisper: Fact = Field(description="What its inner voice says.")
    about: list[Phrase] = Field(min_length=1, description="Words, one of which appears when somebody speaks of the story.")
    where: str = Field("", description="party: the address, without the town's id.")
    start: str = Field("", description='party: game time, "2026-05-05 17:00".')
    end: str = Field("", description="party: game time.")


class TownFile(_Entry):
    """A town: its ground, its places, and the objects in them."""

    id: Id = Field(description="First part of every address: lower-case letters, digits and `_`.")
    name: Phrase = Field(description="What people call the town.")
    start: str = Field(description='Game time at which play begins, "2026-05-04 06:00".')
    size: tuple[Side, Side] = Field(description="Width and height in cells.")
    cell_m: float = Field(1.0, ge=0.25, le=10, allow_inf_nan=False, description="Metres of one cell's side.")
    paths: list[Rect] = Field([], description="Paved ground, [x, y, width, height]. It only changes how the town looks.")
    object_kinds: dict[str, KindEntry] = Field({}, description="Every kind of object that stands in the town.")
    knowledge: list[Fact] = Field([], description="Facts that everybody in the town knows from the start.")
    factions: list[FactionEntry] = Field([], description="Groups of people who share knowledge.")
    stories: list[StoryEntry] = Field([], description="Ideas that `npc-server simulate` gives to people.")
    places: list[PlaceEntry] = Field(min_length=1, description="Buildings and open places. They do not overlap.")


def json_schema() -> str:
    """The JSON Schema of a town file, as the text of `data/schema/town.schema.json`."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **TownFile.model_json_schema()}
    schema["title"] = "A town of npc-server"
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(json_schema())
