"""Finds out once what an endpoint is: its model, the fields that it takes, whether it thinks first, and what form it obeys."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from npc_server.errors import EngineError, ModelMissing
from npc_server.llm import thoughts
from npc_server.llm.endpoint.client import EndpointClient, TryAgain, Written
from npc_server.llm.endpoint.form import Form, obeyed, probe
from npc_server.llm.endpoint.messages import shown
from npc_server.llm.endpoint.quiet import Messages, Quiet, quiet_fields, quiet_messages, without_system_role

PROBE: Messages = ({"role": "system", "content": "Be brief."}, {"role": "user", "content": "Say hello."})
PROBE_TOKENS = 24
THOUGHT_TOKENS = 512
"""Tokens that a model gets for its thoughts where nothing switches them off."""
REJECTED = frozenset({"400", "404", "415", "422", "500", "501"})
"""HTTP statuses with which endpoints refuse what they do not know. Some answer 500 to a field or a role that they cannot use."""
MIN_P = 0.05
"""Share of the likeliest token below which none is sampled, where the settings say nothing."""


@dataclass(frozen=True)
class Facts:
    """What an endpoint is."""

    model: str
    """The name by which the endpoint knows its model."""
    context_tokens: int = 0
    """0 when the endpoint does not say."""
    form: Form = Form.WORDS
    open: bool = True
    """Whether it takes the fields of open servers, such as `min_p` and what its template should do."""
    system_role: bool = True
    """Whether its model has a role for the system. Else the user says that, too."""
    quiet: Quiet | None = None
    """What switches thinking off, where the template does not."""
    thinks: bool = False
    """Whether nothing does."""
    begins_in_thought: bool = False
    """Whether its replies begin in the middle of a thought, as its template has begun one."""

    @property
    def shown(self) -> str:
        return shown(self.model)

    def request(self, messages: Messages, min_p: float = MIN_P) -> dict[str, Any]:
        """Return the part of a request that depends on the endpoint: its model, the messages as it takes them, and its fields."""
        asked = messages if self.system_role else without_system_role(messages)
        fields = open_fields(min_p) if self.open else {}
        return {"model": self.model, "messages": list(quiet_messages(asked, self.quiet)), **fields, **quiet_fields(self.quiet)}

    def tokens(self, wanted: int) -> int:
        """Return the most tokens of a reply, with those for thoughts that nothing switches off."""
        return wanted + (THOUGHT_TOKENS if self.thinks else 0)


def open_fields(min_p: float) -> dict[str, Any]:
    """Fields that open servers know and hosted ones may refuse: a sampler's, and what keeps a model from thinking aloud first."""
    return {"chat_template_kwargs": {"enable_thinking": False}, "min_p": min_p}


def penalty_fields(by: float) -> dict[str, Any]:
    """The repeat penalty as llama-server, Ollama and LM Studio call it, and as vLLM and SGLang do."""
    return {"repeat_penalty": by, "repetition_penalty": by}


async def find_out(client: EndpointClient) -> Facts:
    """Ask an endpoint some small questions. Raises TryAgain and EngineError."""
    entry = await client.model()
    facts, answer = await _taken(client, Facts(entry.id, entry.context_tokens))
    if _thinks(answer):
        facts, answer = await _quieted(client, facts, answer)
    form, shows_it = await _form(client, facts)
    if shows_it is not None:
        return replace(facts, form=form, thinks=_thinks(shows_it), begins_in_thought=thoughts.never_began(shows_it.text))
    # A long answer to so short a question is a thought that has not ended, unless thoughts come apart from it.
    goes_on = answer.finish == "length" and not answer.thought
    return replace(facts, begins_in_thought=goes_on or thoughts.never_began(answer.text))


async def _taken(client: EndpointClient, facts: Facts) -> tuple[Facts, Written]:
    """The facts with which the endpoint answers at all: with or without the fields of open servers, and the system's role."""
    first: Exception | None = None
    for is_open, system_role in ((True, True), (False, True), (True, False), (False, False)):
        tried = replace(facts, open=is_open, system_role=system_role)
        try:
            return tried, await _answered(client, tried)
        except (TryAgain, EngineError) as error:
            if not _is_refusal(error):
                raise
            first = first or error
    assert first is not None
    raise first


async def _quieted(client: EndpointClient, facts: Facts, thinking: Written) -> tuple[Facts, Written]:
    """The facts with the first way that keeps the model from thinking, and its answer then."""
    for way in Quiet:
        tried = replace(facts, quiet=way)
        try:
            answer = await _answered(client, tried)
            if not _thinks(answer):
                return tried, answer
        except (TryAgain, EngineError) as error:
            if not _cannot_use(error):
                raise
    return replace(facts, thinks=True), thinking


async def _form(client: EndpointClient, facts: Facts) -> tuple[Form, Written | None]:
    """The strictest form that the endpoint obeys, and the answer that shows it; None for words, which need no showing."""
    for form in (it for it in Form if it is not Form.WORDS):
        try:
            written = await _asked(client, facts, probe(form))
        except (TryAgain, EngineError) as error:
            if not _cannot_use(error):
                raise
            continue
        if obeyed(form, thoughts.spoken(written.text)):
            return form, written
    return Form.WORDS, None


async def _answered(client: EndpointClient, facts: Facts) -> Written:
    """A plain answer. One that is cut off may be the beginning of a thought that the template has begun, and gets room to end."""
    answer = await _asked(client, facts, {})
    if answer.finish != "length" or _thinks(answer):
        return answer
    return await _asked(client, facts, {}, THOUGHT_TOKENS)


async def _asked(client: EndpointClient, facts: Facts, fields: dict[str, Any], tokens: int = 0) -> Written:
    most = facts.tokens(tokens or PROBE_TOKENS)
    body = {**facts.request(PROBE), "max_tokens": most, "temperature": 0, "stream": True, **fields}
    return await client.chat(body, lambda _: None)


def _thinks(answer: Written) -> bool:
    return answer.thought or thoughts.is_thought(answer.text)


def _is_refusal(error: TryAgain | EngineError) -> bool:
    problem = error.problem if isinstance(error, TryAgain) else error
    return problem.values.get("status") in REJECTED


def _cannot_use(error: TryAgain | EngineError) -> bool:
    """Whether the endpoint refuses a field, or breaks over it, as some servers do."""
    return _is_refusal(error) or (isinstance(error, TryAgain) and not isinstance(error.problem, ModelMissing))
