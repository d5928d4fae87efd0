"""The training text of npc-nano: seeded, readable by the replies' own types, and without what is held out."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice

import pytest

from models.nano import cases, evaluate, examples, ranking
from models.nano.draw import Draw, Split, content, is_held_out_word, of_split, tales
from models.nano.facts import PASSAGE, QuestionAnswer, ask_of, make_fact
from models.nano.mixture import MAKERS, WEIGHTS, samples
from models.nano.people import distinct_names, random_time, someone
from models.nano.questions import act, interview, plan_day
from models.nano.questions.interview import as_i
from models.nano.questions.lookup import lookup
from models.nano.tales import is_own
from npc_server.cognition import plan_rows
from npc_server.evaluation.model.case_files import parse_cases
from npc_server.mind import replies
from npc_server.prompts.load import Prompts
from npc_server.records import MemorySource

NAMES = ("given", "family", "town")


@pytest.mark.parametrize("question", MAKERS)
@pytest.mark.parametrize("split", list(Split))
def test_every_reply_is_read_by_its_own_type(question: str, split: Split) -> None:
    for number in range(25):
        sample = MAKERS[question](Draw(f"test/{number}", split))
        assert sample.question == question
        for turn in sample.turns:
            assert turn.type is not None
            assert turn.type.parse(turn.reply)
            assert turn.reply == turn.type.write(turn.type.parse(turn.reply))


def test_every_question_of_affordable_minds_is_trained_on() -> None:
    asked_otherwise = {"talk_summary", "talk_claims"}  # of minds whose calls are not fuller
    newer = {"replan_day", "again", "talk_round"}  # than its training, and left to instinct by its file
    of_judges = {"rank_answers", "prefer_answer"}  # in `eval`, and of no mind
    wanted = {name for name in Prompts().names() if not name.startswith("ga_")} - asked_otherwise - of_judges - newer
    assert wanted == set(MAKERS) == set(WEIGHTS) - {"lookup"}


def test_the_same_seed_gives_the_same_text() -> None:
    first = [(s.system, s.turns) for s in islice(samples(5, Split.TRAIN), 20)]
    again = [(s.system, s.turns) for s in islice(samples(5, Split.TRAIN), 20)]
    assert first == again
    assert first != [(s.system, s.turns) for s in islice(samples(6, Split.TRAIN), 20)]


def test_training_goes_on_where_it_stopped() -> None:
    whole = [s.system for s in islice(samples(5, Split.TRAIN), 12)]
    later = [s.system for s in islice(samples(5, Split.TRAIN, start=6), 6)]
    assert whole[-3:] == later[-3:] or set(later) & set(whole)


def test_what_instinct_would_do_stands_in_prompts_of_reactions_right_mostly_and_wrong_at_times() -> None:
    drafts = Counter[bool]()
    for number in range(120):
        for one in MAKERS["react"](Draw(f"drafts/{number}")).turns:
            found = re.search(r"right or wrong: (\w+)", one.user)
            if found:
                drafts[found[1] == one.expect[0]] += 1
    assert drafts[True] > 2 * drafts[False] > 10


def test_the_answers_of_lookups_stand_in_their_memories() -> None:
    for number in range(60):
        sample = lookup(Draw(f"lookups/{number}"))
        for turn in sample.turns:
            assert bool(turn.expect) == (turn.kind == "recall")
            for word in turn.expect:
                assert word.lower() in sample.turns[0].user.lower()
                assert word.lower() in turn.reply.lower()


def test_an_answer_does_not_begin_with_a_small_word_made_big() -> None:
    assert interview._begun(QuestionAnswer("", "kilchathbou.", "w", "kilchathbou")) == "It's kilchathbou."
    assert interview._begun(QuestionAnswer("", "the wet key.", "thing", "the wet key")) == "The wet key."
    assert interview._begun(QuestionAnswer("", "Xenia did.", "a", "Xenia")) == "Xenia did."


def test_held_out_names_never_occur_in_training() -> None:
    held = {name for bank in NAMES for name in of_split(bank, content()[bank], Split.HELD_OUT)}
    # A name may be a common word, too: only whole names that no other bank has count.
    common = " ".join(str(bank) for name, bank in content().items() if name not in NAMES)
    held = {name for name in held if not re.search(rf"\b{re.escape(name)}\b", common)}
    assert len(held) > 20
    for sample in islice(samples(3, Split.TRAIN), 400):
        text = "\n".join([sample.system, *(part for turn in sample.turns for part in (turn.user, turn.reply))])
        found = set(re.findall(r"[A-Z][a-z]+", text)) & held
        assert not found, found


def test_each_line_of_a_bank_belongs_to_one_split() -> None:
    for bank in ("place", "hobby", "food", "noun", "verbs", "spot"):
        train, held = (set(of_split(bank, content()[bank], split)) for split in Split)
        assert train
        assert held
        assert not train & held
        assert train | held == set(content()[bank])


def test_invented_words_belong_to_one_split() -> None:
    for split in Split:
        draw = Draw(1, split)
        assert all(is_held_out_word(draw.word()) == (split is Split.HELD_OUT) for _ in range(200))


def test_answers_stand_in_the_memory_that_is_asked_for() -> None:
    draw = Draw("facts")
    people = distinct_names(draw, 5)
    asked = 0
    for _ in range(400):
        fact = make_fact(draw, people)
        found = ask_of(draw, fact)
        if found:
            asked += 1
            assert found.value.lower() in fact.text.lower()
            assert found.value.lower() in found.answer.lower()
            assert found.value.lower() not in found.question.lower()
    assert asked > 200


def test_what_an_answer_rests_on_is_among_the_few_memories_that_are_shown() -> None:
    asked = 0
    for number in range(500):
        sample = interview.interview(Draw(f"alone/{number}"))
        turn = sample.turns[0]
        if len(sample.turns) == 1:
            assert len(sample.about["memories"]) <= ranking.MEMORIES
            if turn.kind == "recall":
                asked += 1
                assert any(value.lower() in turn.user.lower() for value in turn.expect), turn
    assert asked > 80


def test_places_come_as_in_play_what_instinct_would_take_first() -> None:
    first = alone = 0
    for number in range(200):
        sample = act.act(Draw(f"places/{number}"))
        if len(sample.turns) == 1:
            alone += 1
            lines = sample.turns[0].user.split("Places:\n")[1].split("\n\n")[0].splitlines()
            assert len(lines) <= ranking.PLACES
            assert any(line.startswith(f"- {sample.turns[0].expect[0]}") for line in lines)
            first += lines[0].startswith(f"- {sample.turns[0].expect[0]}")
    assert 0.25 < first / alone < 0.9


def test_wanted_lines_take_the_place_of_the_last_others() -> None:
    assert ranking.with_those([1, 2, 3], [3]) == [1, 2, 3]
    assert ranking.with_those([1, 2, 3], [9]) == [1, 2, 9]
    assert ranking.with_those([1, 2, 3], [3, 9]) == [1, 3, 9]
    assert ranking.with_those([], [9]) == [9]


def test_what_cannot_be_known_is_in_no_memory() -> None:
    for number in range(60):
        draw = Draw(f"unknown/{number}")
        people = distinct_names(draw, 4)
        me = someone(draw, people)
        kept = interview.memories(draw, me, random_time(draw), people, 5)
        kind, question, answer, expect = interview.cannot_know(draw, me, [k.fact for k in kept if k.fact], people)
        assert kind == "unknown"
        assert not expect
        assert question not in answer
        assert re.search(r"know|say|heard|idea", answer, re.IGNORECASE)


def test_a_day_holds_what_was_agreed_on_at_its_hour_and_is_in_order() -> None:
    agreed = 0
    for number in range(60):
        sample = plan_day.plan_day(Draw(f"day/{number}"))
        turn = sample.turns[0]
        assert turn.type is not None
        day = turn.type.parse(turn.reply)
        found = re.search(r"get up at (\d+):00 and go to bed at (\d+):00", turn.user)
        assert found
        wake, sleep = (int(hour) * 3600 for hour in found.groups())
        assert plan_rows.disorder([replies.PlannedPart(row.start, row.part, row.activity) for row in day], wake, sleep, (5, 8)) == ""
        starts = [line[:5] for line in turn.reply.split("\n")]
        agreed += len(turn.expect)
        assert all(at in starts for at in turn.expect)
    assert agreed > 10


def test_no_line_of_a_talk_is_said_twice_by_the_same_person() -> None:
    repeated = total = 0
    for number in range(150):
        for turn in MAKERS["say"](Draw(f"talk/{number}")).turns:
            said = turn.reply.split("\n")[0].removeprefix("say: ")
            total += 1
            talk = turn.user.split("What comes to your mind first")[0]  # instinct's draft may well be kept
            repeated += f": {said}\n" in talk
    assert repeated <= total // 50


def test_a_phrase_about_oneself_is_said_in_the_first_person() -> None:
    me = someone(Draw(1), [])
    assert as_i(f"{me.first} loves bread", me) == "I love bread"
    assert as_i(f"{me.name} is a baker", me) == "I am a baker"
    assert as_i(f"{me.first} never watches the sea", me) == "I never watch the sea"
    assert as_i(f"{me.first} has told nobody", me) == "I have told nobody"


def test_held_out_cases_are_cases_of_the_evaluation() -> None:
    made = cases.cases()
    assert made == cases.cases()
    assert cases.FILE.read_text(encoding="utf-8").count("\n") == len(made)
    read = parse_cases("heldout.jsonl", cases.FILE.read_bytes())
    assert len(read) == len(made)


def test_examples_show_the_first_of_each_kind_good_and_bad_with_what_was_wanted() -> None:
    prompt = "long ago\n" * 200 + "What is it?\n\nAnswer with <words>"
    results = [evaluate.Result("recall", True, score, prompt, f"reply {n}", "the fact") for n, score in enumerate((1.0, 0.0, 0.5))]
    results.append(evaluate.Result("react", False, 0.0, "Now?\n\nAnswer with yes|no", "perhaps", "yes"))
    text = examples.markdown(results, 2, "What it says")
    assert text.startswith("# What it says\n\n## recall\n\n1. good\n\n```\n…\n")
    assert ">>> reply 1" in text
    assert "reply 2" not in text
    assert text.count("Wanted:") == 2
    assert "1. does not parse\n\n```\nNow?\n>>> perhaps" in text
    assert all(len(block) < 2 * examples.LONGEST for block in text.split("```"))


def test_a_tale_answers_what_is_asked_of_it_and_no_question_gives_its_answer_away() -> None:
    """What a new tale must keep: `say`, three `asks` or more of two wordings each, and what it leaves open."""
    said = [tale for bank in tales().values() for tale in bank]
    assert len({tale["say"] for tale in said}) == len(said)
    for tale in said:
        slots = set(re.findall(r"{\w+}", tale["say"]))
        assert slots <= {"{a}", "{b}"}, tale["say"]
        assert min(len(tale["asks"]), len(tale["unsaid"])) >= 3, tale["say"]
        for ask in tale["asks"]:
            assert ask["a"].lower() in tale["say"].lower(), ask
            assert len(ask["q"]) >= 2
            for question in ask["q"]:
                assert ask["a"].lower() not in question.lower(), question
        for question in [*tale["unsaid"], *(question for ask in tale["asks"] for question in ask["q"])]:
            assert set(re.findall(r"{\w+}", question)) <= slots, question


def test_what_somebody_tells_of_oneself_is_nobody_elses_memory() -> None:
    own = 0
    for number in range(400):
        draw = Draw(f"own/{number}")
        people = distinct_names(draw, 4)
        me = someone(draw, people)
        for item in interview.memories(draw, me, random_time(draw), people, 4):
            if item.fact and is_own(item.fact.text):
                own += 1
                assert item.person == ""
                assert item.source in (MemorySource.SEEN, MemorySource.KNOWN)
        assert not is_own(make_fact(draw, people, PASSAGE).text)
    assert own > 20
