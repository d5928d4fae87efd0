"""The kinds of cases, with their fields and checks."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from npc_server import clock
from npc_server.document_errors import Wrong, did_you_mean, words
from npc_server.personas.file import slug

NOBODY = "Robin Ames"
"""Who is asked when a case names nobody."""


def _address(text: str) -> str:
    parts = text.split(":")
    if len(parts) < 2:
        raise Wrong(f"Address {text[:80]!r} names no place in a town.", "Begin with the town's id, e.g. 'town:cafe:kitchen:stove'.")
    for part in parts:
        slug(part)
    return text


def _moment(text: str) -> str:
    try:
        clock.parse_datetime(text)
    except ValueError as error:
        raise Wrong(f"{text[:40]!r} is not a date and time.", "Write e.g. '2026-05-04 18:00'.") from error
    return text


Words = Annotated[str, Field(min_length=1, max_length=1000), AfterValidator(words)]
Place = Annotated[str, Field(max_length=300), AfterValidator(_address)]
Moment = Annotated[str, AfterValidator(_moment)]
Strings = Annotated[tuple[Words, ...], Field(min_length=1, max_length=50)]


class CasePart(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=False)


class Remembered(CasePart):
    """A memory with its source: `{"text": "…", "told_by": "Tobin Hale", "hours_ago": 30}`."""

    text: Words
    told_by: str = Field("", max_length=100)
    hours_ago: float | None = Field(None, ge=0, le=100_000)


def _of_text(value: object) -> object:
    return {"text": value} if isinstance(value, str) else value


def _of_address(value: object) -> object:
    return {"address": value} if isinstance(value, str) else value


class Offered(CasePart):
    """A place with its actions: `{"address": "town:cafe:kitchen:stove", "can": ["cook"], "state": "off"}`."""

    address: Place
    can: tuple[Words, ...] = Field((), max_length=20)
    state: str = Field("", max_length=60)


MemoryLike = Annotated[Remembered, BeforeValidator(_of_text)]
PlaceLike = Annotated[Offered, BeforeValidator(_of_address)]


class BaseCase(CasePart):
    """Fields of every kind. `npc` is the name of who is asked, `persona` has keys of a persona file."""

    npc: Words = NOBODY
    persona: dict[str, Any] = Field(default_factory=dict)
    memories: tuple[MemoryLike, ...] = Field((), max_length=200, examples=[["Ines lost her keys."]])
    now: Moment = Field("2026-05-04 18:00", examples=["2026-05-04 18:00"])
    note: str = Field("", max_length=1000)
    """A comment for people."""


class Recall(BaseCase):
    """A question that the memories answer, or, with `expect: null`, do not answer."""

    kind: Literal["recall"]
    question: Words = Field(examples=["Who has the key?"])
    expect: Strings | None = Field(examples=[["Tobin"]])
    never: tuple[Words, ...] = Field((), max_length=50)


class Importance(BaseCase):
    """The importance of a memory, rated by hand."""

    kind: Literal["importance"]
    memory: Words = Field(examples=["Ines lost her keys."])
    expect: int = Field(ge=1, le=10, examples=[7])


class PlaceFor(BaseCase):
    """Where an activity is done, among the places offered."""

    kind: Literal["place"]
    activity: Words = Field(examples=["bake bread"])
    offered: tuple[PlaceLike, ...] = Field(min_length=2, max_length=64, examples=[["town:cafe:kitchen:oven", "town:park:bench"]])
    expect: Annotated[tuple[Place, ...], Field(min_length=1, max_length=50, examples=[["town:cafe:kitchen:oven"]])]

    @model_validator(mode="after")
    def _offered(self) -> PlaceFor:
        known = [place.address for place in self.offered]
        twice = next((a for a in known if known.count(a) > 1), None)
        if twice:
            raise Wrong(f"{twice!r} is offered twice.", "Delete one.")
        if len({a.split(":")[0] for a in known}) > 1:
            raise Wrong("The offered places lie in different towns.", "Let all begin with the same id.")
        for wanted in self.expect:
            if wanted not in known:
                raise Wrong(f"'expect' has {wanted!r}, which is not offered.", did_you_mean(wanted, known) or "Offer it.")
        return self


class React(BaseCase):
    """The reaction to something noticed."""

    kind: Literal["react"]
    doing: Words = Field(examples=["reading"])
    observation: Words = Field(examples=["Tobin Hale is waving"])
    person: str | None = Field(None, max_length=100)
    """Who is noticed and could be talked to: when left out, the name at the start of the observation; empty for nobody."""
    here: Place | None = None
    relation: str = Field("", max_length=200)
    """What the person is to the NPC, e.g. `old friend`."""
    expect: Literal["continue", "wait", "change", "talk"] = Field(examples=["talk"])

    @property
    def noticed(self) -> str:
        if self.person is not None:
            return self.person
        found: list[str] = []
        for word in self.observation.split():
            if not word[:1].isupper() or (not found and word in ("The", "A", "An", "There", "Your", "Somebody", "Someone", "It")):
                break
            found.append(word.removesuffix("'s"))
            if word.endswith("'s"):
                return ""  # her dog or her house, not herself
        return " ".join(found)

    @model_validator(mode="after")
    def _somebody(self) -> React:
        if self.expect == "talk" and not self.noticed:
            raise Wrong("'expect' is 'talk', and the observation names nobody to talk to.", "Begin it with a name, or give 'person'.")
        return self


class Say(BaseCase):
    """The next line of a talk. It should have one of `expect`, none of `never`, and no name that the prompt does not have."""

    kind: Literal["say"]
    to: Words = Field(examples=["Tobin Hale"])
    heard: str = Field("", max_length=400, examples=["How is your leg?"])
    before: tuple[Words, ...] = Field((), max_length=20)
    """Lines before `heard`, in turn; the last of them is the NPC's own."""
    about: str = Field("", max_length=200)
    relation: str = Field("", max_length=200)
    expect: Strings | None = Field(None, examples=[["the leg"]])
    never: tuple[Words, ...] = Field((), max_length=50)


