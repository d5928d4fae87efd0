"""Runs a model's chat template safely, to find where it puts the system text and the question.

The template of a GGUF file is a program by a stranger (CVE-2024-34359). It runs once, when the model is loaded, in Jinja's immutable
sandbox, and with limits of time, memory and length. It gets placeholders and never what an NPC hears. So a text with a mark such as
`<|im_end|>` stays a text.
"""

from __future__ import annotations

from dataclasses import dataclass

from jinja2 import TemplateRuntimeError
from jinja2.ext import Extension
from jinja2.nodes import Node
from jinja2.parser import Parser

from npc_server.jinja_sandbox import BoundedSandbox
from npc_server.llm.thoughts import closed
from npc_server.platform.limits import TimeUp, limited
from npc_server.visible import visible

MAX_TEMPLATE_CHARS = 64 * 1024
"""A longer template is not compiled, because no alarm can stop the compiler. The longest of known models have some 20,000."""
MAX_RENDERED_CHARS = 64 * 1024
MAX_SECONDS = 2.0
MAX_BYTES = 256 * 1024 * 1024

_SYSTEM = "SYSTEMTEXT7f3a"
_USER = "USERTEXT7f3a"
_ANSWER, _NEXT = "ANSWERTEXT7f3a", "NEXTTEXT7f3a"
_CHATML = (
    "<|im_start|>system\n",
    "<|im_end|>\n<|im_start|>user\n",
    "<|im_end|>\n<|im_start|>assistant\n",
    "<|im_end|>\n<|im_start|>user\n",
)
_PLAIN = ("", "\n\n", "\n\n", "\n\n")


@dataclass(frozen=True)
class Frame:
    """What a chat template puts before, between and after the system text and the question, and between an answer and what follows it.

    A longer chat is these parts in turn. So an answer in it stands behind the same text as when the model wrote it, and is read only once.
    """

    before: str
    between: str
    after: str
    following: str
    """Between an answer and the next question."""
    source: str
    """`template`, `chatml` or `plain`."""
    problem: str = ""
    """Why the model's own template is not used. It is empty when that is used, or the model has none."""


class _Generation(Extension):
    """The tag `generation`, with which templates mark for training what the model wrote. Here its content stands alone."""

    tags = {"generation"}  # noqa: RUF012  a set, as in Jinja

    def parse(self, parser: Parser) -> list[Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def frame_of(template: str, *, bos: str = "", eos: str = "", knows_chatml: bool = False) -> Frame:
    """Returns the frame that `template` makes. If it is unusable, that is ChatML if the vocabulary knows it, or else a plain one."""
    problem = ""
    try:
        with limited(MAX_SECONDS, MAX_BYTES):
            for messages in (
                [{"role": "system", "content": _SYSTEM}, {"role": "user", "content": _USER}],
                # Some templates have no place for a system text. It then goes before the question.
                [{"role": "user", "content": f"{_SYSTEM}\n\n{_USER}"}],
            ):
                answered = [*messages, {"role": "assistant", "content": _ANSWER}, {"role": "user", "content": _NEXT}]
                try:
                    parts = _split(_render(template, messages, bos, eos), _render(template, answered, bos, eos))
                except Exception as error:  # noqa: BLE001  a stranger's program may raise anything: SyntaxError, RuntimeError ...
                    problem = problem or f"{type(error).__name__}: {error}"
                else:
                    if parts:
                        before, between, after, following = parts
                        # Some templates begin a thought whatever they are told.
                        return Frame(before, between, closed(after), following, "template")
                    problem = problem or "it does not show the system text and the question once each, in this order"
    except TimeUp:
        problem = f"it takes longer than {MAX_SECONDS:g} s"
    problem = visible(problem[:300]) if template else ""
    return Frame(*_CHATML, "chatml", problem) if knows_chatml else Frame(*_PLAIN, "plain", problem)


def _split(text: str, answered: str) -> tuple[str, str, str, str] | None:
    """The parts of a frame, from a chat with one question, and from one that was answered and goes on. None if they are not there."""
    if text.count(_SYSTEM) != 1 or text.count(_USER) != 1 or answered.count(_ANSWER) != 1 or answered.count(_NEXT) != 1:
        return None
    before, rest = text.split(_SYSTEM)
    following = answered.partition(_ANSWER)[2].partition(_NEXT)[0]
    if _USER not in rest or not following:
        return None
    between, after = rest.split(_USER)
    return before, between, after, following


def _render(template: str, messages: list[dict[str, str]], bos: str, eos: str) -> str:
    """Renders a template. Raises TemplateError when it is too long or makes too much, and whatever the template itself raises."""
    if len(template) > MAX_TEMPLATE_CHARS:
        raise TemplateRuntimeError(f"it has {len(template)} characters, and {MAX_TEMPLATE_CHARS} are read")
    # Without the optimizer, which would compute constant expressions while it compiles.
    extensions = ["jinja2.ext.loopcontrols", _Generation]
    sandbox = BoundedSandbox(trim_blocks=True, lstrip_blocks=True, extensions=extensions, cache_size=0, optimized=False)

    def give_up(message: object = "") -> None:
        raise TemplateRuntimeError(str(message)[:200])

    chunks: list[str] = []
    length = 0
    parts = sandbox.from_string(template).generate(
        messages=messages,
        add_generation_prompt=True,
        enable_thinking=False,  # Qwen3 would otherwise write its thoughts before the answer
        bos_token=bos,
        eos_token=eos,
        raise_exception=give_up,
        strftime_now=lambda form: "",  # the date of the game stands in the questions, and that of the machine would change the prompt daily
    )
    for part in parts:
        length += len(part)
        if length > MAX_RENDERED_CHARS:
            raise TemplateRuntimeError(f"it makes more than {MAX_RENDERED_CHARS} characters")
        chunks.append(part)
    return "".join(chunks)
