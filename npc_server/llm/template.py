"""Where a model's chat template puts the system text and the question.

A GGUF file's template is a program by a stranger (CVE-2024-34359). It is run once, when the model is loaded, with placeholders
instead of texts, in Jinja's immutable sandbox, within limits of time, memory and length. What an NPC hears never reaches it, and
a text that holds a mark such as `<|im_end|>` stays a text.
"""

from __future__ import annotations

import contextlib
import resource
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from jinja2 import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

MAX_TEMPLATE_CHARS = 256 * 1024
MAX_RENDERED_CHARS = 64 * 1024
MAX_SECONDS = 2.0
MAX_BYTES = 256 * 1024 * 1024

_SYSTEM = "SYSTEMTEXT7f3a"
_USER = "USERTEXT7f3a"
_CHATML = ("<|im_start|>system\n", "<|im_end|>\n<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n")
_PLAIN = ("", "\n\n", "\n\n")


@dataclass(frozen=True)
class Frame:
    """What stands before, between and after the two texts."""

    before: str
    between: str
    after: str
    source: str
    """`template`, `chatml` or `plain`."""


class _Refused(Exception):
    """The template asked for more than it may have."""


class _Sandbox(ImmutableSandboxedEnvironment):
    """Without the operators that make large values out of small ones."""

    intercepted_binops = frozenset(["*", "**", "%"])

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        small = isinstance(left, int | float) and isinstance(right, int | float) and abs(right) < 1024
        if (operator == "%" and isinstance(left, str)) or not small:
            raise _Refused(f"the operator {operator} on {type(left).__name__}")
        return super().call_binop(context, operator, left, right)


def frame_of(template: str, *, bos: str = "", eos: str = "", knows_chatml: bool = False) -> Frame:
    """The frame that `template` makes; ChatML where it is unusable and the vocabulary knows ChatML, else a plain one."""
    for messages in (
        [{"role": "system", "content": _SYSTEM}, {"role": "user", "content": _USER}],
        # Some templates have no place for a system text: it then opens the question.
        [{"role": "user", "content": f"{_SYSTEM}\n\n{_USER}"}],
    ):
        parts = _split(_render(template, messages, bos, eos))
        if parts:
            return Frame(*parts, "template")
    return Frame(*_CHATML, "chatml") if knows_chatml else Frame(*_PLAIN, "plain")


def _split(text: str) -> tuple[str, str, str] | None:
    if text.count(_SYSTEM) != 1 or text.count(_USER) != 1:
        return None
    before, rest = text.split(_SYSTEM)
    if _USER not in rest:
        return None
    between, after = rest.split(_USER)
    return before, between, after


def _render(template: str, messages: list[dict[str, str]], bos: str, eos: str) -> str:
    """The text, or nothing when the template fails or asks for too much."""
    if not template or len(template) > MAX_TEMPLATE_CHARS:
        return ""
    sandbox = _Sandbox(trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"], cache_size=0)

    def give_up(message: object = "") -> None:
        raise _Refused(str(message)[:200])

    try:
        with _limits():
            chunks: list[str] = []
            length = 0
            parts = sandbox.from_string(template).generate(
                messages=messages,
                add_generation_prompt=True,
                enable_thinking=False,  # Qwen3: an NPC answers, it does not think aloud
                bos_token=bos,
                eos_token=eos,
                raise_exception=give_up,
            )
            for part in parts:
                length += len(part)
                if length > MAX_RENDERED_CHARS:
                    return ""
                chunks.append(part)
            return "".join(chunks)
    except (TemplateError, _Refused, MemoryError, RecursionError, ArithmeticError, TypeError, ValueError, LookupError, AttributeError):
        return ""


@contextlib.contextmanager
def _limits() -> Iterator[None]:
    """Two seconds and some memory. The main thread of a process only, since alarms go there."""

    def ring(*_: object) -> None:
        raise _Refused("time")

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm", "rb") as statm:  # noqa: PTH123
        now = int(statm.read().split()[0]) * resource.getpagesize()
    former = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, MAX_SECONDS)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (now + MAX_BYTES if hard == resource.RLIM_INFINITY else min(now + MAX_BYTES, hard), hard))
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