class Called(CasePart):
    """A game call, with the arguments that are compared."""

    name: Words = Field(examples=["open_shop"])
    arguments: dict[str, str | int] = Field(default_factory=dict)


class OfferCase(BaseCase):
    """A line to a person whose `persona` has `offers`, and the call that it asks for; with `expect: null` none."""

    kind: Literal["offer"]
    heard: Words = Field(examples=["Two loaves, please."])
    before: tuple[Words, ...] = Field((), max_length=20)
    """Lines before `heard`, in turn; the last of them is the NPC's own."""
    expect: Called | None = Field(examples=[{"name": "open_shop"}])

    @model_validator(mode="after")
    def _is_offered(self) -> OfferCase:
        offers = self.persona.get("offers")
        names = [offer.get("name") for offer in offers if isinstance(offer, dict)] if isinstance(offers, list) else []
        if not names:
            raise Wrong("The persona offers nothing.", "Give 'persona' a list of 'offers', as in a persona file.")
        if self.expect is not None and self.expect.name not in names:
            fix = did_you_mean(self.expect.name, [str(name) for name in names]) or "Add it to the offers."
            raise Wrong(f"'expect' has {self.expect.name!r}, which is not offered.", fix)
        return self


class Partner(CasePart):
    """The other person of a dialogue."""

    npc: Words
    persona: dict[str, Any] = Field(default_factory=dict)
    memories: tuple[MemoryLike, ...] = Field((), max_length=200)


class Dialogue(BaseCase):
    """Eight turns between two people. `topic` has words that show that they stay on the topic."""

    kind: Literal["dialogue"]
    partner: Partner = Field(alias="with")
    about: Words = Field(examples=["the broken mill"])
    relation: str = Field("neighbour", max_length=200)
    topic: Strings = Field(examples=[["mill", "wheel"]])


class NamedPlace(CasePart):
    address: Place
    name: Words = Field(examples=["the Kettle Café"])


class InvitationCase(BaseCase):
    """An invitation in a talk that must turn up in the day's plan."""

    kind: Literal["invitation"]
    inviter: Words = Field(alias="from", examples=["Ada Finch"])
    heard: Strings = Field(examples=[["Come to my party at the mill on Friday at 19:00!"]])
    """Lines of the inviter. The NPC says something short in between."""
    relation: str = Field("close friend", max_length=200)
    places: tuple[NamedPlace, ...] = Field(min_length=1, max_length=30)
    at: Moment = Field(examples=["2026-05-08 19:00"])
    place: Place = Field(examples=["town:mill"])

    @model_validator(mode="after")
    def _known(self) -> InvitationCase:
        known = [place.address for place in self.places]
        if self.place not in known:
            raise Wrong(f"'place' is {self.place!r}, which is none of 'places'.", did_you_mean(self.place, known) or "Add it there.")
        if clock.parse_datetime(self.at) <= clock.parse_datetime(self.now):
            raise Wrong(f"'at' is {self.at!r}, and it is {self.now!r} already.", "Let it lie after 'now'.")
        return self


class Support(CasePart):
    """An insight with one of `words` is based on memories among these numbers."""

    words: Strings = Field(examples=[["rent", "money"]])
    memories: Annotated[tuple[Annotated[int, Field(ge=1)], ...], Field(min_length=1)]


class Insights(BaseCase):
    """Insights, each with the numbers of its evidence."""

    kind: Literal["insights"]
    supports: Annotated[tuple[Support, ...], Field(min_length=1, max_length=50)]

    @model_validator(mode="after")
    def _numbers(self) -> Insights:
        if len(self.memories) < 3:
            raise Wrong(f"There are {len(self.memories)} memories.", "Give three at least.")
        worst = max(number for support in self.supports for number in support.memories)
        if worst > len(self.memories):
            raise Wrong(f"'supports' names memory {worst}, and there are {len(self.memories)}.", "Memories count from 1.")
        return self


Case = Recall | Importance | PlaceFor | React | Say | OfferCase | Dialogue | InvitationCase | Insights


MODELS: dict[str, type[BaseCase]] = {
    "recall": Recall,
    "importance": Importance,
    "place": PlaceFor,
    "react": React,
    "say": Say,
    "offer": OfferCase,
    "dialogue": Dialogue,
    "invitation": InvitationCase,
    "insights": Insights,
}
KINDS = tuple(MODELS)
"""Names of the kinds, in the order of tables."""
