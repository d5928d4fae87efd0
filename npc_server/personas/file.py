"""The schema of a persona file. Editors show each description as help, so the descriptions are written for modders."""

from __future__ import annotations

import re
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from npc_server import clock
from npc_server.document_errors import Wrong, words

Temper = Literal["warm", "curt", "cheerful", "formal", "shy", "gruff", "dry", "anxious"]
TEMPERS: tuple[Temper, ...] = get_args(Temper)
Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
DAYS: tuple[Weekday, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
TIME_PATTERN = "^(([01]?[0-9]|2[0-3]):[0-5][0-9]|24:00)$"
_SLUG = re.compile(r"[a-z][a-z0-9_]{0,63}")

HINTS = {
    "wake": "Write hours and minutes, e.g. '06:00'.",
    "sleep": "Write hours and minutes, e.g. '22:00'.",
    "at": "Write hours and minutes, e.g. '06:30'.",
    "from": "Write hours and minutes, e.g. '05:00'.",
    "to": "Write hours and minutes, e.g. '12:00'.",
    "identity": "Write one paragraph of sentences about the person.",
    "for": "Write whole minutes, e.g. 30.",
    "knows": "Write a list of places of the town, e.g. [cafe, 'green:lawn']. News goes into 'currently'.",
    "minutes": "Write whole minutes, e.g. 10.",
}


def slug(text: str) -> str:
    """Returns a valid id: lower-case letters, digits and `_`. Raises Wrong for any other text."""
    if not _SLUG.fullmatch(text):
        near = re.sub(r"[^a-z0-9]+", "_", text[:80].lower()).strip("_")[:64]
        fix = f"Write '{near}'." if _SLUG.fullmatch(near) else "Write e.g. 'mara_voss'."
        raise Wrong(f"Id {text[:80]!r} is not lower-case letters, digits and '_', starting with a letter.", fix)
    return text


def _address(text: str) -> str:
    for part in text.split(":"):
        if not _SLUG.fullmatch(part):
            raise Wrong(
                f"Address {text[:80]!r} has {'an empty part' if not part else f'the part {part[:40]!r}'}.",
                "Join ids of the town file with ':', without the town's own, e.g. 'mara_house:bedroom:bed'.",
            )
    return text


def _time(text: str) -> str:
    if not re.fullmatch(TIME_PATTERN, text):
        raise Wrong(f"{text[:40]!r} is not a time of day.", "Write hours and minutes, e.g. '06:30'.")
    return text


Slug = Annotated[str, Field(max_length=64), AfterValidator(slug)]
AddressText = Annotated[str, Field(max_length=300), AfterValidator(_address)]
TimeText = Annotated[str, Field(max_length=5, json_schema_extra={"pattern": TIME_PATTERN}), AfterValidator(_time)]
Words = Annotated[str, Field(max_length=400), AfterValidator(words)]
Lines = Annotated[tuple[Words, ...], Field(max_length=100)]


def seconds(time: str) -> int:
    """A time of day such as `06:30`, which was checked before, as seconds since midnight."""
    return clock.parse_hhmm(time)


class _Part(BaseModel):
    """A part of the file. It is frozen, and keeps unknown keys for the warnings."""

    model_config = ConfigDict(frozen=True, extra="allow", populate_by_name=False)


COMMANDS = "In a household: its commands, which name things by their ids. Walking, opening and standing up are added automatically."


class StepPart(_Part):
    """A short piece of a routine item."""

    do: Words = Field(description="What the person does, as a verb phrase: 'cook porridge'.", examples=["cook porridge"])
    minutes: int = Field(ge=1, le=240, description="How long it takes, in game minutes; 5 to 15 looks natural.", examples=[10])
    where: AddressText | None = Field(
        None,
        description="Place or object, without the town's id; the item's own place when left out.",
        examples=["mara_house:kitchen:stove"],
    )
    commands: Lines = Field((), description=COMMANDS, examples=[["grab mug", "fill mug", "drink mug"]])


class RoutinePart(_Part):
    """One stretch of an ordinary day, which the person lives by when no model thinks for it."""

    at: TimeText = Field(description="When it starts, e.g. '06:30'. Items stand in order of time.", examples=["06:30"])
    do: Words = Field(description="What the person does, as a verb phrase: 'bake the morning bread'.", examples=["eat breakfast"])
    where: AddressText = Field(description="Place or object, without the town's id.", examples=["mara_house:kitchen:table"])
    minutes: int | None = Field(
        None,
        alias="for",
        ge=1,
        le=1440,
        description="How long it takes, in game minutes; until the next item when left out.",
        examples=[30],
    )
    steps: tuple[StepPart, ...] = Field(
        (), max_length=50, description="The item in pieces of 5 to 15 minutes. They are repeated until the item is over."
    )
    commands: Lines = Field((), description=COMMANDS, examples=[["sit on chair", "read novel", "stand up from chair"]])
    days: tuple[Weekday, ...] = Field(
        DAYS,
        min_length=1,
        description="On which days: mon, tue, wed, thu, fri, sat, sun; every day when left out.",
        examples=[["sat", "sun"]],
    )


class OwnLinePart(_Part):
    """A line that fits a place or some hours only. Unknown keys are mistakes, since the line would be said anywhere without them."""

    model_config = ConfigDict(extra="forbid")

    say: Words = Field(description="The line.", examples=["Mind the wet plank"])
    where: AddressText | None = Field(
        None,
        description="Where it fits: there and in all that lies in it, without the town's id; anywhere when left out.",
        examples=["riverside:jetty"],
    )
    start: TimeText = Field("00:00", alias="from", description="From when on it fits; midnight when left out.", examples=["05:00"])
    end: TimeText = Field("24:00", alias="to", description="Until when it fits; before 'from' is past midnight.", examples=["12:00"])

    @model_validator(mode="after")
    def _lasts(self) -> OwnLinePart:
        if seconds(self.start) == seconds(self.end):
            raise Wrong(f"'from' and 'to' are both {self.start}.", "Leave some hours between them, or delete both.")
        return self

    @property
    def names_some(self) -> bool:
        """Whether it names a place or hours."""
        return bool(self.model_fields_set - {"say"})


def _own_line(value: object) -> object:
    """A line that is only text, as one that fits anywhere."""
    return value if isinstance(value, (dict, OwnLinePart)) else {"say": value}


OwnLine = Annotated[OwnLinePart, BeforeValidator(_own_line, json_schema_input_type=Words | OwnLinePart)]
OwnLines = Annotated[tuple[OwnLine, ...], Field(max_length=100)]


class ExchangePart(_Part):
    """What the person hears, and what it answers: the best way to show a model how it talks."""

    model_config = ConfigDict(extra="forbid")

    heard: Words = Field(description="What somebody says to the person.", examples=["Busy day?"])
    said: Words = Field(description="What the person answers.", examples=["Busy? I have not sat down since four."])


Exchanges = Annotated[tuple[ExchangePart, ...], Field(max_length=12)]


class VoicePart(_Part):
    """How the person talks. The lines are what it says when no model thinks for it, and examples for the model."""

    style: str = Field(
        "",
        max_length=400,
        description="A sentence on how it talks: 'short sentences, dry jokes'.",
        examples=["Short sentences, dry jokes."],
    )
    tempers: tuple[Temper, ...] = Field(
        (),
        max_length=len(TEMPERS),
        description="Which replies of the bank of exchanges suit it, the best first; guessed when left out.",
        examples=[["gruff", "dry"]],
    )
    examples: Lines = Field(
        (), description="Lines it might say, for the model to copy its tone from.", examples=[["Bread first, gossip after."]]
    )
    exchanges: Exchanges = Field(
        (),
        description="Three or four lines heard and answered, which a language model takes for the beginning of the talk; "
        "made of the lists below when left out.",
        examples=[[{"heard": "Busy day?", "said": "Busy? I have not sat down since four."}]],
    )
    greetings: OwnLines = Field((), description="Ways to open a talk.", examples=[["Morning!"]])
    farewells: OwnLines = Field((), description="Ways to end one.", examples=[["Mind how you go."]])
    smalltalk: OwnLines = Field(
        (), description="Things it says when there is nothing special to say.", examples=[["The pond is high this week."]]
    )
    dont_know: Lines = Field((), description="Ways to say that it does not know.", examples=[["That I couldn't tell you."]])


class RelationPart(_Part):
    """What another person is to this one, as this one sees it."""

    who: Slug = Field(description="Id of the other person.", examples=["tobin_hale"])
    being: Words = Field(alias="is", description="What they are to each other: 'neighbour', 'old friend'.", examples=["neighbour"])
    feeling: str = Field("", max_length=400, description="A sentence on how this person feels about the other.", examples=["Trusts him."])
    closeness: int = Field(
        3, ge=0, le=10, description="0 stranger, 3 acquaintance, 5 co-worker or neighbour, 8 close friend, 10 married.", examples=[5]
    )


class ParameterPart(_Part):
    """A value that an offered action takes."""

    name: Slug = Field(description="Its name in the game.", examples=["item"])
    type: Literal["choice", "integer", "text"] = Field(description="choice (of options), integer (from low to high), or text.")
    options: Lines = Field((), description="choice: what can be chosen.", examples=[["bread", "cheese"]])
    low: int = Field(1, ge=-1000, le=1000, description="integer: the lowest.")
    high: int = Field(10, ge=-1000, le=1000, description="integer: the highest; at most 200 above the lowest.")
    default: int | None = Field(None, description="integer: the value where the player names none. The person asks when left out.")

    @model_validator(mode="after")
    def _fits(self) -> ParameterPart:
        if self.type == "choice" and not self.options:
            raise Wrong(f"Parameter '{self.name}' has no options.", "Write what can be chosen, e.g. `options: [bread, cheese]`.")
        if any(set(option) & set("(),|=") for option in self.options):
            raise Wrong(f"An option of '{self.name}' holds one of ( ) , | =.", "Leave these out.")
        if self.type == "integer" and not self.low <= self.high <= self.low + 200:
            raise Wrong(f"Parameter '{self.name}' goes from {self.low} to {self.high}.", "Let 'high' be 0 to 200 above 'low'.")
        if self.default is not None and not (self.type == "integer" and self.low <= self.default <= self.high):
            raise Wrong(f"The default of '{self.name}' is {self.default}.", f"Only an integer has one, from {self.low} to {self.high}.")
        return self


class OfferPart(_Part):
    """Something the game can do that this person may choose while it talks."""

    name: Slug = Field(description="What the game gets as the action's name.", examples=["open_shop"])
    description: Words = Field(description="When to choose it; the model reads this.", examples=["let the customer see the goods"])
    parameters: tuple[ParameterPart, ...] = Field((), max_length=6, description="Typed values that go with it.")
    words: Lines = Field(
        (),
        description="Words that ask for it, where no large model reads the line; several in one entry must all be said.",
        examples=[["goods", "for sale"]],
    )
    says: Lines = Field(
        (), description="What it says when it does this and no large model writes the line.", examples=[["Have a look round."]]
    )
    asks: Lines = Field(
        (),
        description="What it asks, where no large model reads the line, when it is not sure that a player wants this.",
        examples=[["Do you want to see the goods?"]],
    )


class PersonaFile(_Part):
    """Who a person is. What happens to it later is kept in the save, never here."""

    id: Slug | None = Field(
        None, description="Id of the person: lower-case letters, digits, '_'. The file's name when left out.", examples=["mara_voss"]
    )
    name: Words = Field(description="Full name, as others say it.", examples=["Mara Voss"])
    first_name: Words | None = Field(
        None,
        description="What others call it. When left out: the first word of the name, or the whole name where several people carry it.",
        examples=["Mara"],
    )
    age: int = Field(ge=0, le=100_000, description="In years.", examples=[34])
    traits: Lines = Field((), description="Its nature in a few words.", examples=[["warm", "stubborn"]])
    identity: str = Field(
        max_length=8000,
        description="One paragraph about the person by name. Each sentence, and each part between semicolons, is a fact it tells.",
        examples=["Mara Voss is the baker of Millbrook. She keeps the Kettle Café, which opens at seven."],
    )
    secrets: Lines = Field(
        (),
        description="What the person keeps secret: whole sentences about the person by name. Each is an early memory. Nobody is told.",
        examples=[["Mara has an offer for the Kettle Café"]],
    )
    currently: str = Field("", max_length=2000, description="What is on its mind these days.", examples=["Mara is planning a summer fair."])
    lifestyle: str = Field(
        "", max_length=1000, description="A sentence on when it sleeps and how it likes its day.", examples=["Mara goes to bed at nine."]
    )
    home: AddressText = Field(description="Where it sleeps: a bed or a room, without the town's id.", examples=["mara_house:bedroom:bed"])
    work: AddressText | None = Field(None, description="Where it works, without the town's id.", examples=["cafe:kitchen"])
    wake: TimeText = Field("06:00", description="When it wakes on an ordinary day.", examples=["06:00"])
    sleep: TimeText = Field("22:00", description="When it goes to bed; after midnight is fine.", examples=["22:00"])
    routine: tuple[RoutinePart, ...] = Field((), max_length=200, description="An ordinary day, in order of time, between wake and sleep.")
    knows: Annotated[tuple[AddressText, ...], Field(max_length=2000)] = Field(
        (),
        description="Places it knows from the start, with all in them. When left out: all public places of the town, and its own.",
        examples=[["cafe", "green:lawn"]],
    )
    voice: VoicePart = Field(VoicePart.model_construct(), description="How it talks.")
    relations: tuple[RelationPart, ...] = Field((), max_length=1000, description="What others are to it, as it sees them.")
    factions: tuple[Slug, ...] = Field((), description="Groups of the town file it belongs to; it knows what their members know.")
    offers: tuple[OfferPart, ...] = Field((), max_length=20, description="Actions of the game it may choose while it talks.")
    opt_out_of_memory: bool = Field(False, description="true: this person makes no memories of what happens.")
    vision_radius_m: float | None = Field(
        None,
        gt=0,
        le=1000,
        allow_inf_nan=False,
        description="How far it notices things, in metres; the settings' value when left out.",
        examples=[8],
    )
