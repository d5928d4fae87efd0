"""Memories that a game, a modder or the editor adds, edits and deletes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from npc_server.clock import DAY, MINUTE
from npc_server.errors import BadInput, GameLoaded, SaveFull, UnknownName
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind.retrieve import retrieve
from npc_server.records import Document, Emotion, Memory, MemoryChangeKind, MemoryKind, MemorySource, Mood, Social
from npc_server.session.audience import Audience
from npc_server.session.host import Host
from npc_server.session.mend import NewMemory
from npc_server.session.session import Session
from tests.session.conftest import personas, town
from tests.session.test_dialogue import MARA, play, texts

MakeHost = Callable[..., Host]
TOBIN, INES = "tobin_hale", "ines_calder"
DEAD = "The old king is dead."
KING = NewMemory(DEAD, MemorySource.KNOWN, importance=9, key="king_dead")


async def observed(session: Session, text: str, npc: str = MARA) -> Memory:
    """A memory that the mind made itself, as a thought stores it."""
    agent = session.agent(npc)
    (memory,) = await agent.mind.remember(
        [text],
        kind=MemoryKind.OBSERVATION,
        at=session.now,
        importance=[6],
        source=MemorySource.SEEN,
        triples=[("Tobin Hale", "did", text)],
    )
    return memory


async def concluded(session: Session, text: str, *evidence: int) -> Memory:
    mind = session.agent(MARA).mind
    thought, kind = MemorySource.THOUGHT, MemoryKind.REFLECTION
    (memory,) = await mind.remember([text], kind=kind, at=session.now, importance=[7], source=thought, evidence=evidence)
    return memory


async def test_what_everybody_is_given_a_quest_takes_away_again(make_host: MakeHost) -> None:
    session = (await play(make_host())).session
    done = await session.mending.add(session.epoch, Audience(everybody=True), KING)
    assert [(it.npc, it.text, it.importance, it.key) for it in done.memories] == [(npc, DEAD, 9, "king_dead") for npc in session.npc_ids]
    assert all(DEAD in texts(session, npc) for npc in session.npc_ids)
    again = await session.mending.add(0, Audience(everybody=True), KING)
    assert again.memories == done.memories, "a call that is repeated changes something"
    assert [len(await session.mending.changes(npc)) for npc in session.npc_ids] == [1, 1, 1]
    gone = await session.mending.delete_key(0, "king_dead", Audience((TOBIN,)), "quest")
    assert [it.npc for it in gone.memories] == [TOBIN]
    assert (await session.mending.delete_key(0, "king_dead", Audience(), "quest")).memories == tuple(
        it for it in done.memories if it.npc != TOBIN
    )
    assert not any(DEAD in texts(session, npc) for npc in session.npc_ids)
    assert (await session.mending.delete_key(0, "king_dead", Audience(), "quest")).memories == ()


async def test_a_memory_goes_to_a_faction_a_place_or_some_people(make_host: MakeHost) -> None:
    host, files = make_host(), personas()
    files[1] = Document(files[1].name, f"{files[1].text}\nfactions: [smugglers]\n")
    await host.create_save("one", town(), files, seed=7, start=0)
    session = await host.open_save("one")
    smuggled = await session.mending.add(0, Audience(factions=("smugglers",)), replace(KING, key="a"))
    assert [it.npc for it in smuggled.memories] == [TOBIN]
    home = session.agent(INES).mind.persona.home
    at_home = await session.mending.add(0, Audience(places=(home,)), replace(KING, key="b"))
    assert INES in [it.npc for it in at_home.memories]
    told = replace(KING, key="c", source=MemorySource.TOLD, source_person=TOBIN, at=session.now - DAY, importance=0)
    of_tobin = await session.mending.add(0, Audience((MARA, TOBIN)), told)
    assert [(it.npc, it.source_person, it.created) for it in of_tobin.memories] == [(MARA, TOBIN, session.now - DAY)], "he told himself"
    assert 1 <= of_tobin.memories[0].importance <= 10


async def test_what_rests_on_a_deleted_memory_is_in_doubt_and_no_longer_comes_to_mind(make_host: MakeHost) -> None:
    session = (await play(make_host())).session
    mind = session.agent(MARA).mind
    seen, other = await observed(session, "Tobin Hale hid a crown in the mill."), await observed(session, "Tobin Hale whistles.")
    thief = await concluded(session, "Tobin Hale is a thief of crowns.", seen.id)
    wary = await concluded(session, "Mara should be wary of crowns.", thief.id)
    merry = await concluded(session, "Tobin Hale is merry.", other.id)
    mind.relationships.social[TOBIN] = Social(MARA, TOBIN, "neighbour", "She fears him.", "He hid a crown.", 3, wary.id, session.now)
    mind.identity.summary, mind.identity.currently, mind.identity.grounds = (
        "Mara lives beside a thief.",
        "Mara thinks of the crown.",
        (seen.id,),
    )
    mind.feelings.mood = Mood(Emotion.AFRAID, 9.0, session.now, seen.text)
    done = await session.mending.delete(0, MARA, seen.id, "quest")
    assert [it.id for it in done.in_doubt] == [thief.id, wary.id]
    assert [bool(mind.stream.get(it.id).doubt) for it in (thief, wary, merry)] == [True, True, False]
    found = [it.memory.id for it in await retrieve(mind, "crowns, thieves", session.now, 1_000)]
    assert thief.id not in found
    assert wary.id not in found
    assert merry.id in found
    assert (mind.identity.summary, mind.identity.currently, mind.feelings.mood.cause) == ("", "", "")
    assert (mind.relationships.social[TOBIN].between, mind.relationships.social[TOBIN].relation) == ("", "neighbour")
    await session.close(save=True)


async def test_summaries_that_rest_on_a_deleted_memory_are_drawn_anew_by_the_model(make_host: MakeHost) -> None:
    replies = {
        "talk_relation": "relation: neighbour\nfeeling: He is kind.\nbetween: He whistles.\ncloseness: 3\nmood: neutral\nbecause: nothing",
        "identity": "nature: Mara is calm.\nwork: She bakes.\nfeeling: All is well.\ncurrently: She bakes rolls.\nmood: neutral",
    }
    game = await play(make_host(ScriptedEngine(lambda request: replies.get(request.stage, "4"))))
    session = game.session
    mind = session.agent(MARA).mind
    seen, _ = await observed(session, "Tobin Hale hid a crown in the mill."), await observed(session, "Tobin Hale whistles.")
    await concluded(session, "Mara likes whistling.", seen.id + 1)
    mind.relationships.social[TOBIN] = Social(MARA, TOBIN, "neighbour", "She fears him.", "He hid a crown.", 3, seen.id + 2, session.now)
    mind.identity.summary, mind.identity.grounds = "Mara lives beside a thief.", (seen.id,)
    await session.mending.delete(0, MARA, seen.id, "quest")
    await game.tick(session.now + MINUTE)
    assert mind.relationships.social[TOBIN].between == "He whistles."
    assert "Mara is calm." in mind.identity.summary
    assert mind.reflecting.outdated == ()


async def test_an_edited_memory_keeps_its_id_and_gets_a_new_embedding_and_a_history(make_host: MakeHost) -> None:
    session = (await play(make_host())).session
    mind = session.agent(MARA).mind
    (memory,) = (await session.mending.add(0, Audience((MARA,)), KING)).memories
    before = mind.stream.vectors([memory.id])[0].copy()
    insight = await concluded(session, "Hard times are coming.", memory.id)
    done = await session.mending.edit(0, MARA, memory.id, "The young queen is crowned.", 0, "modder")
    (edited,) = done.memories
    assert (edited.id, edited.text, edited.created) == (memory.id, "The young queen is crowned.", memory.created)
    assert [it.id for it in done.in_doubt] == [insight.id]
    assert (mind.stream.vectors([memory.id])[0] != before).any()
    assert (await session.mending.edit(0, MARA, memory.id, "", edited.importance % 10 + 1, "game")).in_doubt == ()
    history = await session.mending.changes(MARA, memory.id)
    assert [(it.kind, it.by, it.former_text) for it in history] == [
        (MemoryChangeKind.ADDED, "game", ""),
        (MemoryChangeKind.EDITED, "modder", DEAD),
        (MemoryChangeKind.EDITED, "game", "The young queen is crowned."),
    ]
    assert history[2].former_importance == edited.importance


async def test_mended_memories_are_saved_and_a_load_takes_them_back(make_host: MakeHost) -> None:
    host = make_host()
    session = (await play(host)).session
    kept = (await session.mending.add(0, Audience((MARA,)), KING)).memories[0]
    insight = await concluded(session, "Hard times are coming.", kept.id)
    await session.mending.edit(0, MARA, kept.id, "The king is ill.", 0, "game")
    await session.save_game()
    former = session.epoch
    await session.mending.delete(0, MARA, kept.id, "game")
    await session.mending.add(0, Audience((MARA,)), replace(KING, key="other"))
    await session.load_game()
    assert "The king is ill." in texts(session)
    assert DEAD not in texts(session)
    assert [it.kind for it in await session.mending.changes(MARA)] == [MemoryChangeKind.ADDED, MemoryChangeKind.EDITED]
    with pytest.raises(GameLoaded):
        await session.mending.add(former, Audience((MARA,)), KING)
    stream = session.agent(MARA).mind.stream
    assert stream.get(insight.id).doubt
    assert stream.keyed("king_dead")[0].id == kept.id
    await session.mending.delete(0, MARA, kept.id, "game")
    await session.close(save=True)
    opened = await host.open_save("one")
    assert kept.id not in opened.agent(MARA).mind.stream
    assert (await opened.mending.changes(MARA))[-1].former_text == "The king is ill."


async def test_wrong_requests_change_nothing_and_say_why(make_host: MakeHost) -> None:
    files = personas()
    files[2] = Document(files[2].name, f"{files[2].text}\nopt_out_of_memory: true\n")
    host = make_host()
    await host.create_save("one", town(), files, seed=7, start=0)
    session = await host.open_save("one")
    mending, everybody = session.mending, Audience(everybody=True)
    before = {npc: texts(session, npc) for npc in session.npc_ids}
    for to, why in [
        (Audience(("mara_vos",)), "Did you mean 'mara_voss'"),
        (Audience(factions=("pirates",)), "no faction 'pirates'"),
        (Audience(places=("millbrook:moon",)), "no place 'millbrook:moon'"),
    ]:
        with pytest.raises(UnknownName, match=why):
            await mending.add(0, to, KING)
    with pytest.raises(BadInput, match="names nobody"):
        await mending.add(0, Audience(), KING)
    with pytest.raises(BadInput, match="what is to come"):
        await mending.add(0, everybody, replace(KING, at=session.now + 1))
    with pytest.raises(BadInput, match="makes no memories"):
        await mending.add(0, Audience((INES,)), KING)
    with pytest.raises(UnknownName, match="no memory 999"):
        await mending.edit(0, MARA, 999, "What?", 0, "game")
    with pytest.raises(UnknownName, match="no NPC 'nobody'"):
        await mending.delete(0, "nobody", 1, "game")
    with pytest.raises(BadInput, match="Neither text nor importance"):
        await mending.edit(0, MARA, 1, "", 0, "game")
    assert {npc: texts(session, npc) for npc in session.npc_ids} == before
    assert (await mending.add(0, everybody, KING)).without == (INES,)
    memory = session.agent(MARA).mind.stream.keyed("king_dead")[0]
    await mending.delete(0, MARA, memory.id, "the quest")
    with pytest.raises(UnknownName, match=rf"Memory {memory.id} of 'mara_voss' was deleted by 'the quest' on "):
        await mending.delete(0, MARA, memory.id, "game")


async def test_what_cannot_be_stored_is_not_in_the_mind_either(make_host: MakeHost, monkeypatch: pytest.MonkeyPatch) -> None:
    session = (await play(make_host())).session
    mind = session.agent(MARA).mind
    seen = await observed(session, "Tobin Hale hid a crown in the mill.")
    mind.identity.summary, mind.identity.grounds = "Mara lives beside a thief.", (seen.id,)
    before, store = texts(session), session._store
    written = store.do

    async def full(fn: Callable[..., object]) -> object:
        raise SaveFull("The disk is full.", "Make room.")

    monkeypatch.setattr(store, "do", full)
    for call in (session.mending.add(0, Audience((MARA,)), KING), session.mending.delete(0, MARA, seen.id, "game")):
        with pytest.raises(SaveFull):
            await call
    assert (texts(session), mind.identity.summary) == (before, "Mara lives beside a thief.")
    monkeypatch.setattr(store, "do", written)
    await session.mending.delete(0, MARA, seen.id, "game")
    assert (len(texts(session)), mind.identity.summary) == (len(before) - 1, "")


async def test_a_caller_that_goes_away_leaves_mind_and_save_alike(make_host: MakeHost) -> None:
    host = make_host()
    session = (await play(host)).session
    for turns in range(12):
        call = asyncio.create_task(session.mending.add(0, Audience((MARA,)), replace(KING, key=f"k{turns}", text=f"Bell {turns} rang.")))
        for _ in range(turns):
            await asyncio.sleep(0)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
    held = texts(session)
    await session.close(save=True)
    assert texts(await host.open_save("one")) == held
