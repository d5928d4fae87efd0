from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from npc_server.clock import DAY, HOUR
from npc_server.english.text import ON_THE_WAY
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind.mind import Mind
from npc_server.mind.retrieve import LINES_SHOWN, as_lines, for_prompt, memory_line, on_topic, retrieve
from npc_server.records import Memory, MemoryKind, MemorySource, MemoryTopic
from tests.minds import MORNING

MakeMind = Callable[..., Mind]


async def knows(mind: Mind, text: str, at: int = MORNING, importance: int = 3, **more: object) -> Memory:
    given = {"kind": MemoryKind.OBSERVATION, "source": MemorySource.SEEN, **more}
    return (await mind.remember([text], at=at, importance=[importance], **given))[0]  # type: ignore[arg-type]


async def test_the_score_is_the_sum_of_three_normalised_parts(make_mind: MakeMind) -> None:
    mind = make_mind()
    await knows(mind, "Tobin mends a chair", MORNING - 2 * DAY, 9)
    await knows(mind, "The pond is high", MORNING - DAY, 1)
    await knows(mind, "Bread is in the oven", MORNING, 4)
    found = await retrieve(mind, "Who mends a chair?", MORNING)
    for scored in found:
        assert scored.score == pytest.approx(scored.recency + scored.importance + scored.relevance)
        assert all(0 <= part <= 1 for part in (scored.recency, scored.importance, scored.relevance))
    assert found[0].memory.text == "Tobin mends a chair"
    assert max(s.relevance for s in found) == 1
    assert [s.recency for s in sorted(found, key=lambda s: s.memory.created)] == sorted(s.recency for s in found)


async def test_recent_memory_outranks_old_one(make_mind: MakeMind) -> None:
    mind = make_mind()
    old = await knows(mind, "Tobin is here", MORNING - 5 * DAY)
    new = await knows(mind, "Tobin is here!", MORNING - HOUR)
    assert [s.memory.id for s in await retrieve(mind, "Tobin", MORNING)] == [new.id, old.id]


async def test_weights_of_the_settings_count(make_mind: MakeMind) -> None:
    mind = make_mind(recency_weight=0, relevance_weight=0)
    await knows(mind, "Tobin mends a chair", MORNING, 1)
    matters = await knows(mind, "The mill is burning", MORNING - 9 * DAY, 9)
    assert (await retrieve(mind, "Tobin mends a chair", MORNING, 1))[0].memory.id == matters.id


async def test_retrieving_touches_and_looking_does_not(make_mind: MakeMind) -> None:
    mind = make_mind()
    memory = await knows(mind, "The pond is high", MORNING - DAY)
    await retrieve(mind, "pond", MORNING, touch=False)
    assert mind.stream.get(memory.id).last_access == MORNING - DAY
    assert not mind.draft.touched
    await retrieve(mind, "pond", MORNING)
    assert mind.stream.get(memory.id).last_access == MORNING
    assert mind.draft.touched == {memory.id: MORNING}


async def test_a_model_that_says_so_is_shown_fewer_memories_and_the_best_of_them(make_mind: MakeMind) -> None:
    for most, expected in ((0, 6), (2, 2), (9, 6)):
        mind = make_mind(ScriptedEngine({}, memories_shown=most))
        matters = await knows(mind, "Tobin mends a chair", importance=9)
        for number in range(7):
            await knows(mind, f"The pond is high, {number}")
        for found in (
            await for_prompt(mind, "say", "Who mends a chair?", MORNING, 6),
            await on_topic(mind, "say", "Who mends a chair?", MORNING, 6),
        ):
            assert len(found) == expected
            assert found[0].memory.id == matters.id
        assert len(await retrieve(mind, "chair", MORNING)) == (most if most == 2 else min(most or 8, 8))


async def test_lines_say_how_long_ago_and_from_whom(make_mind: MakeMind) -> None:
    mind = make_mind()
    await knows(mind, "Mara bakes", 0, source=MemorySource.KNOWN, kind=MemoryKind.SEED)
    await knows(mind, "The mill is sold", MORNING - DAY, source=MemorySource.TOLD, source_person="tobin_hale")
    await knows(mind, 'Tobin said: "Hush"', MORNING - 2 * HOUR, source=MemorySource.HEARD, source_person="tobin_hale")
    await knows(mind, "The pond is high", MORNING - 3 * DAY)
    found = sorted(await retrieve(mind, "anything", MORNING), key=lambda s: s.memory.id)
    assert as_lines(mind, found, MORNING) == [
        "(always) Mara bakes",
        "(yesterday, Tobin Hale said) The mill is sold",
        '(2 hours ago, overheard) Tobin said: "Hush"',
        "(3 days ago) The pond is high",
    ]


@pytest.mark.parametrize("engine", [None, ScriptedEngine({}, weak_at={"say"})])
async def test_where_no_model_is_asked_nothing_is_embedded_for_a_prompt_that_nobody_reads(
    make_mind: Callable[..., Mind], engine: ScriptedEngine | None
) -> None:
    mind = make_mind(engine)
    await mind.remember(["bread"], kind=MemoryKind.OBSERVATION, at=MORNING, importance=[3], source=MemorySource.SEEN)
    assert await for_prompt(mind, "say", "bread", MORNING) == []
    assert await on_topic(mind, "say", "bread", MORNING, 2) == []
    assert bool(await on_topic(mind, "react", "bread", MORNING, 2)) == (engine is not None)
    assert await retrieve(mind, "bread", MORNING)


