"""The evaluation over an engine that says what the test wants: right replies score, wrong ones do not, and nothing stops it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from npc_eval.benchmarks.engine import EngineSpeed, measure
from npc_eval.model import report, run
from npc_eval.model.case_files import default_cases, parse_cases
from npc_eval.model.cases import Case
from npc_eval.model.minds import Minds
from npc_eval.model.results import KindResult, ModelResult
from npc_eval.model.run import AS_IN_PLAY, EvaluationOptions
from npc_eval.random_model import make_random_model
from npc_server.config import EngineSettings, MindSettings
from npc_server.errors import ModelDied
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.engine import Completion, Engine, EngineStatus, Likelihood, OnText, Request
from npc_server.llm.no_model import NoModelEngine
from npc_server.llm.scripted import ScriptedEngine
from npc_server.llm.start import open_engine
from npc_server.llm.worker import LlamaEngine

KNOWS = {"kind": "recall", "npc": "Mara Voss", "memories": ["Tobin Hale broke his chisel"], "question": "Who broke a chisel?"}
RECALL = {**KNOWS, "expect": ["Tobin"], "never": ["Ines"]}
UNKNOWN = {**KNOWS, "question": "Who won the race?", "expect": None}
PLACE = {
    "kind": "place",
    "npc": "Mara Voss",
    "activity": "bake bread",
    "offered": [{"address": "town:cafe:kitchen:oven", "can": ["bake"]}, {"address": "town:park:bench", "can": ["sit"]}],
    "expect": ["town:cafe:kitchen:oven"],
}
REACT = {"kind": "react", "npc": "Mara Voss", "doing": "reading", "observation": "The curtain is on fire", "expect": "change"}
TALK = {"kind": "react", "npc": "Mara Voss", "doing": "reading", "observation": "Tobin Hale is waving", "expect": "talk"}
SAY = {
    "kind": "say",
    "npc": "Mara Voss",
    "to": "Tobin Hale",
    "memories": ["The ferry leaves at noon"],
    "heard": "When does the ferry leave?",
    "expect": ["noon"],
    "never": ["morning"],
}
DIALOGUE = {"kind": "dialogue", "npc": "Mara Voss", "with": {"npc": "Tobin Hale"}, "about": "the mill", "topic": ["mill", "wheel"]}
INVITATION = {
    "kind": "invitation",
    "npc": "Mara Voss",
    "from": "Ada Finch",
    "relation": "close friend",
    "heard": ["There is a party at the mill on Friday at 19:00!"],
    "places": [{"address": "town:mill", "name": "the mill"}, {"address": "town:inn", "name": "the inn"}],
    "now": "2026-05-04 10:00",
    "at": "2026-05-08 19:00",
    "place": "town:mill",
}
INSIGHTS = {
    "kind": "insights",
    "npc": "Mara Voss",
    "memories": ["Tobin Hale sang", "Tobin Hale bought a lute", "It rained"],
    "supports": [{"words": ["music"], "memories": [1, 2]}, {"words": ["weather"], "memories": [3]}],
}


def cases_of(*rows: dict[str, Any]) -> list[Case]:
    return parse_cases("test", "\n".join(json.dumps(row) for row in rows).encode())


async def rows_of(engine: Engine, *rows: dict[str, Any], **options: Any) -> dict[str, KindResult]:
    minds = Minds(MindSettings(), HashedWordsEmbedder(), 7)
    found = await run.evaluate(engine, minds, cases_of(*rows), EvaluationOptions(**options))
    return {row.kind: row for row in found}


async def score(rows: Sequence[dict[str, Any]], replies: dict[str, str]) -> KindResult:
    """The kind's result when each question gets the same reply."""
    return next(iter((await rows_of(ScriptedEngine(lambda request: replies[request.stage]), *rows, parse=False)).values()))


@pytest.mark.parametrize(
    ("case", "reply", "right"),
    [
        (RECALL, "That was Tobin, I saw it.", True),
        (RECALL, "That was Ines.", False),
        (RECALL, "Tobin or Ines, one of them.", False),
        (RECALL, "I don't know.", False),
        (UNKNOWN, "I don't know.", True),
        (UNKNOWN, "Tobin won it.", False),
    ],
)
async def test_recall_looks_for_the_fact_and_for_the_admission(case: dict[str, Any], reply: str, right: bool) -> None:
    row = await score([case], {"interview": reply})
    assert row.score == float(right)
    assert row.parts == {"knows" if case["expect"] else "does not know": (1, float(right))}


