"""Examples become the messages that the server would send, and their answers are replies that it can read."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.speak import render, worlds
from models.speak.lines import FOLDER
from models.speak.render import Messages, messages
from models.speak.table import as_table, counted, main
from npc_server.errors import ReplyUnreadable
from npc_server.mind.replies import DayRow, Insight, ReactReply, SpokenFreely, TalkOver
from npc_server.prompts.load import PACKAGE_FOLDER, Prompts
from tests.speak.ferry import FERRY, write


@pytest.fixture
def ferry(tmp_path: Path) -> worlds.World:
    write(tmp_path, FERRY)
    return worlds.load("ferry", tmp_path)


def _of(world: worlds.World, kind: str) -> list[Messages]:
    return messages(world, world.of(kind)[0])


@pytest.mark.parametrize("name", worlds.names())
def test_every_answer_is_a_reply_that_the_server_reads(name: str) -> None:
    world = worlds.load(name)
    for kind, written in world.all():
        for made in messages(world, written):
            assert made.kind == kind
            assert made.reply.parse(made.answer), f"{kind}/{written.file}:{written.line}"
            assert made.system
            assert made.user.endswith(made.reply.format_text())


def test_a_talk_gives_one_example_for_each_reply_with_the_dialogue_so_far(ferry: worlds.World) -> None:
    first, second = _of(ferry, worlds.TALKS)
    assert "Visitor: Are you the ferrywoman?" in first.user
    assert "I am. Watch that plank" not in first.user
    assert "You: I am. Watch that plank, it's loose.\nVisitor: I am Robin." in second.user
    assert "You keep this to yourself: She keeps to herself that she was afraid" in second.system
    assert "- Mind the plank." in second.user


def test_a_player_with_a_name_is_called_by_it(ferry: worlds.World) -> None:
    written = ferry.talks[0]
    named = written.example.model_copy(update={"player": "Robin"})
    assert "talking with Robin." in messages(ferry, type(written)("ferry.jsonl", 1, named))[0].user


def test_what_a_reply_agrees_to_is_written_as_the_server_reads_it(ferry: worlds.World) -> None:
    made = _of(ferry, worlds.TALKS)[1]
    spoken = made.reply.parse(made.answer)
    assert isinstance(spoken, SpokenFreely)
    assert made.answer.startswith("agrees: yes, Tuesday 12:00 at the landing to meet Visitor\n")
    assert spoken.agrees.comes


def test_an_agreement_without_an_hour_is_none(ferry: worlds.World) -> None:
    assert render._agreed("Saturday at the chapel", "Ann") is None


def test_each_side_of_a_meeting_is_told_what_only_it_knows(ferry: worlds.World) -> None:
    hanne, joost, again, _ = _of(ferry, worlds.MEETINGS)
    assert "You are Hanne Brook, " in hanne.system
    assert "You wanted to talk about: the rope" in hanne.user
    assert "You are Joost Vane, " in joost.system
    assert "The rope was frayed." in hanne.user
    assert "The rope was frayed." not in joost.user
    assert "Joost bought tar." in joost.user
    assert "You: Joost, the rope is frayed.\nJoost Vane: I have tar at home." in again.user
    assert "You wanted to talk about" not in again.user
    assert not hanne.answer.startswith("agrees: "), "who speaks first is asked for nothing to agree to"
    assert joost.answer.startswith("agrees: ")


def test_a_day_is_asked_for_as_many_lines_as_the_server_would(ferry: worlds.World) -> None:
    (made,) = _of(ferry, worlds.DAYS)
    assert "You get up at 06:00 and go to bed at 21:00." in made.user
    assert "- 12:00 row Robin over" in made.user
    rows = made.reply.parse(made.answer)
    assert rows[0] == DayRow(6 * 3600, "open the ferry", "bail out the boat")


def test_a_reaction_offers_talk_only_where_somebody_is_near(ferry: worlds.World) -> None:
    (made,) = _of(ferry, worlds.REACTIONS)
    assert made.reply.parse(made.answer) == ReactReply("talk", 1, "the hole in the boat")
    assert "- talk: you walk up to Joost Vane" in made.user
    alone = ferry.reactions[0].example.model_copy(update={"other": None, "reaction": "continue", "what": ""})
    (made,) = messages(ferry, type(ferry.reactions[0])("ferry.jsonl", 1, alone))
    assert "you walk up to" not in made.user
    assert "\nreaction: continue, wait or change\n" in made.user
    assert made.answer == "reaction: continue\nminutes: 1\nwhat: nothing"


def test_a_mood_is_felt_in_the_prompt(ferry: worlds.World) -> None:
    written = ferry.reactions[0]
    afraid = written.example.model_copy(update={"mood": "afraid", "because": "the boat has a hole"})
    assert "You feel afraid" in messages(ferry, type(written)("ferry.jsonl", 1, afraid))[0].user


def test_a_summary_shows_the_talk_that_it_refers_to(ferry: worlds.World) -> None:
    (made,) = _of(ferry, worlds.SUMMARIES)
    assert "Robin: I am Robin. Take me over at noon?\nYou: At noon then, Robin." in made.user
    over = made.reply.parse(made.answer)
    assert isinstance(over, TalkOver)
    assert over.promised == "Hanne promised Robin to row over at noon."


def test_a_reflection_is_two_questions_the_second_with_numbered_memories(ferry: worlds.World) -> None:
    asked, concluded = _of(ferry, worlds.REFLECTIONS)
    assert "- The rope was frayed." in asked.user
    assert "1. (yesterday) The rope was frayed." in concluded.user
    assert "- Can I trust Joost with the rope?" in concluded.user
    insight = concluded.reply.parse(concluded.answer)[0]
    assert insight == Insight("Joost looks after the rope better than I do", (1, 2))


def test_an_answer_that_the_server_could_not_read_is_an_error(ferry: worlds.World) -> None:
    written = ferry.reactions[0]
    wrong = written.example.model_copy(update={"what": "one | two"})
    with pytest.raises(ReplyUnreadable, match="separates fields"):
        messages(ferry, type(written)("ferry.jsonl", 1, wrong))


def test_other_wording_of_a_template_is_rendered_without_a_change_here(
    ferry: worlds.World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (PACKAGE_FOLDER / "react.prompt").read_text(encoding="utf-8").replace("Does it interrupt you?", "Well? {{ weather }}")
    (tmp_path / "react.prompt").write_text(text, encoding="utf-8")
    monkeypatch.setattr(render, "_prompts", lambda: Prompts([tmp_path]))
    monkeypatch.setattr(render, "_values_of", lambda question: frozenset({"weather"}))
    (made,) = _of(ferry, worlds.REACTIONS)
    assert "\nWell? " in made.user
    assert made.without == ("weather",)


def test_the_table_counts_examples_answers_and_tokens_of_each_kind(ferry: worlds.World) -> None:
    counts = counted([ferry], lambda texts: [len(text.split()) for text in texts])
    assert {kind: (it.examples, len(it.answers)) for kind, it in counts.items()} == {
        "talks": (1, 2),
        "meetings": (1, 4),
        "days": (1, 1),
        "reactions": (1, 1),
        "summaries": (1, 1),
        "reflections": (1, 2),
    }
    row = next(line for line in as_table(counts).splitlines() if line.startswith("reactions"))
    assert row.split()[-1] == str(counts["reactions"].prompts[0] + counts["reactions"].answers[0])


def test_the_table_command_shows_one_example(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, FERRY)
    assert main(["reactions", "ferry", "1"], tmp_path) == 0
    assert "--- answer\nreaction: talk" in capsys.readouterr().out
    assert main(["reactions", "ferry", "2"], tmp_path) == 2
    assert "reactions/ferry.jsonl has no line 2" in capsys.readouterr().err
    assert main(["moods"], FOLDER) == 2
    assert "Kinds: talks, meetings" in capsys.readouterr().err
