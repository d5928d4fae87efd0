"""The game's files taken over while they are lived by: they say who people are, and what was lived stays."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from npc_server.clock import HOUR, MINUTE
from npc_server.errors import FileProblem, GameLoaded, SaveOfAnotherTown
from npc_server.memory import memories
from npc_server.records import Document, MemoryKind, MemorySource, ObjectChange, Perception, PerceptionKind, Social
from npc_server.session.game_files import ChangeKind, GameFiles
from npc_server.session.host import Host
from npc_server.session.session import Session
from tests.session.conftest import PEOPLE, Game, personas, town
from tests.session.test_game_files import ADA, edited
from tests.waiting import LIMIT_S

MakeHost = Callable[..., Host]
GRANDMOTHER = "Mara learned to bake from her grandmother, who measured everything by hand and nothing twice"


async def play(host: Host, minutes: int = 0) -> Game:
    await host.create_save("one", town(), personas(), seed=7, start=0)
    game = Game(await host.open_save("one"))
    for at in range(0, minutes, 10):
        await game.tick(game.session.now + (10 * MINUTE if at else 0))
    return game


def files(*people: Document, place: Document | None = None) -> GameFiles:
    """The files given, and of the others those of Millbrook."""
    given = {document.name: document for document in people}
    known = [given.pop(document.name, document) for document in personas()]
    return GameFiles("", place or town(), (*known, *given.values()))


def mara(*edits: tuple[str, str]) -> Document:
    document = personas()[0]
    for old, new in edits:
        document = edited(document, old, new)
    return document


def seeds(session: Session, npc: str = "mara_voss") -> list[str]:
    return [memory.text for memory in session.memories(npc, (MemoryKind.SEED,), 0, 100)]


async def concludes(session: Session, npc: str, text: str, on: Sequence[int]) -> int:
    """A reflection that rests on memories."""
    agent = session.agent(npc)
    async with session._thinking.attention_of(agent):
        kind, source = MemoryKind.REFLECTION, MemorySource.THOUGHT
        (made,) = await agent.mind.remember([text], kind=kind, at=session.now, importance=[7], source=source, evidence=tuple(on))
        await session._thinking._write(agent)
    return made.id


def image(session: Session) -> object:
    """All that the minds hold of people and places."""
    agents = [session.agent(npc) for npc in session.npc_ids]
    return [
        list(session.world),
        [
            (
                agent.mind.persona,
                agent.mind.stream.latest(10_000),
                sorted((it.address, it.state, it.at) for it in agent.mind.knowledge),
                agent.mind.plan.steps,
                agent.doing,
                agent.mind.identity.summary,
                agent.mind.identity.currently,
                agent.mind.people.names,
                agent.mind.lifestyle.policies.homes,
                agent.mind.lifestyle.policies.names,
            )
            for agent in agents
        ],
    ]


async def test_a_persona_is_another_at_once_and_keeps_what_it_lived(make_host: MakeHost) -> None:
    game = await play(make_host(), 180)
    session = game.session
    agent = session.agent("mara_voss")
    await game.tick(session.now, Perception("mara_voss", PerceptionKind.EVENT, "", "The bell rings", "", 0.0, session.now))
    before, plan, doing = agent.mind.stream.latest(1000), list(agent.mind.plan.steps), agent.doing.action
    found = await session.apply_files(files(mara(("age: 34", "age: 61"), ("traits: [warm,", "traits: [gruff,"))))
    assert [(c.npc, c.kind, c.summary) for c in found.changes] == [
        ("mara_voss", ChangeKind.CHANGED, "personas/mara_voss.yaml: age and traits changed.")
    ]
    assert session.mind("mara_voss").identity.startswith("Mara Voss, 61 years old, is gruff, quick, proud and stubborn.")
    assert any(memory.kind is MemoryKind.OBSERVATION for memory in before)
    assert agent.mind.stream.latest(1000) == before
    assert agent.mind.plan.steps == plan
    assert agent.doing.action == doing is not None


async def test_people_that_did_not_change_are_left_alone_and_the_same_files_change_nothing(make_host: MakeHost) -> None:
    game = await play(make_host(), 60)
    before = image(game.session)
    assert await game.session.apply_files(files()) == await game.session.apply_files(GameFiles())
    assert image(game.session) == before


async def test_new_phrases_are_remembered_and_phrases_that_are_gone_forgotten(make_host: MakeHost) -> None:
    session = (await play(make_host(), 30)).session
    old = seeds(session)
    await session.apply_files(
        files(mara((GRANDMOTHER, "Mara learned to bake at sea"), ("currently: >\n", "currently: Mara is late.\nformerly: >\n")))
    )
    new = seeds(session)
    assert set(new) - set(old) == {"Mara learned to bake at sea", "Mara is late."}
    gone = set(old) - set(new)
    assert GRANDMOTHER in gone
    assert len(gone) == 2
    assert "Mara is late." in session.mind("mara_voss").identity
    found = await session.search("mara_voss", "learned to bake at sea", 1)
    assert found[0].memory.text == "Mara learned to bake at sea"


async def test_a_phrase_from_which_something_was_concluded_stays_with_its_evidence(make_host: MakeHost) -> None:
    session = (await play(make_host())).session
    (ground,) = [m for m in session.memories("mara_voss", (MemoryKind.SEED,), 0, 100) if m.text == GRANDMOTHER]
    insight = await concludes(session, "mara_voss", "Mara trusts her hands more than any scale", [ground.id])
    found = await session.apply_files(files(mara((GRANDMOTHER, "Mara learned to bake at sea"))))
    assert [memory.text for memory in session.evidence("mara_voss", insight)] == ["Mara trusts her hands more than any scale", GRANDMOTHER]
    assert f"Mara Voss still knows {GRANDMOTHER!r}, because an insight rests on it." in found.warnings
    back = await session.apply_files(files())
    assert back.changes
    assert seeds(session).count(GRANDMOTHER) == 1


async def test_what_is_on_the_mind_is_what_the_file_says_and_behind_it_what_came_since(make_host: MakeHost) -> None:
    host = make_host()
    game = await play(host)
    session = game.session
    await session.whisper("mara_voss", "I want to see the sea.")
    session.agent("tobin_hale").mind.identity.summary = "Tobin feels that the year has been good to him."
    session.agent("tobin_hale").mind.identity.currently = "Tobin thinks of oak."
    tobin = edited(
        edited(personas()[1], "currently: >\n", "currently: Tobin is off to the fair.\nformerly: >\n"), "traits: [", "traits: [loud, "
    )
    await session.apply_files(files(mara(("currently: >\n", "currently: Mara is late.\nformerly: >\n")), tobin))
    assert session.agent("mara_voss").mind.identity.currently == "Mara is late. I want to see the sea."
    identity = session.mind("tobin_hale").identity
    assert "Tobin is off to the fair." in identity
    assert "oak" not in identity
    assert "the year has been good" not in identity
    await session.suspend()
    again = await host.open_save("one", resume_epoch=game.epoch)
    assert again.agent("mara_voss").mind.identity.currently == "Mara is late. I want to see the sea."


@pytest.mark.parametrize("new_town", [False, True])
async def test_what_was_taken_over_is_what_the_save_holds(make_host: MakeHost, new_town: bool) -> None:
    """The minds that live on are the ones that a restart would bring to life."""
    host = make_host()
    game = await play(host, 120)
    place = edited(town(), "          - {id: corner_table, name: corner table, kind: table, at: [28, 12]}\n", "") if new_town else town()
    person = mara((GRANDMOTHER, "Mara learned to bake at sea"), ("age: 34", "age: 35"), ("name: Mara Voss", "name: Mara Hale"))
    await game.session.apply_files(files(person, ADA, place=place))
    lived = image(game.session)
    await game.session.suspend()
    again = await host.open_save("one", resume_epoch=game.epoch)
    assert image(again) == lived
    assert "Mara Hale" in again.info.people


async def test_a_mistake_in_any_file_changes_nothing_and_all_are_told(make_host: MakeHost) -> None:
    host = make_host()
    game = await play(host, 60)
    before = image(game.session)
    tobin = edited(personas()[1], "home: tobin_house:bedroom:bed", "home: tobin_house:bedroom:bet")
    lame = Document("town.yaml", town().text.replace("size: [48, 34]", "size: [48]"))
    with pytest.raises(FileProblem) as both:
        await game.session.apply_files(files(mara(("age: 34", "age: old")), tobin, place=lame))
    assert {problem.file for problem in both.value.problems} == {"town.yaml", "personas/mara_voss.yaml"}
    with pytest.raises(FileProblem) as people:
        await game.session.apply_files(files(mara(("age: 34", "age: old")), tobin, ADA))
    assert [(problem.file, problem.line > 0) for problem in people.value.problems] == [
        ("personas/mara_voss.yaml", True),
        ("personas/tobin_hale.yaml", True),
    ]
    assert image(game.session) == before
    await game.session.close(save=True)
    again = await host.open_save("one", files=files())
    assert (again.changes, again.npc_ids) == ([], list(PEOPLE))


async def test_a_new_file_is_a_new_person_that_lives_from_the_next_moment(make_host: MakeHost) -> None:
    host = make_host()
    game = await play(host, 30)
    found = await game.session.apply_files(files(ADA))
    assert [(change.npc, change.kind) for change in found.changes] == [("ada_finch", ChangeKind.ADDED)]
    assert game.session.npc_ids == [*PEOPLE, "ada_finch"]
    assert seeds(game.session, "ada_finch") == ["Ada Finch mends clocks"]
    actions = await game.tick(game.session.now + MINUTE)
    assert "ada_finch" in {action.npc for action in actions}
    assert game.session.agent("mara_voss").mind.people.name_of("ada_finch") == "Ada Finch"
    spoken = await game.session.say("ada_finch", "Sam", "Hello!", lambda text: None)
    assert spoken.text
    await game.session.close(save=True)
    again = await host.open_save("one")
    assert again.npc_ids == [*PEOPLE, "ada_finch"]
    assert again.info.people[-1] == "Ada Finch"


async def test_a_person_whose_file_is_gone_stays_and_this_is_told_once(make_host: MakeHost) -> None:
    host = make_host()
    game = await play(host, 60)
    without = GameFiles("", town(), tuple(personas()[:2]))
    lived = game.session.agent("ines_calder").mind.stream.latest(1000)
    found = await game.session.apply_files(without)
    assert "personas/ines_calder.yaml is gone; Ines Calder stays in this save." in found.warnings
    assert found.changes == ()
    assert game.session.npc_ids == list(PEOPLE)
    assert game.session.agent("ines_calder").mind.stream.latest(1000) == lived
    await game.session.close(save=True)
    assert (await host.open_save("one", files=without)).changes == []


async def test_a_gone_persons_file_name_may_be_anothers_now(make_host: MakeHost) -> None:
    host = make_host()
    game = await play(host)
    await game.session.apply_files(
        GameFiles("", None, (*personas()[:2], Document("personas/ines_calder.yaml", "id: ada_finch\n" + ADA.text)))
    )
    assert game.session.npc_ids == [*PEOPLE, "ada_finch"]
    await game.session.close(save=True)
    assert (await host.open_save("one")).npc_ids == [*PEOPLE, "ada_finch"]


async def test_what_was_lived_with_somebody_counts_more_than_the_files_new_words_for_it(make_host: MakeHost) -> None:
    session = (await play(make_host())).session
    kept = Social("mara_voss", "tobin_hale", "rival", "She is cross with him.", "He sold her chairs.", 2, 0, session.now)
    session.agent("mara_voss").mind.relationships.social["tobin_hale"] = kept
    found = await session.apply_files(files(_friend(personas()[0])))
    assert session.relations("mara_voss")[-1] == kept
    assert any("The relation of Mara Voss and Tobin Hale has changed in play" in text for text in found.warnings)


def _friend(document: Document) -> Document:
    at = document.text.index("who: tobin_hale")
    rest = document.text[at:].replace("is: ", "is: sworn ", 1)
    return replace(document, text=document.text[:at] + rest)


# ---- the town


async def test_a_changed_town_brings_what_is_new_and_leaves_things_as_they_are(make_host: MakeHost) -> None:
    game = await play(make_host())
    session = game.session
    await game.send(
        ObjectChange("millbrook:cafe:kitchen:stove", "on"),
        ObjectChange("millbrook:mara_house:kitchen:stove", "burning"),
    )
    place = edited(town(), "{id: flower_bed,", "{id: swing, name: old swing, kind: bench, at: [31, 20]}\n          - {id: flower_bed,")
    place = edited(place, 'states: ["off", "on", burning]', 'states: ["off", "on", smoking]')
    place = Document(
        place.name,
        place.text.replace('burning, after: "off"', 'smoking, after: "off"').replace(
            "action: cook, becomes: burning", "action: cook, becomes: smoking"
        ),
    )
    place = edited(place, "description: grass, a flower bed and the mill pond", "description: a meadow")
    found = await session.apply_files(files(place=place))
    assert [change.file for change in found.changes] == ["town.yaml"]
    world = session.world
    assert world.node("millbrook:green:lawn:swing").name == "old swing"
    assert all("millbrook:green:lawn:swing" in session.agent(npc).mind.knowledge for npc in PEOPLE)
    assert world.node("millbrook:green").description == "a meadow"
    assert world.node("millbrook:cafe:kitchen:stove").state == "on"
    assert world.node("millbrook:mara_house:kitchen:stove").state == "off", "a state that is none any more begins anew"
    assert world.node("millbrook:mara_house:kitchen:stove").states == ("off", "on", "smoking")


async def test_what_is_gone_from_the_town_goes_unless_somebody_needs_it(make_host: MakeHost) -> None:
    game = await play(make_host(), 60)
    session = game.session
    place = edited(town(), "          - {id: corner_table, name: corner table, kind: table, at: [28, 12]}\n", "")
    place = edited(place, "          - {id: wardrobe, kind: wardrobe, at: [39, 4]}\n", "")
    found = await session.apply_files(GameFiles(town=place))
    assert "millbrook:cafe:dining_room:corner_table" not in session.world
    assert all("millbrook:cafe:dining_room:corner_table" not in session.agent(npc).mind.knowledge for npc in PEOPLE)
    assert "millbrook:tobin_house:bedroom:wardrobe" in session.world, "Tobin's routine names it"
    assert any(text.startswith("millbrook:tobin_house:bedroom:wardrobe is no longer in the town file") for text in found.warnings)
    for _ in range(20):
        await game.tick(session.now + HOUR)
    assert session.now


async def test_new_knowledge_of_the_town_is_everybodys_and_old_is_forgotten(make_host: MakeHost) -> None:
    session = (await play(make_host())).session
    told = Document("town.yaml", town().text + "\nknowledge: [The mill was sold in spring]\n")
    await session.apply_files(GameFiles(town=told))
    assert all("The mill was sold in spring" in seeds(session, npc) for npc in PEOPLE)
    await session.apply_files(GameFiles(town=town()))
    assert all("The mill was sold in spring" not in seeds(session, npc) for npc in PEOPLE)


async def test_another_town_is_not_taken_over(make_host: MakeHost) -> None:
    session = (await play(make_host())).session
    with pytest.raises(SaveOfAnotherTown):
        await session.apply_files(GameFiles(town=edited(town(), "id: millbrook", "id: alderwick")))


# ---- in the middle of things


async def test_files_wait_for_a_talk_and_the_talk_goes_on_after_them(make_host: MakeHost) -> None:
    game = await play(make_host(), 30)
    session = game.session
    agent = session.agent("mara_voss")
    await session.say("mara_voss", "Sam", "My dog is called Bello.", lambda text: None)
    async with session._thinking.attention_of(agent):
        applying = asyncio.ensure_future(session.apply_files(files(mara(("age: 34", "age: 35")))))
        await game.send(Perception("mara_voss", PerceptionKind.EVENT, "", "The bell rings", "", 0.0, session.now))
        while not {"tobin_hale", "ines_calder"} <= session._thinking._context.busy:  # they are held, and Mara is waited for
            await asyncio.sleep(0.01)
        assert not applying.done()
        assert agent.mind.persona.age == 34
    await asyncio.wait_for(applying, LIMIT_S)
    assert agent.mind.persona.age == 35
    await session.say("mara_voss", "Sam", "And you?", lambda text: None)
    assert len(session._thinking.dialogues._talks["mara_voss", "Sam"].lines) == 4
    assert await session.undo("mara_voss", "Sam") > 0


async def test_files_that_meet_a_load_are_refused_and_the_loaded_game_is_as_it_was_saved(make_host: MakeHost) -> None:
    game = await play(make_host(), 30)
    session = game.session
    agent = session.agent("mara_voss")
    async with session._thinking.attention_of(agent):
        applying = asyncio.ensure_future(session.apply_files(files(mara(("age: 34", "age: 35")))))
        while "tobin_hale" not in session._thinking._context.busy:
            await asyncio.sleep(0.01)
        await session.load_game()
    with pytest.raises(GameLoaded, match="A game was loaded"):
        await asyncio.wait_for(applying, LIMIT_S)
    assert session.agent("mara_voss").mind.persona.age == 34


async def test_files_that_come_right_behind_a_load_are_refused(make_host: MakeHost) -> None:
    game = await play(make_host(), 30)
    session = game.session
    async with session._open.storing:
        loading = asyncio.ensure_future(session.load_game())
        while not session._open.storing._waiters:
            await asyncio.sleep(0.01)
        applying = asyncio.ensure_future(session.apply_files(files(mara(("age: 34", "age: 35")))))
        while len(session._open.storing._waiters) < 2:
            await asyncio.sleep(0.01)
    await asyncio.wait_for(loading, LIMIT_S)
    with pytest.raises(GameLoaded, match="A game was loaded"):
        await asyncio.wait_for(applying, LIMIT_S)
    assert session.agent("mara_voss").mind.persona.age == 34


async def test_no_memory_of_anybody_is_lost_on_disk(make_host: MakeHost) -> None:
    game = await play(make_host(), 240)
    store = game.session._store
    before = {npc: await store.do(lambda db, npc=npc: memories.load(db, npc)) for npc in PEOPLE}  # type: ignore[misc]
    await game.session.apply_files(GameFiles("", town(), (mara(("age: 34", "age: 35")), ADA)))
    for npc in PEOPLE:
        assert await store.do(lambda db, npc=npc: memories.load(db, npc)) == before[npc]  # type: ignore[misc]
