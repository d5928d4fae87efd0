"""What is wrong with a line. Each check of a language model's line is about what real models do, not about what a line says.

A line in which something is wrong is drawn once more with another seed; after that the next best source speaks.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache

from npc_server.data_files import read_toml
from npc_server.english.same_words import says_the_same
from npc_server.english.text import each_once, lowered, sentences, words_in
from npc_server.llm import thoughts
from npc_server.llm.mend_text import mended
from npc_server.llm.own_lines import CHAT_FILE
from npc_server.mind import secrets
from npc_server.mind.mind import Mind
from npc_server.records import LINE_CHARS, Talk

READ_OUT = 8
"""So many words in a row that stand in the rules of the prompt are read out from it."""
READ_OUT_OF_ALL = 14
"""The same for all that the prompt says of the speaker and the moment: people tell of themselves in nearly these words, but not so many."""
FEWEST_WORDS = 4
"""Words from which on a sentence can repeat another one. Shorter ones, such as a greeting or "I don't know", may."""
FOREIGN = 0.2
"""Share of letters in another script than the persona's from which on a line is in another language."""
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_OPEN_BRACKET = re.compile(r"[(\[][^)\]]*$")
_SAYS_WHO = r"\b(?:I['’]?m|I am|me|it['’]?s|it is|that['’]?s|this is|name['’]?s|name is|named|called|call|ask for|am|for)"
_SENTENCE_END = re.compile(r"[.!?…][\"”’]*$")


@dataclass(frozen=True)
class LineSetting:
    """What a line is checked against."""

    names: tuple[str, ...]
    """The speaker's full name and first name."""
    others: tuple[str, ...]
    """Names of those spoken to."""
    said: tuple[str, ...]
    """Lines of the talk, and the persona's own example lines, which are no answer by themselves."""
    rules: str
    """The prompt's own words, which nobody says."""
    persona: str
    """What the persona's file says: words of it are no assistant's."""
    shown: str = ""
    """All that the prompt says of the speaker and the moment."""


def tidied(text: str, scene: LineSetting, *, truncated: bool) -> str:
    """Return the spoken words of a reply: without names, actions and brackets around it, and without a sentence that was cut off."""
    text = _OPEN_BRACKET.sub("", _BRACKETS.sub(" ", thoughts.spoken(text)))
    text, _ = mended(" ".join(text.split()), LINE_CHARS, scene.names, spoken=True)
    text = each_once(text)
    if truncated and not _SENTENCE_END.search(text):
        whole = sentences(text)[:-1]
        text = " ".join(whole)
    return text.strip()


def wrong(text: str, scene: LineSetting) -> str:
    """Return what is wrong with a line's words, or nothing."""
    if not any(char.isalpha() for char in text):
        return "says nothing"
    if thoughts.ANY.search(text):
        return "holds a thought that is not spoken"
    return _of_prompt(text, scene) or _out_of_role(text, scene) or _said_before(text, scene) or _foreign(text, scene)


def _out_of_role(text: str, scene: LineSetting) -> str:
    plain, own = lowered(text), lowered(f"{scene.persona} {' '.join(scene.said)}")
    found = next((phrase for phrase in _assistant_talk() if phrase in plain and phrase not in own), "")
    if found:
        return f"talks as an assistant: {found!r}"
    for name in scene.others:
        if re.match(rf"{re.escape(name)}\s*:", text, re.IGNORECASE):
            return f"speaks for {name}"
    if _calls_the_other_by_own_name(text, scene.names):
        return "calls the other by the speaker's own name"
    return "tells of the speaker instead of speaking" if _tells_of_the_speaker(text, scene.names) else ""


def _calls_the_other_by_own_name(text: str, names: Collection[str]) -> bool:
    """Whether a line ends with the speaker's own name as one calls somebody: `Good evening, Mr Hale.` `It's me, Tobin.` does not."""
    own = "|".join(re.escape(part) for name in names for part in {name, name.split()[-1]})
    return re.search(rf"(?<!\bme),\s+(?:[A-Z]\w*\.?\s+)?(?:{own})\s*[.!?…]*$", text) is not None


def _tells_of_the_speaker(text: str, names: Collection[str]) -> bool:
    """Whether a line has the speaker's own name in another place than where people say who they are: `I'm Tobin.` `Tobin Hale, joiner.`"""
    own = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    mentions = re.findall(rf"(?<!\w)(?:{own})(?!\w)", text)
    introductions = re.findall(
        rf"(?:(?:^|[.!?…:]\s+|[\"“‘'])|{_SAYS_WHO}[,:]?\s+(?:[\w.]+\s+)?)(?:{own})(?=\s*(?:$|[.,!?…;:\"”’]|(?:here|and|or)\b))(?!['’]s)",
        text,
        re.IGNORECASE,
    )
    return len(mentions) > len(introductions)


@cache
def _assistant_talk() -> tuple[str, ...]:
    return tuple(read_toml(CHAT_FILE)["assistant"]["talk"])


def _of_prompt(text: str, scene: LineSetting) -> str:
    is_read_out = _has_run(text, scene.rules, READ_OUT) or _has_run(text, scene.shown, READ_OUT_OF_ALL)
    return "reads out the prompt" if is_read_out else ""


def _has_run(text: str, source: str, count: int) -> bool:
    """Whether so many words in a row of a text stand in another one."""
    said, other = words_in(text), f" {' '.join(words_in(source))} "
    return any(f" {' '.join(said[start : start + count])} " in other for start in range(len(said) - count + 1))


def _said_before(text: str, scene: LineSetting) -> str:
    """A line that says again what somebody said: whole, or one long sentence of it."""
    if _is_long(text) and any(says_the_same(text, line) for line in scene.said):
        return "says again what was said"
    earlier = [sentence for line in scene.said for sentence in sentences(line) if _is_long(sentence)]
    again = (it for it in sentences(text) if _is_long(it) and any(says_the_same(it, old) for old in earlier))
    return f"says again what was said: {found!r}" if (found := next(again, "")) else ""


def _is_long(sentence: str) -> bool:
    return len(sentence.split()) >= FEWEST_WORDS


def _foreign(text: str, scene: LineSetting) -> str:
    scripts, own = _scripts(text), set(_scripts(f"{scene.persona} {' '.join(scene.said)}"))
    strange = sum(count for script, count in scripts.items() if script not in own)
    return "is in another language" if strange > FOREIGN * max(sum(scripts.values()), 1) else ""


def _scripts(text: str) -> dict[str, int]:
    """How many letters of each script a text has, by the first word of their Unicode names."""
    found: dict[str, int] = {}
    for char in text:
        if char.isalpha():
            script = unicodedata.name(char, "UNKNOWN").split()[0]
            found[script] = found.get(script, 0) + 1
    return found


def wrong_words(mind: Mind, talk: Talk, present: Sequence[str], words: str) -> str:
    """What is wrong with words that nobody wrote for this talk: they tell a secret to who hears them, or a sentence of them was said."""
    heard = [line.text for line in talk.lines if line.speaker != mind.npc]
    return secrets.told(mind, words, [*mind.others_in(talk), *present], heard) or said_in_part(talk, words)


def said_in_part(talk: Talk, text: str) -> str:
    """What is wrong with a text of which one sentence was said in this talk, or nothing."""
    earlier = [sentence for line in talk.lines for sentence in sentences(line.text)]
    long = (sentence for sentence in sentences(text) if _is_long(sentence))
    again = next((sentence for sentence in long if any(says_the_same(sentence, it) for it in earlier)), "")
    return f"says again what was said: {again!r}" if again else ""
