"""The `Persona` record that minds use, and how it is loaded from a persona file.

The identity is a paragraph of sentences, or of phrases separated by semicolons as in Generative Agents (section 3). Each is a fact that
becomes a seed memory.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Literal

from npc_server import clock
from npc_server.document_errors import Loc, Wrong
from npc_server.documents import Checked, Later, check_yaml, first_value
from npc_server.english.about_oneself import begins_unclear, gender_in, with_name
from npc_server.english.text import facts
from npc_server.errors import FileProblem, Problem
from npc_server.personas.check import relation_problems, routine_problems, weekdays
from npc_server.personas.file import HINTS, OfferPart, PersonaFile, RoutinePart, seconds, slug
from npc_server.personas.names import first_name, forms
from npc_server.personas.voice import Voice, voice_of
from npc_server.records import Address, Document, NpcId


@dataclass(frozen=True)
class RoutineStep:
    """A short piece of a routine item."""

    text: str
    where: Address
    minutes: int
    commands: tuple[str, ...] = ()
    """In a household: the atomic commands it takes."""


@dataclass(frozen=True)
class RoutineItem:
    """An item of the routine, such as a meal or a morning's work."""

    at: int
    """Seconds since midnight."""
    text: str
    where: Address
    minutes: int | None
    """Game minutes. None means until the next item, and `Persona.routine_on` fills it in."""
    steps: tuple[RoutineStep, ...] = ()
    days: tuple[int, ...] = (0, 1, 2, 3, 4, 5, 6)
    """The weekdays on which it happens. Monday is 0."""
    commands: tuple[str, ...] = ()
    """In a household: the atomic commands it takes."""

    def pieces(self, longest: int = 0) -> tuple[RoutineStep, ...]:
        """The item's steps, repeated until they fill `minutes`. The last one is shortened to fit.

        Without steps, it is one piece as long as the item. If `minutes` is None, each step comes once. Unless `longest` is 0, no step takes
        more than `longest` minutes.
        """
        steps = tuple(replace(step, minutes=min(step.minutes, longest or step.minutes)) for step in self.steps)
        if self.minutes is None:
            return steps
        if not steps:
            return (RoutineStep(self.text, self.where, self.minutes),)
        found: list[RoutineStep] = []
        left = self.minutes
        while left > 0:
            for step in steps:
                if left > 0:
                    found.append(replace(step, minutes=min(step.minutes, left)))
                left -= step.minutes
        return tuple(found)


@dataclass(frozen=True)
class Manner:
    """How somebody may speak, as far as that is no secret."""

    about: tuple[str, ...] = ()
    """Sentences and words that tell of it."""
    tempers: tuple[str, ...] = ()
    """As in `Voice`."""


@dataclass(frozen=True)
class Relation:
    """What `who` means to this person, as this person sees it."""

    who: NpcId
    being: str
    """What `who` is, such as `neighbour`. The file's key is `is`."""
    feeling: str
    closeness: int
    """0 stranger, 3 acquaintance, 5 co-worker, 10 married (Affordable Generative Agents, section 3.2)."""


@dataclass(frozen=True)
class Parameter:
    """A typed value that an offered action takes."""

    name: str
    type: Literal["choice", "integer", "text"]
    options: tuple[str, ...] = ()
    low: int = 1
    high: int = 10
    default: int | None = None
    """integer: the value where none is said; None if the person asks."""


@dataclass(frozen=True)
class Offer:
    """An action of the game that this person may choose in a conversation."""

    name: str
    description: str
    parameters: tuple[Parameter, ...] = ()
    words: tuple[str, ...] = ()
    """Words with which others ask for it. If an entry has several words, all must be said."""
    says: tuple[str, ...] = ()
    """What the person says with it when no model writes the line."""
    asks: tuple[str, ...] = ()
    """What the person asks who is not sure that somebody wants this."""