async def test_of_what_was_said_few_lines_come_to_mind_one_for_each_matter_in_order_and_own_conclusions_first(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({}))
    said = {"kind": MemoryKind.CONVERSATION, "source": MemorySource.TOLD, "source_person": "Ada"}
    for i, text in enumerate(
        ("I like cheese", "my boat is red", "rain falls", "cats purr", "the mill is sold", "the mill is sold, indeed")
    ):
        await mind.remember([f'Ada said: "{text}"'], at=MORNING + i, importance=[9], topics=[MemoryTopic.SAID], **said)  # type: ignore[arg-type]
    await knows(mind, "The pond is high", importance=8)
    await knows(mind, "Ada means well", importance=1, kind=MemoryKind.REFLECTION, source=MemorySource.THOUGHT)
    found = [it.memory for it in await on_topic(mind, "say", "Ada", MORNING + HOUR, 8, few_lines=True)]
    assert [memory.text for memory in found[:2]] == ["Ada means well", "The pond is high"]
    lines = found[2:]
    assert len(lines) == LINES_SHOWN
    assert [memory.created for memory in lines] == sorted(memory.created for memory in lines)
    assert sum("the mill is sold" in memory.text for memory in lines) <= 1


async def test_what_is_concluded_from_a_secret_is_named_as_one(make_mind: MakeMind) -> None:
    mind = make_mind()
    mind.persona = replace(mind.persona, secrets=("Mara owns a red boat",))
    secret = await knows(mind, "Mara owns a red boat", kind=MemoryKind.SEED, source=MemorySource.KNOWN)
    glad = await knows(mind, "Mara is glad of it", kind=MemoryKind.REFLECTION, source=MemorySource.THOUGHT, evidence=(secret.id,))
    more = await knows(mind, "Mara hides it well", kind=MemoryKind.REFLECTION, source=MemorySource.THOUGHT, evidence=(glad.id,))
    plain = await knows(mind, "The pond is high")
    lines = [memory_line(mind, memory, MORNING) for memory in (secret, glad, more, plain)]
    assert ["you keep this to yourself" in line for line in lines] == [True, True, True, False]


async def test_who_walked_by_comes_to_mind_only_when_asked_for(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({}))
    await knows(mind, "Tobin Hale is on the way to the mill", triples=[("Tobin Hale", "is", ON_THE_WAY)])
    assert await on_topic(mind, "say", "Tobin Hale and the mill", MORNING, 5) == []
    assert len(await on_topic(mind, "say", "Where is Tobin Hale?", MORNING, 5)) == 1


async def test_who_told_something_is_named_once(make_mind: MakeMind) -> None:
    mind = make_mind()
    told = {"kind": MemoryKind.CONVERSATION, "source": MemorySource.TOLD, "source_person": "tobin_hale"}
    texts = ["Tobin said that the mill is sold.", "The mill is sold."]
    made = await mind.remember(texts, at=MORNING, importance=[5, 5], **told)  # type: ignore[arg-type]
    assert [memory_line(mind, memory, MORNING) for memory in made] == [
        "(just now) Tobin said that the mill is sold.",
        "(just now, Tobin Hale said) The mill is sold.",
    ]


async def test_what_has_changed_since_is_shown_as_over(make_mind: MakeMind) -> None:
    mind, stove = make_mind(), "millbrook:mara_house:kitchen:stove"
    mind.see(stove, MORNING, "burning")
    seen = {"kind": MemoryKind.OBSERVATION, "source": MemorySource.SEEN, "triples": [(stove, "is", "burning")]}
    (fire,) = await mind.remember(["The stove is burning"], at=MORNING, importance=[8], **seen)  # type: ignore[arg-type]
    assert memory_line(mind, fire, MORNING) == "(just now) The stove is burning"
    mind.see(stove, MORNING + HOUR, "off")
    assert memory_line(mind, fire, MORNING + HOUR) == "(an hour ago, over by now) The stove is burning"


async def test_what_tells_nothing_does_not_come_to_mind_and_asked_for_it_comes_last(make_mind: MakeMind) -> None:
    mind = make_mind(ScriptedEngine({}))
    bare = (
        ("Mara talked with Tobin Hale at 10:15 about this and that.", MemoryTopic.SMALL_TALK),
        ("Mara talked with Tobin Hale in a round of 3.", MemoryTopic.MET),
        ("Tobin Hale is talking with Ines Calder", MemoryTopic.SIGHT),
    )
    for text, topic in bare:
        await knows(mind, text, topics=[topic])
    told = await knows(mind, "Tobin Hale carves a spoon for Ines", MORNING - 5 * DAY)
    grave = await knows(mind, "Tobin Hale is at the mill", importance=8, topics=[MemoryTopic.SIGHT])
    found = await on_topic(mind, "say", "Tobin Hale talked with Mara", MORNING, 4)
    assert {it.memory.id for it in found} == {told.id, grave.id}
    asked = await on_topic(mind, "say", "Whom did Tobin Hale talk with?", MORNING, 4)
    assert {it.memory.id for it in asked[:2]} == {told.id, grave.id}
    assert len(asked) == 4
    assert mind.draft.touched.keys() == {it.memory.id for it in (*found, *asked)}, "only what is shown is brought to mind"
