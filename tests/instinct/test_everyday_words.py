"""Names of places and things tell nothing where single words are weighed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import npc_server
from npc_server.documents import read_document
from npc_server.english.stems import stems_of
from npc_server.instinct import act, news
from npc_server.instinct.everyday_words import without_everyday
from npc_server.instinct.importance_head import weight_of
from npc_server.mind.places import Everyday, everyday_of
from npc_server.world.town import load_town
from npc_server.world.tree import Node, NodeKind, ObjectAction, World

TOWNS = Path(npc_server.__file__).parent / "data" / "towns"
TOWN = everyday_of(
    World(
        (
            Node("town", NodeKind.WORLD, "Town"),
            Node("town:pub", NodeKind.SECTOR, "the Drowned Bell"),
            Node("town:pub:bar", NodeKind.ARENA, "Bell"),
            Node("town:pub:bar:bed", NodeKind.OBJECT, "bed", actions=(ObjectAction("lie down"),)),
        )
    )
)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Ada is singing in the Drowned Bell.", "Ada is singing in the ."),
        ("Bellamy drowned near the Bell", "Bellamy drowned near the "),
        ("Ada is lying down until noon", "Ada  until noon"),
        ("Ada is lying on the floor beside the bed", "Ada is lying on the floor beside the bed"),
    ],
)
def test_what_is_left_of_a_text_without_names_of_places_and_actions(text: str, left: str) -> None:
    assert without_everyday(text, TOWN) == left


def test_a_town_without_names_leaves_a_text_as_it_is() -> None:
    assert without_everyday("The Drowned Bell", Everyday()) == "The Drowned Bell"


def things_done(value: Any) -> Iterator[str]:
    """All activities of a persona file."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        if key == "do" and isinstance(inner, str):
            yield inner
        else:
            yield from things_done(inner)


@pytest.mark.parametrize("folder", sorted(TOWNS.iterdir()), ids=lambda folder: folder.name)
def test_nobody_in_our_towns_does_what_is_gossip_by_its_words_every_day(folder: Path) -> None:
    """Who talks or reads is no news, whatever about."""
    town = everyday_of(World(load_town(read_document(folder / "town.yaml")).nodes()))
    gossip = []
    for path in sorted((folder / "personas").glob("*.yaml")):
        for activity in things_done(yaml.safe_load(path.read_text(encoding="utf-8"))):
            seen = act.sentence("Ada", activity)
            if not stems_of(seen.split()[2]) & news.NO_NEWS and weight_of(without_everyday(seen, town)) >= news.CHATTER_IMPORTANCE:
                gossip.append((path.stem, activity))
    assert gossip == []
