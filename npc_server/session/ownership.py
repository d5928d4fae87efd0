"""Checks that a game plays only its own saves and its own town."""

from __future__ import annotations

from collections.abc import Iterable

from sqlite_utils import Database

from npc_server.errors import SaveOfAnotherGame, SaveOfAnotherTown
from npc_server.memory import meta
from npc_server.memory.meta import SaveMeta
from npc_server.records import Address


def refuse_of_another(slot: str, owner: tuple[str, Address], player: tuple[str, Address]) -> None:
    """Raises SaveOfAnotherGame or SaveOfAnotherTown if `owner` and `player` differ.

    `owner` is the game and the town id of the save, `player` those of the game that asks. Empty values are not compared.
    """
    (game, town), (own_game, own_town) = owner, player
    if game and own_game and game != own_game:
        raise SaveOfAnotherGame(
            f"The save {slot!r} belongs to the game {game!r}, and this is {own_game!r}.",
            "Give each game its own folder of saves (`--save-folder`), or use another slot.",
            slot=slot,
            game=game,
            asked_by=own_game,
        )
    if town and own_town and town != own_town:
        raise SaveOfAnotherTown(
            f"The save {slot!r} holds the town {town!r}, and the town file of the game is for {own_town!r}.",
            f"Begin a new save in another slot, or use the file of {town!r} again.",
            slot=slot,
            town=town,
            asked_by=own_town,
        )


def refuse_to_replace(slot: str, owners: Iterable[tuple[str, Address]], game: str) -> None:
    """Raises SaveOfAnotherGame unless `game` may replace the files of a slot that belong to `owners`. It may bring another town."""
    for owner, _ in owners:
        refuse_of_another(slot, (owner, ""), (game, ""))


def taken_on(db: Database, game: str) -> SaveMeta:
    """Returns the meta data of the save. A save that belongs to no game yet is marked as one of `game`."""
    save = meta.read(db)
    return meta.write(db, game=game) if game and not save.game else save