async def test_importance_is_scored_by_rank_over_all_cases() -> None:
    lines = {"brushing teeth": 1, "a lost key": 4, "a wedding": 8, "a death": 10}
    rows = [{"kind": "importance", "memory": f"Mara heard of {text}", "expect": value} for text, value in lines.items()]

    def rated(change: Callable[[int], int]) -> ScriptedEngine:
        return ScriptedEngine(lambda request: str(change(next(v for text, v in lines.items() if text in request.user.split("1. ")[1]))))

    same = (await rows_of(rated(lambda v: max(1, v - 2) if v > 1 else 1), *rows, parse=False))["importance"]
    assert same.score == pytest.approx(1.0)
    assert same.parts["mean error, in steps of 10"] == (4, 1.5)
    assert (await rows_of(rated(lambda v: 11 - v), *rows, parse=False))["importance"].score == pytest.approx(-1.0)
    assert (await rows_of(rated(lambda v: 5), *rows, parse=False))["importance"].score == 0.0


async def test_ratings_that_are_lost_count_against_importance() -> None:
    rows = [{"kind": "importance", "memory": f"Mara heard of {n} deaths", "expect": n} for n in range(1, 9)]
    engine = ScriptedEngine(lambda request: n if int(n := request.user.split("heard of ")[1].split()[0]) % 2 else "no number")
    row = (await rows_of(engine, *rows, parse=False))["importance"]
    assert row.score == pytest.approx(0.5)
    assert row.failed == 4


async def test_place_is_the_address_that_was_chosen() -> None:
    deed = "place: {}\ndoes: {}\nsentence: Mara is busy\nemoji: 🥐"
    assert (await score([PLACE], {"act": deed.format("cafe:kitchen:oven", "bake")})).score == 1.0
    assert (await score([PLACE], {"act": deed.format("park:bench", "sit")})).score == 0.0


@pytest.mark.parametrize(
    ("case", "reaction", "right"),
    [(REACT, "change", True), (REACT, "continue", False), (REACT, "wait", False), (TALK, "talk", True), (TALK, "change", False)],
)
async def test_react_is_the_label(case: dict[str, Any], reaction: str, right: bool) -> None:
    row = await score([case], {"react": f"reaction: {reaction}\nminutes: 5\nwhat: put out the fire"})
    assert row.score == float(right)


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("At noon, Tobin. Hurry!", ""),
        ("At noon, says Lucinda.", "names nothing else"),
        ("At noon, not in the morning.", "says nothing wrong"),
        ("I could not say.", "says what is wanted"),
    ],
)
async def test_say_names_nobody_else_and_says_what_is_wanted(line: str, wrong: str) -> None:
    row = await score([SAY], {"say": f"say: {line}\nthen: go on"})
    assert row.score == float(not wrong)
    assert {name for name, (_, value) in row.parts.items() if not value} == ({wrong} if wrong else set())


def dialogue_of(lines: Sequence[str]) -> Callable[[Request], str]:
    left = iter(lines)
    return lambda request: next(left)


GOOD_TALK = ["say: The mill is broken.\nthen: go on", "say: Its wheel, too?\nthen: go on", "say: Yes. Bye!\nthen: leave"]


@pytest.mark.parametrize(
    ("lines", "wrong"),
    [
        ([*GOOD_TALK, "say: See you.\nthen: leave"], ""),
        ([*GOOD_TALK[:2], *[GOOD_TALK[0]] * 2, *GOOD_TALK[2:], "say: See you.\nthen: leave"], "no repeated line"),
        (
            ["say: Nice day.\nthen: go on", "say: Its wheel?\nthen: go on", "say: Bye!\nthen: leave", "say: See you.\nthen: leave"],
            "on the topic",
        ),
        ([f"say: The mill, {word}, and the wheel.\nthen: go on" for word in "one red old new big dry wet odd".split()], "ends"),  # noqa: SIM905
    ],
)
async def test_a_dialogue_does_not_repeat_itself_stays_on_the_topic_and_ends(lines: list[str], wrong: str) -> None:
    found = await rows_of(ScriptedEngine(dialogue_of(lines)), DIALOGUE, parse=False)
    row = found["dialogue"]
    assert row.parts[wrong][1] == 0.0 if wrong else row.score == 1.0
    assert row.score == float(not wrong)


OVER = "about: Mara talked with Ada\nrelation: close friend\nfeeling: Mara likes Ada\nbetween: Ada gives a party\ncloseness: 9\ntold: {}"
DAY = [
    "07:00 | morning | get up",
    "08:00 | morning | work",
    "10:00 | morning | sweep the yard",
    "12:30 | noon | eat",
    "13:00 | afternoon | work",
    "17:00 | late afternoon | rest",
    "18:50 | evening | {}",
    "21:00 | night | read",
]


