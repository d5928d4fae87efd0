"""What follows from a line that a model has just spoken: an agreement, an action of the game, that it leaves.

The words come first and stream. This is asked afterwards, bound by a grammar, so that only what may follow can be written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated

from npc_server import clock
from npc_server.errors import EngineError, ReplyUnreadable
from npc_server.llm.engine import Request
from npc_server.llm.reply import Kind, literal, one
from npc_server.mind import offers
from npc_server.mind.agreement import Agreement, AgreementKind
from npc_server.mind.ask import NOTHING, completed, note
from npc_server.mind.mind import Mind
from npc_server.mind.offers import Call
from npc_server.personas.schema import Offer, Parameter
from npc_server.prompts.budget import Prompt
from npc_server.records import CallOutcome, GameTime, Line, Talk

QUESTION = "chat_after"
LINES_READ = 4
"""Latest lines that the question shows."""
FOLLOW_TOKENS = 24
"""Tokens of the answer: an agreement with day, hour, place and purpose."""
NONE, LEAVE = "nothing", "leave"


AGREES_TO_NOTHING = Agreement(comes=False)


@dataclass(frozen=True)
class Follows:
    """What follows from a line."""

    agrees: Agreement = AGREES_TO_NOTHING
    call: Call | None = None
    leaves: bool = False


@dataclass(frozen=True)
class FollowsKind(Kind):
    """`nothing`, `leave`, an agreement, or one of the offers with its arguments."""

    agreement: AgreementKind
    offered: tuple[Offer, ...] = ()

    def describe(self, name: str) -> str:
        return NONE

    def regex(self) -> str:
        calls = [offers.OneOf(self.offered).regex()] if self.offered else []
        return "(" + "|".join([literal(NONE), literal(LEAVE), self.agreement.regex(), *calls]) + ")"

    def read(self, text: str) -> object:
        plain = text.strip().rstrip(".")
        if plain in (NONE, LEAVE):
            return Follows(leaves=plain == LEAVE)
        if self.offered and re.match(r"\w+\(", plain):
            call = offers.OneOf(self.offered).read(plain)
            return Follows(call=call if isinstance(call, Call) else None)
        found = self.agreement.read(plain)
        return Follows(agrees=found if isinstance(found, Agreement) else AGREES_TO_NOTHING)

    def write(self, value: object) -> str:
        if not isinstance(value, Follows):
            return NONE
        if value.call is not None:
            return offers.OneOf(self.offered).write(value.call)
        return self.agreement.write(value.agrees) if value.agrees.comes else LEAVE if value.leaves else NONE


@dataclass(frozen=True)
class After:
    """The reply."""

    follows: Annotated[Follows, FollowsKind(AgreementKind())]


async def follows(mind: Mind, talk: Talk, said: str, now: GameTime) -> Follows:
    """Return what follows from the line `said`, which is not in `talk` yet. Nothing does where the model does not answer.

    The question shows the last lines alone. What stands before them is the same for all of a persona's talks, and so is read once.
    """
    asked_by = next((line.speaker for line in reversed(talk.lines) if line.speaker != mind.npc), "")
    if not asked_by or mind.answerer.leaves_to_instinct(QUESTION):
        return Follows()
    offered = tuple(mind.persona.offers)
    reply = one(After, follows=FollowsKind(AgreementKind(), offered))
    rendered = mind.tools.prompts.render(
        QUESTION,
        {
            "date": clock.date(now),
            "time": clock.hhmm(now),
            "place": mind.world.describe(talk.place) if talk.place else "",
            "dialogue": mind.dialogue((*talk.lines, Line(mind.npc, said, now))[-LINES_READ:]),
            "offers": [_shown(it) for it in offered],
        },
    )
    request = Request(
        rendered.part("system"), rendered.part("user"), reply, mind.seed_for(QUESTION, now, len(talk.lines)), mind.npc, QUESTION,
        FOLLOW_TOKENS, temperature=0.0, priority=mind.budget.priority, at=now, lasting_turns=0,
    )  # fmt: skip
    try:
        done = await completed(mind, request, Prompt(request.system, request.user, (), 0), None, now)
        if done is None:
            return Follows()
        found = reply.parse(done.text).follows
    except (EngineError, ReplyUnreadable) as error:
        note(mind, QUESTION, now, NOTHING, CallOutcome.INSTINCT, error.what, asked=request)
        return Follows()
    note(mind, QUESTION, now, done, CallOutcome.USED, "", asked=request)
    return found


def _shown(offer: Offer) -> dict[str, str]:
    """An offer as the prompt shows it: how it may be asked for, what is said with it, and the note of that."""
    values = {it.name: _example(it) for it in offer.parameters}
    return {
        "asked": f"Please {offer.description}. {', '.join(values.values())}".strip(),
        "said": next(iter(offer.says), "Gladly, here you are."),
        "note": f"{offer.name}({', '.join(f'{name}={value}' for name, value in values.items())})",
        "description": offer.description,
        "values": "; ".join(f"{it.name} is {_range(it)}" for it in offer.parameters),
    }


def _example(parameter: Parameter) -> str:
    if parameter.type == "choice":
        return parameter.options[0]
    return str(parameter.low) if parameter.type == "integer" else "bread"


def _range(parameter: Parameter) -> str:
    if parameter.type == "choice":
        return ", ".join(parameter.options)
    return f"a number from {parameter.low} to {parameter.high}" if parameter.type == "integer" else "a few words"
