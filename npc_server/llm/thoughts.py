"""What models think to themselves before they answer, and the marks around it. Nobody says or hears a thought."""

from __future__ import annotations

import re

MARKS = (
    ("<think>", "</think>"),  # Qwen, DeepSeek, GLM, SmolLM
    ("<thinking>", "</thinking>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),  # Command
    ("[THINK]", "[/THINK]"),  # Magistral
    ("<seed:think>", "</seed:think>"),  # Seed
    ("<|channel>thought", "<channel|>"),  # Gemma
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),  # gpt-oss
)
"""How a thought begins and ends, in the model families that run on a player's machine."""
_BEGIN = re.compile("|".join(re.escape(begin) for begin, _ in MARKS))
_END = re.compile("|".join(re.escape(end) for _, end in MARKS))
ANY = re.compile(f"{_BEGIN.pattern}|{_END.pattern}")


def spoken(text: str) -> str:
    """Return a reply without what the model thought. It is empty while the model thinks, or may be about to.

    Many templates open the thought in the prompt, so a thought may end that never began.
    """
    *_, end = (0, *(found.end() for found in _END.finditer(text)))
    said = text[end:].lstrip() if end else text
    begin = said.lstrip()
    if any(mark.startswith(begin) for mark, _ in MARKS if begin):
        return ""
    thinks_on = _BEGIN.search(said)
    return said[: thinks_on.start()].rstrip() if thinks_on else said


def is_thought(text: str) -> bool:
    """Return whether a thought with words in it stands in a reply. Some models write an empty one where they should not think."""
    return ANY.search(text) is not None and bool(ANY.sub("", text.removesuffix(spoken(text))).strip())


def never_began(text: str) -> bool:
    """Return whether a thought ends in a reply that never began in it, because the prompt began it."""
    end = _END.search(text)
    return end is not None and _BEGIN.search(text, 0, end.start()) is None


def closed(prompt: str) -> str:
    """Return the end of a prompt with an empty thought where it leaves one open, so that the answer comes at once."""
    for begin, end in MARKS:
        if prompt.rfind(begin) > prompt.rfind(end):
            return f"{prompt.rstrip()}\n\n{end}\n\n"
    return prompt
