"""My next line of a conversation, by the dialogue act of the line before it."""

from __future__ import annotations

from models.nano.people import in_voice
from npc_server.mind.replies import LEAVE, STAY
from npc_server.personas.names import first_name

from .conversation import LONG, Conversation, joined, not_known, small, telling

FOLLOW = (
    "Really? When was that?",
    "Who told you that?",
    "Are you sure about that?",
    "And what happens now?",
    "What do you think will come of it?",
    "Since when?",
)


def my_line(talk: Conversation, last: bool) -> tuple[str, str]:
    """My next line, and whether I leave with it."""
    heard, answer = talk.act, _my_answer(talk)
    if last or heard == "bye" or len(talk.lines) >= LONG:
        talk.act = "bye"
        return joined(*answer, talk.draw.said(talk.me.manner.bye, you=first_name(talk.others[0]))), LEAVE
    if answer:
        return joined(*answer), STAY
    if heard in ("", "greet", "how") and not talk.has_spoken(talk.me.name):
        parts, is_whole = _my_greeting(talk, heard)
    else:
        parts, is_whole = _my_reply(talk, heard)
    return joined(*parts, *([] if is_whole else _my_own(talk))), STAY


def _my_answer(talk: Conversation) -> list[str]:
    """My answer to a question or a subject; empty when the other brought up neither."""
    if talk.act not in ("question", "subject"):
        return []
    asked, talk.act = talk.act, "answer"
    if asked == "question":
        return [talk.subject["answer"]]
    return [telling(talk, talk.source) if talk.source else not_known(talk)]


def _my_greeting(talk: Conversation, heard: str) -> tuple[list[str], bool]:
    """My first words, and whether they are the whole line."""
    draw = talk.draw
    parts = [draw.said(talk.me.manner.greet, you=first_name(talk.others[0]))]
    if heard == "how":
        parts.append(talk.said("fine"))
    if talk.about:
        talk.act = "topic"
        return [*parts, talk.said("about_open", about=talk.about)], True
    if heard and not draw.chance(0.5):
        return parts, False
    talk.act = "greet"
    if draw.chance(0.4) and heard != "how" and "?" not in parts[0]:
        parts.append(talk.said("how_are_you"))
        talk.act = "how"
    return parts, True


def _my_reply(talk: Conversation, heard: str) -> tuple[list[str], bool]:
    """My reply to the other's dialogue act, and whether it is the whole line."""
    draw, manner = talk.draw, talk.me.manner
    if heard == "how":
        return [in_voice(draw, manner, talk.said("fine"), 0.3)], False
    if heard == "news":
        return _on_news(talk)
    if heard in ("invite", "feel"):
        talk.act = "small"
        bank = "feel" if heard == "feel" else "accept" if draw.chance(0.7) else "decline"
        return [in_voice(draw, manner, talk.said(bank, **talk.subject), 0.4 if heard == "feel" else 0.2)], True
    if heard == "sad":
        talk.act = "small"
        return [talk.said("comfort")], True
    if heard in ("small", "answer", "topic", "greet") and draw.chance(0.5):
        return [talk.said("agree")], False
    return [], False


def _on_news(talk: Conversation) -> tuple[list[str], bool]:
    """Surprise, and a related memory or a question; and whether that is the whole line."""
    parts = [talk.said("surprise")]
    if talk.source:
        return [*parts, telling(talk, talk.source)], True
    if talk.draw.chance(0.35) and not talk.news:
        talk.act = "follow"
        return [*parts, talk.draw.one(FOLLOW)], True
    return parts, False


def _my_own(talk: Conversation) -> list[str]:
    """What I say unasked: the topic I came for, my news, or small talk."""
    draw = talk.draw
    if talk.about and talk.unsaid(talk.about) and draw.chance(0.8):
        talk.act = "topic"
        return [talk.said("about_open", about=talk.about)]
    if talk.news and talk.news.fact:
        found = telling(talk, talk.news)
        talk.news, talk.act = None, "news"
        return [found]
    parts = [small(talk)]
    talk.act = "small"
    if draw.chance(0.25):
        parts.append(talk.said("ask_back"))
        talk.act = "how"
    return parts
