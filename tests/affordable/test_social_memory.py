"""Social Memory is revised while a talk goes on, and no line is asked about twice (AGA, section 3.2)."""

from __future__ import annotations

from collections.abc import Callable

from npc_server.affordable import social_memory
from npc_server.cognition import remember_talk
from npc_server.llm.engine import Request
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind import relationships
from npc_server.mind.mind import Mind
from npc_server.mind.snapshot import restore, snapshot
from npc_server.records import Talk
from tests.cognition.gossip import talk
from tests.minds import MORNING

MakeMind = Callable[..., Mind]
TOBIN, MARA = "tobin_hale", "mara_voss"


def long_talk(lines: int) -> Talk:
    """Tobin and Mara speak in turn. Each line has a word of its own."""
    return talk(*(((TOBIN, MARA)[i % 2], f"Line {i} is about {word}.") for i, word in zip(range(lines), WORDS, strict=False)))


WORDS = "apples boats clocks doors eggs ferns gates hats inns jars kites lamps".split()  # noqa: SIM905


def summing_up(close: int = 6) -> ScriptedEngine:
    """Counts how often it sums up; importance is always 3."""
    count = 0

    def answer(request: Request) -> str:
        nonlocal count
        if request.stage != "talk_over":
            return "3"
        count += 1
        return (
            f"about: Part {count} of the talk.\nrelation: neighbour\nfeeling: She is glad of him.\n"
            f"between: Summary {count}.\ncloseness: {close}\ntold: Fact {count} is true."
        )

    return ScriptedEngine(answer)


def asked(engine: ScriptedEngine) -> list[str]:
    return [request.user for request in engine.requests if request.stage == "talk_over"]


async def speak(mind: Mind, lines: int) -> None:
    """The talk grows line by line, and then it is over."""
    for count in range(1, lines + 1):
        await social_memory.revise_during(mind, long_talk(count), MORNING)
    await remember_talk.remember(mind, long_talk(lines), MORNING)


async def test_a_talk_that_has_grown_is_summed_up_while_it_goes_on(make_mind: MakeMind) -> None:
    engine = summing_up()
    mind = make_mind(engine, social_memory_lines=4)
    for count in range(1, 5):
        assert TOBIN not in mind.relationships.social
        await social_memory.revise_during(mind, long_talk(count), MORNING)
    assert mind.relationships.social[TOBIN].between == "Summary 1."
    assert "Summary 1." in relationships.line(mind, TOBIN), "the next line rests on it"
    assert len(asked(engine)) == 1


async def test_no_line_is_asked_about_twice(make_mind: MakeMind) -> None:
    engine = summing_up()
    await speak(make_mind(engine, social_memory_lines=4), 10)
    for i, word in enumerate(WORDS[:10]):
        assert [f"about {word}" in user for user in asked(engine)].count(True) == 1, f"line {i}"
    assert len(asked(engine)) == 3
    assert "The beginning of the conversation: Part 1 of the talk.\nThe rest of it:\n" in asked(engine)[1]


async def test_after_the_talk_the_facts_of_all_its_parts_are_remembered(make_mind: MakeMind) -> None:
    mind = make_mind(summing_up(), social_memory_lines=4)
    await speak(mind, 10)
    texts = [memory.text for memory in mind.stream.latest(9)]
    assert {"Fact 1 is true.", "Fact 2 is true.", "Fact 3 is true.", "Part 3 of the talk."} <= set(texts)
    assert mind.relationships.social[TOBIN].between == "Summary 3."
    assert relationships.unseen(mind, mind.relationships.social[TOBIN]) == []


async def test_a_talk_that_ends_right_after_a_revision_is_not_asked_about_again(make_mind: MakeMind) -> None:
    engine = summing_up()
    mind = make_mind(engine, social_memory_lines=4)
    await speak(mind, 4)
    assert len(asked(engine)) == 1
    assert {"Part 1 of the talk.", "Fact 1 is true."} <= {memory.text for memory in mind.stream.latest(9)}
    assert relationships.unseen(mind, mind.relationships.social[TOBIN]) == []


async def test_what_comes_after_a_revision_is_rated_even_if_it_is_only_ones_own_line(make_mind: MakeMind) -> None:
    engine = summing_up()
    mind = make_mind(engine, social_memory_lines=3)
    await social_memory.revise_during(mind, long_talk(3), MORNING)
    await remember_talk.remember(mind, long_talk(4), MORNING)
    assert mind.relationships.social[TOBIN].between == "Summary 2."
    assert "about doors" in asked(engine)[-1]


async def test_a_short_talk_is_asked_about_once_and_so_is_every_talk_where_the_setting_is_0(make_mind: MakeMind) -> None:
    for settings, lines in (({}, 5), ({"social_memory_lines": 0}, 12)):
        engine = summing_up()
        await speak(make_mind(engine, **settings), lines)
        assert len(asked(engine)) == 1


async def test_without_an_answer_nothing_changes_and_the_model_is_asked_again_only_after_some_lines(make_mind: MakeMind) -> None:
    engine = ScriptedEngine(lambda request: "?")
    mind = make_mind(engine, social_memory_lines=4)
    for count in range(1, 8):
        await social_memory.revise_during(mind, long_talk(count), MORNING)
    assert mind.relationships.social == {}
    assert len(asked(engine)) == 2, "one question, in two attempts"
    await remember_talk.remember(mind, long_talk(7), MORNING)
    assert all(f"about {word}" in asked(engine)[-1] for word in WORDS[:7])


async def test_instinct_alone_revises_only_after_the_talk(make_mind: MakeMind) -> None:
    mind = make_mind(social_memory_lines=1)
    await social_memory.revise_during(mind, long_talk(4), MORNING)
    assert mind.relationships.social == {}


async def test_closeness_moves_by_two_at_most_in_one_talk_however_often_it_is_summed_up(make_mind: MakeMind) -> None:
    mind = make_mind(summing_up(close=10), social_memory_lines=2)
    before = relationships.closeness(mind, TOBIN)
    await speak(mind, 12)
    assert relationships.closeness(mind, TOBIN) == before + relationships.MOST_MOVE


async def test_another_talk_begins_anew_and_a_broken_one_leaves_nothing(make_mind: MakeMind) -> None:
    engine = summing_up()
    mind = make_mind(engine, social_memory_lines=4)
    before = snapshot(mind)
    await social_memory.revise_during(mind, long_talk(4), MORNING)
    restore(mind, before)
    assert (mind.relationships.social, mind.relationships.summed_up) == ({}, {})
    await speak(mind, 4)
    await speak(mind, 5)
    assert len(asked(engine)) == 4
    assert "about apples" in asked(engine)[2]
