"""A card as a persona file, and its book as facts for a town file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from npc_server.english.text import ended
from npc_server.personas.cards import yaml_text
from npc_server.personas.cards.card import Card
from npc_server.personas.cards.ids import id_of
from npc_server.personas.cards.nature import may_be_secret, nature
from npc_server.personas.cards.prose import LINE_READ, MOST_SENTENCES, MacroNames, exchanges, lore, prose, spoken, with_context
from npc_server.personas.names import first_name, forms
from npc_server.records import Address, NpcId

IDENTITY_CHARS = 7_900
"""Most characters of the identity; a persona file takes 8,000."""
CURRENTLY_CHARS, FACT_CHARS = 1_900, 500
MOST_FACTS = 5_000
"""Most facts of a book. Everybody in the town knows each."""
MOST_LISTED = 100
"""Most traits, and most secrets; a persona file takes no more."""
EXCHANGES = 4
AGE = 30
"""Stands in the file of a person whose age is not known, with a comment."""


@dataclass(frozen=True)
class Given:
    """What a card does not say and a persona file needs. Empty values get defaults."""

    npc: NpcId = ""
    age: int | None = None
    home: Address = ""
    user: str = ""
    """The name of the player in the card's texts."""


@dataclass(frozen=True)
class Imported:
    """A persona file, the facts of the card's book, and what its author should know."""

    npc: NpcId
    values: dict[str, object]
    """The keys of the persona file."""
    knowledge: tuple[str, ...]
    warnings: tuple[str, ...]
    notes: Mapping[str, str] = field(default_factory=dict)
    """Comments before keys of the file."""

    def yaml(self) -> str:
        return yaml_text.document(
            self.values,
            ("yaml-language-server: $schema=persona.schema.json", "docs/cards.md says what came from where."),
            self.notes,
        )


@dataclass(frozen=True)
class _Book:
    """The facts of a book, those that a town takes, how many sentences were left out, and whether not all were read."""

    told: tuple[str, ...]
    knowledge: tuple[str, ...]
    about_user: int
    is_cut: bool


def imported(card: Card, given: Given) -> Imported:
    """What becomes of a card. Nothing is written yet."""
    name = " ".join(card.text("name").split())[:120]
    called = " ".join(card.text("nickname").split())[:120] or _called(name)
    names = MacroNames(called, given.user)
    npc = given.npc or id_of(name)
    who = nature(card.text("description"), card.text("personality"), names, forms(name, called))
    scene = prose((card.text("scenario"),), names)
    book = _book(card, MacroNames(name, given.user))
    identity, rest = fitting(who.facts, IDENTITY_CHARS)
    currently, _ = fitting(scene.facts, CURRENTLY_CHARS)
    age = who.age if given.age is None else given.age
    values: dict[str, object] = {
        "id": npc,
        "name": name,
        "first_name": called if called != first_name(name) else "",
        "age": AGE if age is None else age,
        "traits": list(who.traits[:MOST_LISTED]),
        "identity": yaml_text.paragraph(identity or [name]),
        "secrets": list(who.secrets[:MOST_LISTED]),
        "currently": " ".join(map(ended, currently)),
        "home": given.home or usual_home(npc),
        "voice": _voice(card, names),
    }
    about_user = who.left_out + scene.about_user + book.about_user
    warnings = [
        *not_said(called, age, given.home, str(values["home"])),
        *([f"{about_user} sentences speak of the player, and are left out. Give --user NAME to keep them."] if about_user else []),
        *([f"{len(rest)} sentences did not fit into the identity (8,000 characters); they stay in the card."] if rest else []),
        *_of_secrets(identity, book.knowledge),
        *_of_limits(book, who.is_cut or scene.is_cut or book.is_cut),
    ]
    return Imported(npc, values, book.knowledge, tuple(warnings), notes_on(called, age, given.home))


def _called(name: str) -> str:
    """What others call somebody: the first name, or all of `The Ash Witch`."""
    return name if name.split()[0].lower() in ("the", "a", "an") else first_name(name)


def _book(card: Card, names: MacroNames) -> _Book:
    entries = [prose((lore(str(entry.get("content", ""))),), names) for entry in card.entries()[:MOST_FACTS]]
    told = tuple(dict.fromkeys(fact for entry in entries for fact in with_context(entry)))
    knowledge = tuple(fact for fact in told if len(fact) <= FACT_CHARS)[:MOST_FACTS]
    return _Book(told, knowledge, sum(entry.about_user for entry in entries), any(entry.is_cut for entry in entries))


def _voice(card: Card, names: MacroNames) -> dict[str, object]:
    greetings = [line for text in (card.text("first_mes"), *card.texts("alternate_greetings")) if (line := spoken(text, names))]
    talk = exchanges(card.text("mes_example"), names)[:EXCHANGES]
    voice = {
        "exchanges": [{"heard": heard, "said": answer} for heard, answer in talk],
        "greetings": list(dict.fromkeys(greetings))[:20],
    }
    return {name: lines for name, lines in voice.items() if lines}


def not_said(called: str, age: int | None, home: Address, used: Address) -> list[str]:
    """Warnings about the age and the home, where nothing says them. `used` is the home that stands in the file."""
    fix = "Give --home, or change it to a bed or a room of your town."
    return [
        *([f"Nothing says how old {called} is, so the age is {AGE}. Give --age, or change it."] if age is None else []),
        *([f"Nothing says where {called} lives, so the home is {used!r}. {fix}"] if not home else []),
    ]


def notes_on(called: str, age: int | None, home: Address) -> dict[str, str]:
    """The same as comments for the file."""
    bed = "so this is made up: write the address of a bed or a room of your town."
    return {
        **({"age": f"Nothing says how old {called} is, so this is a guess."} if age is None else {}),
        **({"home": f"Nothing says where {called} lives, {bed}"} if not home else {}),
    }


def _of_secrets(identity: Sequence[str], knowledge: Sequence[str]) -> list[str]:
    return [
        *(
            f"This may be a secret: {fact!r}. If so, move it to `secrets`, or anybody is told it."
            for fact in identity
            if may_be_secret(fact)
        ),
        *(
            f"This may be a secret: {fact!r}. As a fact of the book, everybody in town knows it."
            for fact in knowledge
            if may_be_secret(fact)
        ),
    ]


def _of_limits(book: _Book, is_cut: bool) -> list[str]:
    left = len(book.told) - len(book.knowledge)
    cut = f"Only the first {MOST_SENTENCES:,} sentences are read, and of each line the first {LINE_READ:,} characters."
    return [
        *([f"{left} facts of the book are longer than {FACT_CHARS} characters or too many, and are left out."] if left else []),
        *([cut] if is_cut else []),
    ]


def usual_home(npc: NpcId) -> Address:
    """The address of a bed for somebody whose home is not known yet."""
    return f"{npc}_house:bedroom:bed"[-250:]


def fitting(facts: Sequence[str], most: int) -> tuple[list[str], list[str]]:
    """As many of the facts as fit, and the rest."""
    kept, left, size = list[str](), list[str](), 0
    for fact in facts:
        size += len(fact) + 2
        (kept if size <= most else left).append(fact)
    return kept, left
