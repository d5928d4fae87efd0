"""Players who talk to people, whisper to them, take lines back, and interview them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import replace

import pytest

from npc_server.clock import MINUTE, hhmm, parse_datetime
from npc_server.errors import BadInput, UnknownName
from npc_server.instinct import phrases
from npc_server.lines import read_ahead
from npc_server.llm.engine import Priority, Request
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind import appointments
from npc_server.records import (
    Document,
    GameAction,
    GameActionResult,
    Memory,
    MemoryKind,
    MemorySource,
    Outcome,
    OutcomeStatus,
    Social,
    Source,
    Speech,
    Talk,
)
from npc_server.session.host import Host
from npc_server.session.session import Session
from tests.session.conftest import Game, personas, town

MakeHost = Callable[..., Host]
MARA = "mara_voss"
DECLINES = phrases.lines("declines")
PARTY = "Come to my party at the Kettle Café on Tuesday 5 May at 17:00!"
OFFERS = """
offers:
  - name: open_shop
    description: let a customer see the goods
    parameters: [{name: item, type: choice, options: [bread, cheese]}]
"""


async def play(host: Host, extra: str = "") -> Game:
    people = personas()
    people[0] = Document(people[0].name, people[0].text + extra)
    await host.create_save("one", town(), people, seed=7, start=0)
    game = Game(await host.open_save("one"))
    await game.tick(game.session.now)
    return game


def silent(_: str) -> None: ...


def texts(session: Session, npc: str = MARA) -> list[str]:
    return [memory.text for memory in session.memories(npc, (), 0, 1000)]


def newest(session: Session, n: int) -> list[Memory]:
    return session.memories(MARA, (MemoryKind.CONVERSATION,), 0, n)


def answering(**stages: str) -> ScriptedEngine:
    return ScriptedEngine(lambda request: stages.get(request.stage, "4"))


# ---- as somebody


async def test_a_player_is_remembered_by_name_and_a_claim_stays_that_players_claim(make_host: MakeHost) -> None:
    session = (await play(make_host())).session
    spoken = await session.say(MARA, "Ada", "I am the queen of Millbrook.", silent)
    answer, claim = newest(session, 2)
    assert (claim.text, claim.source, claim.source_person) == ('Ada said: "I am the queen of Millbrook."', MemorySource.TOLD, "Ada")
    assert answer.text == f'Mara answered Ada: "{spoken.text}"'
    assert answer.source is MemorySource.SEEN
    assert spoken.source is Source.INSTINCT


async def test_the_answer_streams_goes_to_the_game_and_comes_before_others(make_host: MakeHost) -> None:
    engine = answering(say="agrees: no\nsay: Morning, Ada.\nthen: go on")
    game = await play(make_host(engine))
    pieces: list[str] = []
    spoken = await game.session.say(MARA, "Ada", "Good morning!", pieces.append)
    assert "".join(pieces) == spoken.text == "Morning, Ada."
    assert not spoken.ended
    (request,) = [request for request in engine.requests if request.stage == "say"]
    assert request.priority is Priority.PLAYER
    assert "Ada: Good morning!" in request.user
    await game.tick(game.session.now + MINUTE)
    assert [(s.text, s.source) for s in game.told if isinstance(s, Speech)] == [("Morning, Ada.", Source.MODEL)]


async def test_the_talk_goes_on_where_it_was_until_a_long_silence(make_host: MakeHost) -> None:
    engine = answering(say="say: Hm.\nthen: go on")
    game = await play(make_host(engine))
    await game.session.say(MARA, "Ada", "The mill is sold.", silent)
    await game.session.say(MARA, "Ada", "To whom, I wonder.", silent)
    assert "Ada: The mill is sold." in engine.requests[-1].user
    await game.tick(game.session.now + 30 * MINUTE)
    await game.session.say(MARA, "Ada", "Here I am again.", silent)
    last = [request for request in engine.requests if request.stage == "say"][-1]
    dialogue = last.user[last.user.index("The conversation so far") :]
    assert "Ada: The mill is sold." not in dialogue


async def test_what_a_player_told_is_gossiped_about_with_its_source(make_host: MakeHost) -> None:
    session = (await play(make_host())).session
    await session.say(MARA, "Ada", "The old mill is burning!", silent)
    told = []
    for i in range(12):  # not every meeting is one to gossip at
        for words in ("Hello there.", "Well, well."):
            told.append((await session.say(MARA, f"Ben {i}", words, silent)).text)
    assert any("Ada" in line and "The old mill is burning!" in line for line in told)
    told = [(await session.say(MARA, "Ada", words, silent)).text for words in ("Hello.", "Well.")]
    assert not any("burning" in line for line in told)


async def test_an_invitation_by_a_player_becomes_an_appointment_at_its_hour_and_place(make_host: MakeHost) -> None:
    session = (await play(make_host())).session
    mind = session.agent(MARA).mind
    assert (await session.say(MARA, "Ada", PARTY, silent)).text in DECLINES
    assert not appointments.coming(mind, session.now), "she goes to no stranger's party, and says so"
    mind.relationships.social["Ada"] = Social(MARA, "Ada", "friend", "", "", appointments.CLOSE_ENOUGH, 0, session.now)
    answer = (await session.say(MARA, "Ada", f"Oh, do. {PARTY}", silent)).text
    assert answer in phrases.lines("accepts")
    (kept,) = appointments.coming(mind, session.now)
    assert (kept.address, hhmm(kept.start), kept.text) == ("millbrook:cafe", "16:50", "come to the party")


async def test_what_was_agreed_on_for_another_day_is_kept_over_save_and_load(make_host: MakeHost) -> None:
    host = make_host()
    session = (await play(host)).session
    await session.whisper(MARA, "I want to give a party at the Kettle Café on Thursday 7 May from 17:00 to 19:00.")
    kept = appointments.coming(session.agent(MARA).mind, session.now)
    assert len(kept) == 1
    await session.close(save=True)
    again = await host.open_save("one")
    assert appointments.coming(again.agent(MARA).mind, again.now) == kept


async def test_who_says_goodbye_ends_the_talk(make_host: MakeHost) -> None:
    session = (await play(make_host(answering(say="say: Goodbye, Ada.\nthen: leave")))).session
    assert (await session.say(MARA, "Ada", "Bye!", silent)).ended


# ---- what the game does on an NPC's word


async def test_an_offered_action_reaches_the_game_and_what_came_of_it_is_remembered(make_host: MakeHost) -> None:
    engine = answering(say="say: Have a look.\ndoes: open_shop(item=cheese)\nthen: go on")
    game = await play(make_host(engine), OFFERS)
    spoken = await game.session.say(MARA, "Ada", "May I see the cheese?", silent)
    await game.tick(game.session.now + MINUTE)
    (call,) = [event for event in game.told if isinstance(event, GameAction)]
    assert spoken.actions == (call,), "who waits for the answer does not learn what was done with it"
    assert (call.npc, call.name, call.arguments) == (MARA, "open_shop", '{"item": "cheese"}')
    await game.tick(game.session.now + 2 * MINUTE, GameActionResult(MARA, call.call_id, True))
    assert "Mara did this for Ada: open shop, cheese." in texts(game.session)
    await game.tick(game.session.now + 3 * MINUTE, GameActionResult(MARA, call.call_id, False, "the shop has burnt down"))
    assert "Mara could not do this for Ada: open shop, cheese, because the shop has burnt down." in texts(game.session)


async def test_who_was_asked_for_something_knows_after_a_restart_what_the_game_answers_about(make_host: MakeHost) -> None:
    host = make_host(answering(say="say: Have a look.\ndoes: open_shop(item=cheese)\nthen: go on"))
    game = await play(host, OFFERS)
    (call,) = (await game.session.say(MARA, "Ada", "May I see the cheese?", silent)).actions
    again = Game(await host.open_save("one", resume_epoch=game.epoch))
    await again.tick(again.session.now + MINUTE, GameActionResult(MARA, call.call_id, True))
    assert "Mara did this for Ada: open shop, cheese." in texts(again.session)


async def test_of_an_answer_to_what_nobody_asked_no_name_is_read_out_of_its_id(make_host: MakeHost) -> None:
    game = await play(make_host(), OFFERS)
    await game.tick(game.session.now + MINUTE, GameActionResult(MARA, "talk/open_shop/2", True))
    assert "Mara did this: something." in texts(game.session)


# ---- undo


async def test_undo_takes_back_memories_appointment_and_what_was_told(make_host: MakeHost) -> None:
    host = make_host()
    session = (await play(host)).session
    mind = session.agent(MARA).mind
    await mind.remember(["The old mill is burning"], kind=MemoryKind.OBSERVATION, at=session.now, importance=[8], source=MemorySource.SEEN)
    await session.say(MARA, "Ada", "Hello, Mara.", silent)
    mind.relationships.social["Ada"] = Social(MARA, "Ada", "friend", "", "", appointments.CLOSE_ENOUGH, 0, session.now)
    before, weight = texts(session), mind.reflecting.importance_since
    await session.say(MARA, "Ada", "Well, well.", silent)
    assert await session.undo(MARA, "Ada") == 2
    await session.say(MARA, "Ada", PARTY, silent)
    assert appointments.coming(mind, session.now)
    assert mind.reflecting.importance_since > weight
    assert await session.undo(MARA, "Ada") == 3  # both lines, and her promise
    assert (texts(session), mind.reflecting.importance_since) == (before, weight)
    assert not appointments.coming(mind, session.now)
    assert session.agent(MARA).doing.told == ()


async def test_undone_news_can_be_told_again(make_host: MakeHost) -> None:
    session = (await play(make_host())).session
    mind = session.agent(MARA).mind
    await mind.remember(["The old mill is burning"], kind=MemoryKind.OBSERVATION, at=session.now, importance=[8], source=MemorySource.SEEN)
    await session.say(MARA, "Ada", "Hello, Mara.", silent)
    assert "burning" in (await session.say(MARA, "Ada", "Well, well.", silent)).text
    await session.undo(MARA, "Ada")
    assert "burning" in (await session.say(MARA, "Ada", "Tell me.", silent)).text


async def test_what_is_undone_is_gone_from_the_save_too(make_host: MakeHost) -> None:
    host = make_host()
    session = (await play(host)).session
    await session.say(MARA, "Ada", "I have a secret.", silent)
    await session.say(MARA, "Ada", "I robbed the bank.", silent)
    await session.undo(MARA, "Ada")
    await session.close(save=True)
    again = await host.open_save("one")
    assert not [text for text in texts(again) if "bank" in text and "Ada" in text]
    assert 'Ada said: "I have a secret."' in texts(again)
    assert len(again.agent(MARA).doing.exchanges) == 1


async def test_lines_are_taken_back_one_by_one_and_only_ones_own(make_host: MakeHost) -> None:
    session = (await play(make_host())).session
    await session.say(MARA, "Ada", "First.", silent)
    await session.say(MARA, "Ben", "Second.", silent)
    await session.undo(MARA, "Ada")
    found = texts(session)
    assert 'Ada said: "First."' not in found
    assert 'Ben said: "Second."' in found
    with pytest.raises(BadInput, match="has said nothing"):
        await session.undo(MARA, "Ada")


async def test_an_insight_that_rests_on_an_undone_line_goes_with_it(make_host: MakeHost) -> None:
    session = (await play(make_host())).session
    mind = session.agent(MARA).mind
    await session.say(MARA, "Ada", "I robbed the bank.", silent)
    claim = newest(session, 2)[1]
    (insight,) = await mind.remember(
        ["Ada is a thief"], kind=MemoryKind.REFLECTION, at=session.now, importance=[8], source=MemorySource.THOUGHT, evidence=(claim.id,)
    )
    assert await session.undo(MARA, "Ada") == 3
    assert insight.id not in mind.stream


# ---- the inner voice


async def test_the_inner_voice_becomes_an_intention_with_weight_a_plan_and_a_place_in_mind(make_host: MakeHost) -> None:
    session = (await play(make_host())).session
    text = "I want to give a party at the Kettle Café on Tuesday 5 May from 17:00 to 19:00."
    memory = await session.whisper(MARA, text)
    assert (memory.kind, memory.source, memory.source_person) == (MemoryKind.INTENTION, MemorySource.THOUGHT, "")
    assert memory.importance >= 8
    assert text in session.mind(MARA).identity
    mind = session.agent(MARA).mind
    (step,) = appointments.coming(mind, session.now)
    assert (step.text, step.address, step.end) == ("giving the party", "millbrook:cafe", parse_datetime("2026-05-05 19:00"))
    assert hhmm(appointments.agreed_hour(step)) == "16:30", "people are there half an hour before their own party"
    heard = [(await session.say(MARA, "Ada", words, silent)).text for words in ("Hello.", "Well.")]
    assert any("party" in line for line in heard)


async def test_who_makes_no_memories_takes_no_intention_and_remembers_no_talk(make_host: MakeHost) -> None:
    session = (await play(make_host(), "\nopt_out_of_memory: true\n")).session
    before = texts(session)
    with pytest.raises(BadInput, match="makes no memories"):
        await session.whisper(MARA, "I want to run for mayor.")
    await session.say(MARA, "Ada", "The mill is burning!", silent)
    assert texts(session) == before
    assert await session.undo(MARA, "Ada") == 0


# ---- the interview


async def test_an_interview_leaves_every_row_of_the_save_as_it_was(make_host: MakeHost) -> None:
    def answer(request: Request) -> str:
        return "I am Mara." if request.stage == "interview" else "4"

    session = (await play(make_host(ScriptedEngine(answer)))).session
    await session.say(MARA, "Ada", "The mill is sold.", silent)
    before = await session._store.do(lambda db: rows(db.conn))
    for question in ("Who are you?", "What did Ada say?"):
        answered, source, found = await session.interview(MARA, question, silent)
        assert (answered, source) == ("I am Mara.", Source.MODEL)
        assert found
    await session._thinking._context.write(session.agent(MARA))  # whatever is waiting to be written
    await session.save_game("after")
    assert await session._store.do(lambda db: rows(db.conn)) == before


SAVED = ("saved_at", "save_id")


def rows(connection: sqlite3.Connection) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table, but for what saving writes."""
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()]
    assert {"memories", "calls", "plan_steps", "people"} <= set(tables)
    return {
        table: [row for row in connection.execute(f'SELECT * FROM "{table}" ORDER BY 1, 2').fetchall() if row[0] not in SAVED]
        for table in tables
    }