@pytest.mark.parametrize(
    ("agrees", "evening", "kept", "planned"),
    [
        ("yes, Friday 19:00 at the mill to go to the party", "go to the party", 1.0, 1.0),
        ("yes, Friday 19:00 at the inn to go to the party", "go to the party", 0.0, 0.0),
        ("yes, Friday 15:00 at the mill to go to the party", "go to the party", 0.0, 0.0),
        ("no", "rest", 0.0, 0.0),
        ("yes, Friday 19:00 at the mill to go to the party", "darn socks", 1.0, 0.0),
    ],
)
async def test_an_invitation_must_be_kept_with_hour_and_place_and_stand_in_the_day(
    agrees: str, evening: str, kept: float, planned: float
) -> None:
    replies = {
        "say": f"say: Let me think.\nthen: go on\nagrees: {agrees}",
        "talk_over": OVER.format("nothing"),
        "plan_day": "\n".join(DAY).format(evening),
        "importance": "5",
    }
    row = await score([INVITATION], replies)
    assert row.failed == 0, row.cases[0].failed
    assert row.parts["kept with hour and place"][1] == kept
    assert row.score == kept * planned


@pytest.mark.parametrize(("topic", "cited", "right"), [("music", "lute", 1.0), ("music", "rained", 0.0), ("cheese", "lute", 0.0)])
async def test_insights_must_cite_what_supports_them(topic: str, cited: str, right: float) -> None:
    def reply(request: Request) -> str:
        if request.stage == "reflect_questions":
            return "\n".join(["What does Tobin Hale love?", "Who sings?", "What is new?"])
        if request.stage == "reflect_insights":
            number = next(m[1] for m in re.finditer(r"^(\d+)\. (.*)$", request.user, re.MULTILINE) if cited in m[2])
            return f"Tobin is fond of {topic} | {number}"
        return "5"

    row = (await rows_of(ScriptedEngine(reply), INSIGHTS, parse=False))["insights"]
    assert row.score == right


async def test_a_model_that_talks_nonsense_scores_nothing_and_stops_nothing() -> None:
    rows: list[dict[str, Any]] = [
        RECALL,
        UNKNOWN,
        PLACE,
        REACT,
        TALK,
        SAY,
        DIALOGUE,
        INVITATION,
        INSIGHTS,
        {"kind": "importance", "memory": "x", "expect": 5},
    ]
    # Words with a label are a line, which then scores nothing for its sense. Without one they are none.
    for nonsense, lost in (
        ("", 1),
        ("\n\n", 1),
        ("qqq " * 300, 1),
        ("say: " + "qqq " * 300, 0),
        ("|||", 1),
        ("say: \x07", 1),
        ("Ω" * 10, 1),
    ):
        found = await rows_of(ScriptedEngine(lambda request, text=nonsense: text), *rows)  # type: ignore[misc]
        assert [row.score for kind, row in found.items() if kind != "parse"] == [0.0] * 8, nonsense
        assert found["say"].failed == lost, nonsense


async def test_instincts_answer_in_place_of_a_lost_reply_scores_nothing() -> None:
    case = {**REACT, "observation": "A leaf is falling", "expect": "continue"}
    row = (await rows_of(ScriptedEngine(lambda request: "garbage"), case, parse=False))["react"]
    assert (row.score, row.failed) == (0.0, 1)
    assert row.parts == {AS_IN_PLAY: (1, 1.0)}  # and the player sees this all the same
    row = (await rows_of(NoModelEngine("none"), case))["react"]
    assert (row.score, row.failed) == (1.0, 0)  # instinct, measured as itself, goes on


async def test_parsing_is_measured_without_the_grammar() -> None:
    def reply(request: Request) -> str:
        if not request.free:
            return "Tobin did." if request.stage == "interview" else "say: Well.\nthen: go on"
        return "Tobin did." if request.stage == "interview" else "Well."

    engine = ScriptedEngine(reply)
    found = await rows_of(engine, RECALL, SAY)
    assert found["parse"].n == 2
    assert found["parse"].parts == {"interview": (1, 1.0), "say": (1, 0.0)}
    assert [free.wrong for free in found["parse"].free if free.stage == "say"] != [""]
    assert [asked.request.free for asked in engine.asked] == [False, False, True, True]


async def test_without_grammar_everything_is_asked_so_and_nothing_twice() -> None:
    engine = ScriptedEngine(lambda request: "Tobin did.")
    found = await rows_of(engine, RECALL, grammar=False)
    assert [asked.request.free for asked in engine.asked] == [True]
    assert found["recall"].score == found["parse"].score == 1.0


