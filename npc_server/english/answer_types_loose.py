"""Of each kind of question what answers it, where question and sentence share few words (`english.answer_match_loose`).

As in `english.answer_types`, and more: who did it has to stand first, and what hinders is a reason why something is not done.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from npc_server.english.answer_types import holds
from npc_server.english.indirect_questions import Aim, Sought
from npc_server.english.near_misses import falls_short
from npc_server.english.normalize import Word, is_bent, levels_listed, listed
from npc_server.english.question_parts import AsksFor, QuestionParts, is_name
from npc_server.english.similarity import KIND, MATTER, alike


def holds_loosely(wanted: Sought, words: Sequence[Word], known: frozenset[str]) -> bool:
    """Whether what is asked for is there."""
    if wanted.aim is Aim.WORK:
        return _tells_work(words, known)
    if wanted.aim is Aim.STATE:
        return _tells_state(wanted, words)
    if falls_short(wanted.asked, words):
        return False
    check = _CHECKS.get(wanted.asked.kind)
    return check(wanted, words, known) if check else holds(wanted.asked, words, known)


def _tells_work(words: Sequence[Word], known: frozenset[str]) -> bool:
    """`Tansy gathers herbs`, `Piet is a cooper`, `works as a clerk`."""
    verb = next((i for i, w in enumerate(words) if not is_name(w, known) and not (w.first and w.capital)), len(words))
    if verb == len(words):
        return False
    if words[verb].low in ("is", "was"):
        return verb + 1 < len(words) and words[verb + 1].low in ("a", "an", "the") and len(words) < 12 and _has_trade(words[verb + 1 :])
    return words[verb].low.endswith("s") and words[verb].level not in levels_listed("states")


def _has_trade(words: Sequence[Word]) -> bool:
    ends = (*listed("person_endings"), "er", "or")
    return any(
        w.low in listed("persons") or (len(w.low) > 4 and w.low.endswith(ends) and w.low not in listed("not_persons")) for w in words[:5]
    )


def _tells_state(wanted: Sought, words: Sequence[Word]) -> bool:
    """Something done, suffered or wrong, not only where it is or what it is called."""
    fresh = [w for w in words if w.word and w.level not in wanted.asked.words]
    return any(w.level in levels_listed("hindering") or w.low in ("not", "no", "cannot") or is_bent(w.low) for w in fresh)


def _who(wanted: Sought, words: Sequence[Word], known: frozenset[str]) -> bool:
    """Somebody who is not only the owner of what it was done to."""
    asked = wanted.asked
    if not holds(_without_verb(asked), words, known):
        return False
    bare = [w for w in words if w.word]
    if asked.agent or asked.does or not asked.verb:
        if any(w.low == "by" for w in bare):
            return True
        if asked.verb and not any(w.level == asked.verb for w in bare) and _to_somebody(asked, words, known):
            return True
        # Who does it comes first.
        first = next((w for w in bare if w.low not in listed("determiners") | listed("numbers")), bare[0])
        return first.level not in asked.words and not first.owner
    return True


def _to_somebody(asked: QuestionParts, words: Sequence[Word], known: frozenset[str]) -> bool:
    """Whether somebody new gets something: who inherits it is to whom it was left."""
    behind = next((words[i + 1 :] for i, w in enumerate(words) if w.low == "to"), ())
    return bool(behind) and holds(_without_verb(asked), behind, known)


def _where(wanted: Sought, words: Sequence[Word], known: frozenset[str]) -> bool:
    """A place, or where one sets out for."""
    bound = any(w.level in levels_listed("setting_out") and n.low == "for" for w, n in zip(words, words[1:], strict=False))
    return bound or holds(_without_verb(wanted.asked), words, known)


def _why(wanted: Sought, words: Sequence[Word], known: frozenset[str]) -> bool:
    """A cause that is called one, or what hinders where something is not done."""
    lows = [w.low for w in words]
    causes = listed("causes")
    if any(low in causes for low in lows if low not in wanted.asked.words):
        return True
    for low, after in zip(lows, lows[1:], strict=False):
        if (low, after) in (("out", "of"), ("in", "order"), ("in", "the")) and "siege" in lows:
            return True
    if "and" in lows and any(w.level in wanted.asked.words for w in words[lows.index("and") + 1 :]):
        return not any(w.level in wanted.asked.words - levels_listed("empty") and not w.capital for w in words[: lows.index("and")])
    if wanted.asked.words & levels_listed("allowing"):
        return False  # that it is forbidden is known
    if wanted.negated and "during" in lows:
        return True
    hindered = wanted.negated or bool(wanted.terms & levels_listed("hindered"))
    return hindered and any(w.level in levels_listed("hindering") and w.level not in wanted.asked.words for w in words)


def _how(wanted: Sought, words: Sequence[Word], known: frozenset[str]) -> bool:
    """By what means, or in what event."""
    return any(w.low in listed("manners") and n.word and n.level not in wanted.asked.words for w, n in zip(words, words[1:], strict=False))


def _what(wanted: Sought, words: Sequence[Word], known: frozenset[str]) -> bool:
    """Something that is new and not only like what the question said."""
    new = [w for w in words if w.word and not w.first and _is_new(wanted, w)]
    new += [w for w in words[:1] if w.word and _is_new(wanted, w) and (wanted.asked.does or not wanted.asked.verb)]
    return bool(new)


def _is_new(wanted: Sought, word: Word) -> bool:
    if (
        word.low in listed("empty") | listed("vague") | listed("times")
        or word.level in wanted.asked.words
        or word.low in wanted.asked.names
    ):
        return False
    likes = [alike(term, word.level) for term in wanted.terms]
    return not any(MATTER <= s < KIND for s in likes) or wanted.asked.verb not in wanted.terms


def _whether(wanted: Sought, words: Sequence[Word], known: frozenset[str]) -> bool:
    return True


def _without_verb(asked: QuestionParts) -> QuestionParts:
    return QuestionParts(asked.kind, about=asked.about, names=asked.names, words=asked.words, loose=asked.loose)


_Check = Callable[[Sought, Sequence[Word], frozenset[str]], bool]
_CHECKS: Mapping[AsksFor, _Check] = {
    AsksFor.WHO: _who,
    AsksFor.WHERE: _where,
    AsksFor.WHY: _why,
    AsksFor.HOW: _how,
    AsksFor.WHAT: _what,
    AsksFor.OPEN: _whether,
    AsksFor.WHETHER: _whether,
}
