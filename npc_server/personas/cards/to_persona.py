"""A card as a persona file, and its book as facts for a town file."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from npc_server.personas.cards import yaml_text
from npc_server.personas.cards.card import Card
from npc_server.personas.cards.prose import LINE_READ, MOST_SENTENCES, MacroNames, exchanges, lore, prose, spoken
from npc_server.records import Address, NpcId

IDENTITY_CHARS = 7_900
"""Most characters of the identity; a persona file takes 8,000."""
CURRENTLY_CHARS, FACT_CHARS = 1_900, 500
MOST_FACTS = 5_000
"""Most facts of a book. Everybody in the town knows each."""
EXCHANGES = 4
AGE = 30
"""Age of a person of whom no age is given: cards have none."""


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

    def yaml(self) -> str:
        return yaml_text.document(
            self.values,
            ("yaml-language-server: $schema=persona.schema.json", "docs/cards.md says what came from where."),
        )


def imported(card: Card, given: Given) -> Imported:
    """What becomes of a card. Nothing is written yet."""
    name = " ".join(card.text("name").split())[:120]
    called = " ".join(card.text("nickname").split())[:120]
    names = MacroNames(called or name, given.user)
    npc = given.npc or id_of(name)
    said = prose((card.text("description"), card.text("personality")), names)
    scene = prose((card.text("scenario"),), names)
    book = prose((lore(str(entry.get("content", ""))) for entry in card.entries()), names)
    identity, rest = fitting(said.facts, IDENTITY_CHARS)
    currently, _ = fitting(scene.facts, CURRENTLY_CHARS)
    knowledge = [fact for fact in book.facts if len(fact) <= FACT_CHARS][:MOST_FACTS]
    greetings = [line for text in (card.text("first_mes"), *card.texts("alternate_greetings")) if (line := spoken(text, names))]
    talk = exchanges(card.text("mes_example"), names)[:EXCHANGES]
    values: dict[str, object] = {
        "id": npc,
        "name": name,
        "first_name": called if called != name else "",
        "age": AGE if given.age is None else given.age,
        "identity": yaml_text.paragraph(identity or [name]),
        "currently": ". ".join(currently) + "." if currently else "",
        "home": given.home or usual_home(npc),
        "voice": {
            "exchanges": [{"heard": heard, "said": answer} for heard, answer in talk],
            "greetings": list(dict.fromkeys(greetings))[:20],
        },
    }
    if not any(values["voice"].values()):  # type: ignore[attr-defined]
        del values["voice"]
    about_user = said.about_user + scene.about_user + book.about_user
    warnings = [
        *([f"The age is {AGE}: a card has none. Give --age, or change it."] if given.age is None else []),
        *([f"The home is {values['home']!r}. Give --home, or change it to a bed or a room of your town."] if not given.home else []),
        *([f"{about_user} sentences speak of the player, and are left out. Give --user NAME to keep them."] if about_user else []),
        *([f"{len(rest)} sentences did not fit into the identity (8,000 characters); they stay in the card."] if rest else []),
        *([f"{left} facts of the book are longer than {FACT_CHARS} characters or too many, and are left out."]
          if (left := len(book.facts) - len(knowledge)) else []),
        *([f"Only the first {MOST_SENTENCES:,} sentences are read, and of each line the first {LINE_READ:,} characters."]
          if said.is_cut or scene.is_cut or book.is_cut else []),
    ]  # fmt: skip
    return Imported(npc, values, tuple(knowledge), tuple(warnings))


def id_of(name: str) -> NpcId:
    """An id made of a name; of a name without Latin letters it is made of its bytes."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:60].strip("_")
    if not slug:
        return f"person_{hashlib.blake2b(name.encode('utf-8', 'replace'), digest_size=4).hexdigest()}"
    return slug if slug[0].isalpha() else f"p_{slug}"


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