class Dying:
    """A process that ends at every question, and is started again."""

    def __init__(self, answers_between: bool = False) -> None:
        self.asked = self.lives = 0
        self.answers_between = answers_between

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        self.asked += 1
        if self.answers_between and self.asked % 2:
            return Completion("Tobin did.", 10, 0, 3, 1.0)
        self.lives += 1
        raise ModelDied("The model process ended while it answered.", "Ask again.")

    async def score(self, request: Request, given: str, texts: Sequence[str]) -> list[Likelihood]:
        raise ModelDied("The model process ended while it answered.", "Ask again.")

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text) for text in texts]

    def status(self) -> EngineStatus:
        return EngineStatus(ready=False, model="dying", context_tokens=8192, restarts=self.lives)

    def try_again(self) -> None:
        pass

    async def close(self) -> None:
        pass


async def test_a_model_that_dies_at_every_question_is_given_up() -> None:
    engine = Dying()
    found = await rows_of(engine, *[RECALL] * 40, at_once=1)
    assert found["recall"].score == 0.0
    assert found["recall"].failed == 40
    assert engine.asked == 4


async def test_a_model_that_dies_now_and_then_is_asked_on() -> None:
    engine = Dying(answers_between=True)
    found = await rows_of(engine, *[RECALL] * 40, at_once=1, parse=False)
    assert found["recall"].score == pytest.approx(0.5)
    assert engine.asked == 40


def test_a_limit_draws_the_same_cases_from_the_same_seed() -> None:
    found = default_cases(["say", "react"])
    some = run.choose_cases(found, ["say", "react"], 5, 7)
    assert [case.kind for case in some] == ["say"] * 5 + ["react"] * 5
    assert some == run.choose_cases(found, ["say", "react"], 5, 7)
    assert some != run.choose_cases(found, ["say", "react"], 5, 8)


async def test_the_json_has_n_score_and_each_case_with_its_reply() -> None:
    found = await rows_of(ScriptedEngine(lambda request: "That was Tobin."), RECALL, UNKNOWN, parse=False)
    result = ModelResult("mine.gguf", 1.0, 0.2, 7, True, 0.7, tuple(found.values()), EngineSpeed())
    made = json.loads(json.dumps(report.as_json(result)))["kinds"]["recall"]
    assert (made["n"], made["score"]) == (2, 0.5)
    assert made["parts"]["knows"] == {"n": 1, "value": 1.0, "goal": 0.95}
    first = made["cases"][0]
    assert {"reply": "That was Tobin.", "score": 1.0, "question": "Who broke a chisel?"}.items() <= first.items()
    assert first["memories"] == ["Tobin Hale broke his chisel"]


@pytest.mark.model
async def test_a_random_model_runs_through_every_kind_and_scores_next_to_nothing(tmp_path: Path) -> None:
    path = make_random_model(tmp_path / "random.gguf")
    engine = await open_engine(EngineSettings(model=str(path), threads=1), log_file=tmp_path / "model.log")
    assert isinstance(engine, LlamaEngine)
    try:
        cases = run.choose_cases(default_cases(), list(run.QUESTIONS), 1, 7)
        rows = await run.evaluate(engine, Minds(MindSettings(), HashedWordsEmbedder(), 7), cases, EvaluationOptions())
        speed = await measure(engine, 0.1, engine.process.pid)
    finally:
        await engine.close()
    found = {row.kind: row for row in rows}
    assert set(found) == {*run.QUESTIONS, "parse"}
    assert all(found[kind].score == 0.0 for kind in ("recall", "say", "dialogue", "invitation", "insights"))
    assert found["parse"].score < 0.2
    assert found["importance"].failed == 0
    assert found["parse"].parts["importance"][1] == 0.0  # one number fits the grammar; a free reply rambles on
    assert [(row.kind, row.reply_tokens, row.prompt_tokens) for row in rows if row.reply_tokens == 0 or row.prompt_tokens <= 50] == []
    assert min(speed.prefill, speed.decode, speed.together) > 0


async def test_as_in_play_instincts_answers_count_and_what_is_left_to_it_is_not_asked() -> None:
    case = {**REACT, "observation": "A leaf is falling", "expect": "continue"}
    engine = ScriptedEngine(lambda request: "garbage", weak_at=("interview",))
    found = await rows_of(engine, case, RECALL, parse=False, in_play=True)
    assert (found["react"].score, found["react"].failed, found["react"].parts) == (1.0, 0, {})
    assert {request.stage for request in engine.requests} == {"react"}
