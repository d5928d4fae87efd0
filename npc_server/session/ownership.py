"""Whose save it is: a game plays its own saves and its own town, and no other's."""

from __future__ import annotations

from sqlite_utils import Database

from npc_server.errors import SaveOfAnotherGame, SaveOfAnotherTown
from npc_server.memory import meta
from npc_server.memory.meta import SaveMeta
from npc_server.records import Address


def refuse_of_another(slot: str, owner: tuple[str, Address], player: tuple[str, Address]) -> None:
    """`owner` and `player` are the game and the town's id of the save and of who wants it; what is empty is not compared.

    Raises SaveOfAnotherGame or SaveOfAnotherTown.
    """
    (game, town), (own_game, own_town) = owner, player
    if game and own_game and game != own_game:
        raise SaveOfAnotherGame(
            f"The save {slot!r} belongs to the game {game!r}, and this is {own_game!r}.",
            "Give each game a folder of saves of its own (`--save-folder`), or use another slot.",
            slot=slot,
            game=game,
            asked_by=own_game,
        )
    if town and own_town and town != own_town:
        raise SaveOfAnotherTown(
            f"The save {slot!r} is of the town {town!r}, and the game's town file is of {own_town!r}.",
            f"Begin a new save in another slot, or give the game the file of {town!r} again.",
            slot=slot,
            town=town,
            asked_by=own_town,
        )


def taken_on(db: Database, game: str) -> SaveMeta:
    """What the save is. One that belongs to no game yet takes the name of the one that plays it on."""
    save = meta.read(db)
    return meta.write(db, game=game) if game and not save.game else save
