"""What a player did in somebody's sight, and what was done for a player, is reacted to, remembered, answered and told on."""

from __future__ import annotations

from collections.abc import Callable

from npc_server.clock import MINUTE
from npc_server.instinct import phrases
from npc_server.mind.instinct import WORTH_ASKING
from npc_server.records import Action, GameActionResult, MemoryTopic, PlayerPresence
from npc_server.session.host import Host
from tests.session.test_approach import MARA, TOBIN, approaches, at_noon, did, minute_later, silent
from tests.session.test_dialogue import play

MakeHost = Callable[..., Host]
SALE = """
offers:
  - name: sell_bread
    description: sell a customer one of the goods
    parameters:
      - {name: item, type: choice, options: [bread, cheese]}
      - {name: loaves, type: integer}
"""
STEALS = "steals the silver jug"


async def test_without_a_model_who_sees_a_theft_says_so_and_knows_of_it_when_asked(make_host: MakeHost) -> None:
    game = await at_noon(make_host(), MARA)
    await minute_later(game, did(game, MARA, STEALS))
    (approach,) = approaches(game)
    assert approach.text in [line.format(you="Robin") for line in phrases.lines("witnessed")]
    assert approach.about == f"Robin {STEALS}"
    spoken = await game.session.say(MARA, "Robin", "What did I do just now?", silent)
    assert spoken.text == "I saw it. You steal the silver jug."
    assert "jug" not in (await game.session.say(MARA, "Ada", "What did I do just now?", silent)).text


async def test_who_cannot_speak_to_the_player_looks_up_once(make_host: MakeHost) -> None:
    game = await at_noon(make_host(), MARA)
    await minute_later(game, did(game, MARA, STEALS, PlayerPresence.BUSY))
    assert not approaches(game)
    doings = [event.sentence for event in game.told if isinstance(event, Action) and event.npc == MARA]
    assert [it for it in doings if "watching Robin" in it] == ["Mara is watching Robin"]
    await minute_later(game, did(game, MARA, "steals the golden ring", PlayerPresence.BUSY), minutes=2)
    doings = [event.sentence for event in game.told if isinstance(event, Action) and event.npc == MARA]
    assert len([it for it in doings if "watching Robin" in it]) == 1


async def test_what_a_player_did_is_news_for_others_and_not_for_the_player(make_host: MakeHost) -> None:
    game = await at_noon(make_host(), MARA)
    await minute_later(game, did(game, MARA, "takes the jug from the shelf", PlayerPresence.BUSY))
    mind = game.session.agent(MARA).mind
    (seen,) = [it for it in mind.stream.latest(50) if it.topic is MemoryTopic.PLAYER_DID]
    mind.set_importance({seen.id: WORTH_ASKING})
    for other, expected in ((TOBIN, seen.id), ("Robin", None)):
        told = mind.instinct.news(mind, [other], game.session.now, frozenset())
        assert (told.id if told is not None else None) == expected


async def test_what_was_sold_to_whom_is_remembered_by_its_kind_and_told_to_the_customer_alone(make_host: MakeHost) -> None:
    game = await play(make_host(), SALE)
    assert "did this" not in (await game.session.say(MARA, "Ada", "What did you sell me?", silent)).text
    spoken = await game.session.say(MARA, "Ada", "Could you sell me two loaves of bread, please?", silent)
    (call,) = spoken.actions
    assert call.arguments == '{"item": "bread", "loaves": 2}'
    await game.tick(game.session.now + MINUTE, GameActionResult(MARA, call.call_id, True))
    sold = next(it for it in game.session.memories(MARA, (), 0, 50) if it.topic is MemoryTopic.CALLED)
    assert (sold.subject, sold.predicate, sold.object, sold.text) == (
        MARA,
        "sell_bread",
        "Ada",
        "Mara did this for Ada: sell bread, bread, 2 loaves.",
    )
    told = await game.session.say(MARA, "Ada", "What did you sell me?", silent)
    assert told.text == "I did this for you: sell bread, bread, 2 loaves."
    assert "bread" not in (await game.session.say(MARA, "Otto", "What did you sell me?", silent)).text