async def test_an_interview_does_not_know_what_the_person_cannot_know(make_host: MakeHost) -> None:
    session = (await play(make_host())).session
    session.agent(MARA).mind.persona = replace(
        session.agent(MARA).mind.persona, voice=replace(session.agent(MARA).mind.persona.voice, dont_know=("I don't know.",))
    )
    answer, source, _ = await session.interview(MARA, "Who won the Battle of Hastings?", silent)
    assert (answer, source) == ("I don't know.", Source.INSTINCT)
    # Tobin's secret is Tobin's.
    secret, _, _ = await session.interview(
        "tobin_hale", "Your daughter Ruth has asked in a letter whether you would come and live with her?", silent
    )
    assert "daughter" in secret
    answer, _, _ = await session.interview(
        MARA, "Tobin's daughter Ruth has asked in a letter whether he would come and live with her?", silent
    )
    assert "live with her" not in answer


async def test_what_a_file_marks_as_a_secret_is_told_to_nobody_who_asks_outright(make_host: MakeHost) -> None:
    """No word of the sentence says that it is one."""
    people = personas()
    plain = Document(people[0].name, people[0].text.replace("secrets:", "secrets:\n  - Mara owns a red boat that lies behind the mill"))
    host = make_host()
    await host.create_save("one", town(), [plain, *people[1:]], seed=7, start=0)
    session = await host.open_save("one")
    mind = session.agent(MARA).mind
    (boat,) = [memory for memory in session.memories(MARA, (), 0, 1000) if "red boat" in memory.text]
    await mind.remember(
        ["Mara is glad of the red boat that lies behind the mill"],
        kind=MemoryKind.REFLECTION,
        at=session.now,
        importance=[8],
        source=MemorySource.THOUGHT,
        evidence=(boat.id,),
    )
    for i, question in enumerate(
        ("What lies behind the mill?", "Do you own a boat?", "What are you glad of?", "Who has offered to buy the Kettle?")
    ):
        answer = (await session.say(MARA, f"Stranger {'ABCD'[i]}", question, silent)).text
        assert "behind the mill" not in answer, question
        assert "coffee house" not in answer, question
    assert boat.text in session.mind(MARA).identity, "she knows it herself"


