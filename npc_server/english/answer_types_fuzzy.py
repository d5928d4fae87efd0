"""Answer types for fuzzy matching, where question and sentence share few words (`answer_match_fuzzy`).

As `answer_types`, with stricter rules: whoever did it must come first, and an obstacle is a reason why something is not done.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from npc_server.english.answer_types import has_answer
from npc_server.english.indirect_questions import Aim, FuzzyQuestion
from npc_server.english.near_misses import is_near_miss
from npc_server.english.normalize import Word, is_participle, listed, listed_terms
from npc_server.english.question_parts import AnswerType, QuestionParts, is_name
from npc_server.english.similarity import HYPONYM, RELATED, similarity


def has_answer_fuzzy(wanted: FuzzyQuestion, words: Sequence[Word], known: frozenset[str]) -> bool:
    """Whether a sentence holds what the question asks for."""
    if wanted.aim is Aim.WORK:
        return _tells_work(words, known)
    if wanted.aim is Aim.STATE:
        return _tells_state(wanted, words)
    if is_near_miss(wanted.asked, words):
        return False
    check = _CHECKS.get(wanted.asked.kind)
    return check(wanted, words, known) if check else has_answer(wanted.asked, words, known)


def _tells_work(words: Sequence[Word], known: frozenset[str]) -> bool:
    """`Tansy gathers herbs`, `Piet is a cooper`, `works as a clerk`."""
    verb = next((i for i, w in enumerate(words) if not is_name(w, known) and not (w.starts_sentence and w.is_capitalized)), len(words))
    if verb == len(words):
        return False
    if words[verb].lower in ("is", "was"):
        return verb + 1 < len(words) and words[verb + 1].lower in ("a", "an", "the") and len(words) < 12 and _has_trade(words[verb + 1 :])
    return words[verb].lower.endswith("s") and words[verb].term not in listed_terms("states")


def _has_trade(words: Sequence[Word]) -> bool:
    ends = (*listed("person_endings"), "er", "or")
    return any(
        w.lower in listed("persons") or (len(w.lower) > 4 and w.lower.endswith(ends) and w.lower not in listed("not_persons"))
        for w in words[:5]
    )


def _tells_state(wanted: FuzzyQuestion, words: Sequence[Word]) -> bool:
    """Something done, suffered or wrong, and not only a place or a name."""
    fresh = [w for w in words if w.is_word and w.term not in wanted.asked.words]
    return any(w.term in listed_terms("hindering") or w.lower in ("not", "no", "cannot") or is_participle(w.lower) for w in fresh)


def _who(wanted: FuzzyQuestion, words: Sequence[Word], known: frozenset[str]) -> bool:
    """Somebody who acted, and not only the owner of the object."""
    asked = wanted.asked
    if not has_answer(_without_verb(asked), words, known):
        return False
    bare = [w for w in words if w.is_word]
    if asked.asks_who_acts or asked.asks_what_acts or not asked.verb:
        if any(w.lower == "by" for w in bare):
            return True
        if asked.verb and not any(w.term == asked.verb for w in bare) and _has_recipient(asked, words, known):
            return True
        # The subject comes first.
        first = next((w for w in bare if w.lower not in listed("determiners") | listed("numbers")), bare[0])
        return first.term not in asked.words and not first.is_possessive
    return True


def _has_recipient(asked: QuestionParts, words: Sequence[Word], known: frozenset[str]) -> bool:
    """Whether somebody new receives something: who inherits it is to whom it was left."""
    behind = next((words[i + 1 :] for i, w in enumerate(words) if w.lower == "to"), ())
    return bool(behind) and has_answer(_without_verb(asked), behind, known)


def _where(wanted: FuzzyQuestion, words: Sequence[Word], known: frozenset[str]) -> bool:
    """A place, or a destination: `left for the coast`."""
    bound = any(w.term in listed_terms("setting_out") and n.lower == "for" for w, n in zip(words, words[1:], strict=False))
    return bound or has_answer(_without_verb(wanted.asked), words, known)


def _why(wanted: FuzzyQuestion, words: Sequence[Word], known: frozenset[str]) -> bool:
    """A cause that is named as one, or an obstacle when something is not done."""
    lows = [w.lower for w in words]
    causes = listed("causes")
    if any(low in causes for low in lows if low not in wanted.asked.words):
        return True
    if "and" in lows and any(w.term in wanted.asked.words for w in words[lows.index("and") + 1 :]):
        return not any(w.term in wanted.asked.words - listed_terms("empty") and not w.is_capitalized for w in words[: lows.index("and")])
    if wanted.asked.words & listed_terms("allowing"):
        return False  # the question already says that it is forbidden
    if wanted.negated and "during" in lows:
        return True
    hindered = wanted.negated or bool(wanted.terms & listed_terms("hindered"))
    return hindered and any(w.term in listed_terms("hindering") and w.term not in wanted.asked.words for w in words)


def _how(wanted: FuzzyQuestion, words: Sequence[Word], known: frozenset[str]) -> bool:
    """The means, or the event in which it happened."""
    return any(
        w.lower in listed("manners") and n.is_word and n.term not in wanted.asked.words for w, n in zip(words, words[1:], strict=False)
    )


def _what(wanted: FuzzyQuestion, words: Sequence[Word], known: frozenset[str]) -> bool:
    """Something that is new, and not only similar to what the question said."""
    new = [w for w in words if w.is_word and not w.starts_sentence and _is_new(wanted, w)]
    new += [w for w in words[:1] if w.is_word and _is_new(wanted, w) and (wanted.asked.asks_what_acts or not wanted.asked.verb)]
    return bool(new)


def _is_new(wanted: FuzzyQuestion, word: Word) -> bool:
    if (
        word.lower in listed("empty") | listed("vague") | listed("times")
        or word.term in wanted.asked.words
        or word.lower in wanted.asked.names
    ):
        return False
    likes = [similarity(term, word.term) for term in wanted.terms]
    return not any(RELATED <= s < HYPONYM for s in likes) or wanted.asked.verb not in wanted.terms


def _whether(wanted: FuzzyQuestion, words: Sequence[Word], known: frozenset[str]) -> bool:
    return True


def _without_verb(asked: QuestionParts) -> QuestionParts:
    return QuestionParts(asked.kind, about=asked.about, names=asked.names, words=asked.words, any_preposition=asked.any_preposition)


_Check = Callable[[FuzzyQuestion, Sequence[Word], frozenset[str]], bool]
_CHECKS: Mapping[AnswerType, _Check] = {
    AnswerType.WHO: _who,
    AnswerType.WHERE: _where,
    AnswerType.WHY: _why,
    AnswerType.HOW: _how,
    AnswerType.WHAT: _what,
    AnswerType.OPEN: _whether,
    AnswerType.WHETHER: _whether,
}
