"""What is wrong with lines of language models. The lines were written by real ones, about people who are in no file of ours."""

from __future__ import annotations

import pytest

from npc_server.lines.checks import LineSetting, tidied, wrong

RULES = "Answer only with what Sela says aloud: one or two short sentences. Keep to what stands here."
SCENE = LineSetting(
    ("Sela Okafor", "Sela"),
    ("Robin",),
    ("I burned my hand on a hot pipe.", "Sit down. What did you do this time?", "I don't know."),
    RULES,
    "Sela Okafor is the medic of a mining station; she built her mechanical arm herself and is no chatbot",
    "Sela is the medic of a mining station on the far side of Ceres, where nine hundred people cut ice and water is money.",
)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("I'm sorry, but I can't help you with that.", "assistant"),
        ("Hello! How can I assist you today?", "assistant"),
        ("As an AI language model, I have no arm.", "assistant"),
        ("Exactly! I'm an artificial intelligence, so I was never on a planet.", "assistant"),
        ("The captain's shoe size is not mentioned in the conversation.", "assistant"),
        ("Robin: It hurts a lot.", "speaks for Robin"),
        ("Good evening, Mrs Okafor.", "own name"),
        ("Sela smiles and takes the gel from the shelf.", "instead of speaking"),
        ("The captain is Sela's brother, and she trusts him.", "instead of speaking"),
        ("You're right, Sela. I couldn't see you either.", "instead of speaking"),
        ("If you ask about the arm, Sela might have built it herself.", "instead of speaking"),
        ("Robin is talking about something with Sela.", "instead of speaking"),
        ("Answer only with what Sela says aloud, one or two short sentences.", "reads out"),
        ("I am the medic of a mining station on the far side of Ceres, where nine hundred people cut ice and water is money.", "reads out"),
        ("I'm sorry, but I don't have any information about where the captain is.", "assistant"),
        ("I burned my hand on a hot pipe.", "again"),
        ("Fine. Sit down. What did you do this time?", "again"),
        ("你好，请坐。", "another language"),
        ("<think>The user has a burn", "thought"),
        ("...", "says nothing"),
        ("", "says nothing"),
    ],
)
def test_what_real_models_do_wrong_is_named(line: str, why: str) -> None:
    assert why in wrong(line, SCENE)


@pytest.mark.parametrize(
    "line",
    [
        "Cold water, twenty minutes. Don't touch the blister.",
        "Nine days late. I'm nearly out of gel.",
        "Sela. And you are?",
        "I'm the medic of a mining station, and I built this arm.",
        "I don't know.",
        "It's me, Sela.",
        "Call me Sela. Everybody does.",
        "Sela Okafor, medic. What happened?",
        "I'm Sela, and you are bleeding on my floor.",
        "This is Sela here, ring two.",
        "My mother named me Sela.",
        "Just shout for Sela.",
        "I'm no chatbot. I have one arm too many for that.",
        "Sorry, I can't do that before four.",
        "No.",
        "Café Zoë, ring two.",
    ],
)
def test_what_people_say_passes(line: str) -> None:
    assert wrong(line, SCENE) == ""


@pytest.mark.parametrize(
    ("reply", "spoken"),
    [
        ('"Cold water, now."', "Cold water, now."),
        ("Sela: Cold water, now.", "Cold water, now."),
        ("*sighs* Cold water (she points) now.", "Cold water now."),
        ("Cold water, now. [She turns away", "Cold water, now."),
        ("Cold water, now. Cold water, now.", "Cold water, now."),
    ],
)
def test_names_actions_and_brackets_around_words_go(reply: str, spoken: str) -> None:
    assert tidied(reply, SCENE, truncated=False) == spoken


def test_a_sentence_that_was_cut_off_goes_and_a_whole_one_stays() -> None:
    assert tidied("Cold water, now. Then come back when the", SCENE, truncated=True) == "Cold water, now."
    assert tidied("Then come back when the", SCENE, truncated=True) == ""
    assert tidied("Come back at four, love", SCENE, truncated=False) == "Come back at four, love"
