"""Which places a prompt offers: the plan's own, those that the activity names, some of the NPC's own, and then the likeliest by words."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

from npc_server.mind.mind import Mind
from npc_server.mind.named import without_people
from npc_server.mind.places import room_of, shortlist
from npc_server.personas import routine
from npc_server.records import Address
from npc_server.world.tree import World, lies_in

NAMED_SHARE = 2
"""One part in so many of the list holds places that the activity names, at most. A text may only speak of a place."""
OWN_PLACES = 4
"""Places that are offered at least, as far as the list goes: one where the routine has the NPC at that hour, where it is, at its workplace,
and in its home."""


async def places_for(
    mind: Mind, known: Sequence[Address], activity: str, here: Address, hint: Address, count: int, usual: Collection[Address] = ()
) -> list[Address]:
    """At most `count` of the known places, best first. `usual` is where the routine has the NPC at that hour.

    What the activity names comes after the plan's own place, most telling first. Then likeness of words decides, but of the NPC's own
    places some are always there (`OWN_PLACES`): people mostly do things where they are, work and live, whatever words they use. Whom an
    activity names says nothing of where it is done.
    """
    likely = await shortlist(mind.world, mind.places, known, without_people(mind, activity), here, hint, len(known))
    meant = _named(mind, likely, activity)
    named = [address for address in likely if address in meant][: count // NAMED_SHARE] if meant else []
    best = sorted(likely, key=lambda address: (not lies_in(address, hint), address not in named)) if hint or named else likely
    rank = {address: i for i, address in enumerate(best)}
    own = [next((it for it in best if any(lies_in(it, place) for place in places)), "") for places in _own(mind, here, usual)]
    kept = list(dict.fromkeys(found for found in own if found))[: min(OWN_PLACES, count - len(named))]
    chosen = [address for address in best if address not in kept][: count - len(kept)] + kept
    return sorted(chosen, key=rank.__getitem__)


def named_in(world: World, addresses: Iterable[Address], text: str) -> list[Address]:
    """The places whose name, or last part of the address, stands in the text as it is: `café` and `the Kettle Café` for `cafe`."""
    said = f" {plain(text)} "
    found: list[Address] = []
    for address in addresses:
        if any(name in said for name in _names(world.node(address).name, address)):
            found.append(address)
    return found


# ---- parts


def _named(mind: Mind, known: Sequence[Address], activity: str) -> set[Address]:
    """Known places that are named or lie in one that is; where an inner place is named, too, what lies beside it is not meant."""
    # Few places of the world are named. Looking for all that lies in them is quicker than looking at each known place's name.
    named = [place for place in mind.places.named(activity, named_in) if any(lies_in(address, place) for address in known)]
    meant = [place for place in named if not any(lies_in(other, place) for other in named if other != place)]
    if not meant:
        return set()
    return {address for address in known if any(lies_in(address, place) for place in meant)}


def _own(mind: Mind, here: Address, usual: Collection[Address]) -> list[Collection[Address]]:
    return [usual, [room_of(mind.world, here)] if here else [], [mind.persona.work], [routine.home(mind.persona)]]


@lru_cache(maxsize=16384)
def _names(name: str, address: Address) -> tuple[str, ...]:
    """The plain forms of a place's name and of the last part of its address, with a space before and after."""
    forms = dict.fromkeys((plain(name), plain(address.rpartition(":")[2].replace("_", " "))))
    return tuple(f" {form} " for form in forms if form)


@lru_cache(maxsize=8192)
def plain(text: str) -> str:
    """In lower case without accents and punctuation, words parted by one space."""
    bare = "".join(char for char in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(char))
    return " ".join("".join(char if char.isalnum() else " " for char in bare).split())