@dataclass(frozen=True)
class Persona:
    """Who a character is. Addresses begin with the town's id, and times are seconds since midnight."""

    id: NpcId
    name: str
    first_name: str
    age: int
    traits: tuple[str, ...]
    identity: str
    identity_phrases: tuple[str, ...]
    """Each becomes a seed memory. The secrets come last."""
    currently: str
    lifestyle: str
    home: Address
    work: Address
    """Where it works; empty if it has no workplace."""
    wake: int
    sleep: int
    """Smaller than `wake` if it goes to bed after midnight."""
    routine: tuple[RoutineItem, ...]
    knows: tuple[Address, ...]
    """Places it knows from the start. If empty, it knows its home and all public places."""
    voice: Voice
    relations: tuple[Relation, ...]
    factions: tuple[str, ...] = ()
    offers: tuple[Offer, ...] = ()
    secrets: tuple[str, ...] = ()
    """The phrases of its identity that it tells nobody."""
    gender: str = ""
    """By the pronouns of its identity: m, f, or empty where none means it for sure."""
    opt_out_of_memory: bool = False
    vision_radius_m: float | None = None
    """How far it notices things, in metres; None for the value of the settings."""
    extra: Mapping[str, object] = field(default_factory=dict, repr=False)
    """Unknown keys of the file with their values."""
    warnings: tuple[Problem, ...] = field(default=(), compare=False)
    """Warnings about the file, such as unknown keys."""
    checked: Checked[PersonaFile] | None = field(default=None, compare=False, repr=False)
    """The file it was loaded from, so that later checks can name lines."""

    @property
    def open_phrases(self) -> tuple[str, ...]:
        """The phrases of its identity that are no secrets."""
        return tuple(phrase for phrase in self.identity_phrases if phrase not in self.secrets)

    @property
    def manner(self) -> Manner:
        """How it may speak: the open phrases of its identity, its traits, and those of its style."""
        return Manner((*self.open_phrases, *self.traits, *facts(self.voice.style)), self.voice.tempers)

    def routine_on(self, weekday: int) -> tuple[RoutineItem, ...]:
        """The items of a weekday (Monday is 0) in order. Each has minutes: without its own, it lasts until the next item or bedtime."""
        items = [item for item in self.routine if weekday in item.days]
        ends = [*(item.at for item in items[1:]), self.sleep][: len(items)]
        return tuple(
            item if item.minutes is not None else replace(item, minutes=(end - item.at) % clock.DAY // clock.MINUTE)
            for item, end in zip(items, ends, strict=True)
        )

    def keeps_back(self, text: str) -> bool:
        """Whether a seed memory of this text is a secret."""
        return any(text in (secret, self.as_memory(secret)) for secret in self.secrets)

    def as_memory(self, phrase: str) -> str:
        """A phrase as the text of a memory, which names the person."""
        return phrase if self.first_name in phrase else f"{self.called}{phrase}"

    @property
    def called(self) -> str:
        """What stands before a phrase that does not name the person, in a memory."""
        return f"{self.first_name}: "

    def relation(self, who: NpcId) -> Relation | None:
        """The relation with somebody, or None."""
        return next((relation for relation in self.relations if relation.who == who), None)


def stem(document: Document) -> str:
    """The file's name without folder and ending."""
    return re.split(r"[\\/]", document.name)[-1].split(".")[0]


def persona_id(document: Document) -> NpcId:
    """Returns the id of a persona file as `load_persona` finds it: its key `id`, or the name of the file."""
    return first_value(document, "id") or stem(document)


def load_persona(document: Document, town_id: str = "") -> Persona:
    """Loads a persona file. `town_id` is put before its addresses. Unknown keys are kept, with a warning in `Persona.warnings`.

    Raises FileProblem with every mistake, each with its line and how to fix it.
    """
    checked = check_yaml(document, PersonaFile, HINTS, later=_LATER)
    return _persona(checked, checked.value.id or stem(document), _phrases(checked.value), town_id)


def readable_part(document: Document, town_id: str = "") -> Persona | None:
    """Returns what is right of a persona file that has mistakes; None if its syntax is wrong. The rest is made up."""
    found: list[Checked[PersonaFile]] = []

    def keep(checked: Checked[PersonaFile]) -> tuple[Problem, ...]:
        found.append(checked)
        return ()

    with suppress(FileProblem):
        check_yaml(document, PersonaFile, HINTS, later=replace(_LATER, find=keep))
    return _persona(found[0], "", (), town_id) if found else None


def _later_problems(checked: Checked[PersonaFile]) -> Iterator[Problem]:
    """Finds the mistakes that the schema cannot express."""
    file, npc = checked.value, checked.value.id or stem(Document(checked.name, ""))
    if file.id is None and ("id",) not in checked.left_out:
        try:
            slug(npc)
        except Wrong as wrong:
            what = f"There is no 'id', and the file's name cannot be one: {wrong.what}"
            yield Problem(checked.name, 0, what, "Add e.g. `id: mara_voss`.")
    if not _phrases(file):
        yield Problem(checked.name, checked.parsed.line(("identity",)), "'identity' is empty.", HINTS["identity"])
    yield from routine_problems(checked)
    yield from relation_problems(checked, npc)


_LATER = Later(
    _later_problems,
    stand_ins={key: it.examples[0] for key, it in PersonaFile.model_fields.items() if it.is_required() and it.examples},
    whole=frozenset({"days"}),
)


def _phrases(file: PersonaFile) -> tuple[str, ...]:
    """The facts of the identity, each with the person's name where the paragraph says "she"."""
    return tuple(with_name(facts(file.identity), file.first_name or first_name(file.name), _own_names(file)))


def _own_names(file: PersonaFile) -> tuple[str, ...]:
    return (*forms(file.name), file.first_name or first_name(file.name))


def _unclear_phrases(checked: Checked[PersonaFile], phrases: Sequence[str]) -> Iterator[Problem]:
    """A warning for each fact that the person does not tell, since it begins with somebody whom it does not name."""
    for phrase in phrases:
        if begins_unclear(phrase):
            what = f"Whom the first word of '{phrase[:60]}' means is not clear, so nobody is told this."
            yield Problem(checked.name, checked.parsed.line(("identity",)), what, "Write the name in its place.")


def _persona(checked: Checked[PersonaFile], npc: str, phrases: tuple[str, ...], town_id: str) -> Persona:
    """The persona of a file that has no mistakes."""

    def place(address: str) -> Address:
        return address if not town_id or address == town_id or address.startswith(f"{town_id}:") else f"{town_id}:{address}"

    file = checked.value
    return Persona(
        id=npc,
        name=file.name,
        first_name=file.first_name or first_name(file.name),
        age=file.age,
        traits=file.traits,
        identity="; ".join(phrases),
        identity_phrases=(*phrases, *file.secrets),
        secrets=file.secrets,
        gender=gender_in(facts(file.identity), _own_names(file)),
        currently=" ".join(file.currently.split()),
        lifestyle=" ".join(file.lifestyle.split()),
        home=place(file.home),
        work=place(file.work) if file.work else "",
        wake=seconds(file.wake) % clock.DAY,
        sleep=seconds(file.sleep) % clock.DAY,
        routine=tuple(_routine_item(item, place) for item in file.routine),
        knows=tuple(place(address) for address in file.knows),
        voice=voice_of(file.voice, place),
        relations=tuple(Relation(r.who, r.being, " ".join(r.feeling.split()), r.closeness) for r in file.relations),
        factions=file.factions,
        offers=tuple(_offer(it) for it in file.offers),
        opt_out_of_memory=file.opt_out_of_memory,
        vision_radius_m=file.vision_radius_m,
        extra=dict(file.model_extra or {}),
        warnings=(*checked.warnings, *_unclear_phrases(checked, phrases)),
        checked=checked,
    )


def _routine_item(item: RoutinePart, place: Callable[[str], Address]) -> RoutineItem:
    steps = tuple(RoutineStep(step.do, place(step.where or item.where), step.minutes, step.commands) for step in item.steps)
    return RoutineItem(seconds(item.at) % clock.DAY, item.do, place(item.where), item.minutes, steps, weekdays(item), item.commands)


def _offer(it: OfferPart) -> Offer:
    parameters = tuple(Parameter(p.name, p.type, p.options, p.low, p.high, p.default) for p in it.parameters)
    return Offer(it.name, it.description, parameters, it.words, it.says, it.asks)


def json_schema() -> str:
    """The JSON Schema (2020-12) of a persona file, for editors."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **PersonaFile.model_json_schema(by_alias=True)}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def file_of(persona: Persona) -> str:
    """The name of the file that a persona was loaded from."""
    return persona.checked.name if persona.checked else persona.id


def problem(persona: Persona, loc: Loc, what: str, fix: str) -> Problem:
    """A problem at a location in the file that a persona was loaded from."""
    line = persona.checked.parsed.line(loc) if persona.checked else 0
    return Problem(file_of(persona), line, what, fix)