async def test_nobody_unknown_can_be_spoken_to(make_host: MakeHost) -> None:
    session = (await play(make_host())).session
    for call in (session.say("nobody", "Ada", "Hi", silent), session.whisper("nobody", "x"), session.undo("nobody", "Ada")):
        with pytest.raises(UnknownName):
            await call


@pytest.mark.parametrize("speaker", [MARA, "Mara Voss", "mara voss"])
async def test_nobody_can_be_spoken_to_by_themselves(make_host: MakeHost, speaker: str) -> None:
    game = await play(make_host())
    before = texts(game.session)
    with pytest.raises(BadInput, match="nobody talks to themselves"):
        await game.session.say(MARA, speaker, "Who are you?", silent)
    assert texts(game.session) == before
    assert not game.session.agent(MARA).doing.talk
    assert (await game.session.say(MARA, "tobin_hale", "Who are you?", silent)).text


async def test_a_talk_with_a_player_interrupts_and_the_day_goes_on_afterwards(make_host: MakeHost) -> None:
    game = await play(make_host())
    before = game.session.mind(MARA).action
    assert before is not None
    await game.session.say(MARA, "Ada", "Hello.", silent)
    during = game.session.mind(MARA).action
    assert during is not None
    assert during.sentence == "Mara is talking with Ada"
    assert during.talks_with == ("Ada",)
    await game.tick(game.session.now + 10 * MINUTE, Outcome(MARA, before.id, OutcomeStatus.DONE))
    after = game.session.mind(MARA).action
    assert after is not None
    assert after.id not in (before.id, during.id)


async def test_what_follows_an_answer_is_read_ahead_only_when_the_answer_was_stored_and_said(
    make_host: MakeHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = await play(make_host())
    seen: list[tuple[list[str], Talk, str]] = []
    monkeypatch.setattr(read_ahead, "next_line", lambda mind, talk, player, now: seen.append((texts(game.session), talk, player)))
    answered = await game.session.say(MARA, "Robin", "Good morning!", silent)
    ((stored, talk, player),) = seen
    assert any(answered.text in text for text in stored)
    assert [line.text for line in talk.lines] == ["Good morning!", answered.text]
    assert player == "Robin"
