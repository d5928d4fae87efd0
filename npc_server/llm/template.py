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

from jinja2 import TemplateRuntimeError

from npc_server.jinja_sandbox import BoundedSandbox
from npc_server.visible import visible

MAX_TEMPLATE_CHARS = 64 * 1024
"""Compiling grows with it, and no alarm stops that. The longest of known models have some 20,000."""
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
    problem: str = ""
    """Why the model's own template is not used; empty where it is, or there is none."""


class _TimeUp(BaseException):
    """The template takes too long. No Exception: Jinja, and a template, may catch those and go on."""


def frame_of(template: str, *, bos: str = "", eos: str = "", knows_chatml: bool = False) -> Frame:
    """The frame that `template` makes; ChatML where it is unusable and the vocabulary knows ChatML, else a plain one."""
    problem = ""
    try:
        with _limits():
            for messages in (
                [{"role": "system", "content": _SYSTEM}, {"role": "user", "content": _USER}],
                # Some templates have no place for a system text: it then opens the question.
                [{"role": "user", "content": f"{_SYSTEM}\n\n{_USER}"}],
            ):
                try:
                    parts = _split(_render(template, messages, bos, eos))
                except Exception as error:  # noqa: BLE001  (a stranger's program raises what it likes: SyntaxError, RuntimeError ...)
                    problem = problem or f"{type(error).__name__}: {error}"
                else:
                    if parts:
                        return Frame(*parts, "template")
                    problem = problem or "it does not show the system text and the question once each, in this order"
    except _TimeUp:
        problem = f"it takes longer than {MAX_SECONDS:g} s"
    problem = visible(problem[:300]) if template else ""
    return Frame(*_CHATML, "chatml", problem) if knows_chatml else Frame(*_PLAIN, "plain", problem)


def _split(text: str) -> tuple[str, str, str] | None:
    if text.count(_SYSTEM) != 1 or text.count(_USER) != 1:
        return None
    before, rest = text.split(_SYSTEM)
    if _USER not in rest:
        return None
    between, after = rest.split(_USER)
    return before, between, after


def _render(template: str, messages: list[dict[str, str]], bos: str, eos: str) -> str:
    """Raises TemplateError where the template asks for too much, and whatever it raises itself."""
    if len(template) > MAX_TEMPLATE_CHARS:
        raise TemplateRuntimeError(f"it has {len(template)} characters, and {MAX_TEMPLATE_CHARS} are read")
    # Not optimized: that would work out what is constant while compiling.
    sandbox = BoundedSandbox(trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"], cache_size=0, optimized=False)

    def give_up(message: object = "") -> None:
        raise TemplateRuntimeError(str(message)[:200])

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
            raise TemplateRuntimeError(f"it makes more than {MAX_RENDERED_CHARS} characters")
        chunks.append(part)
    return "".join(chunks)


@contextlib.contextmanager
def _limits() -> Iterator[None]:
    """Two seconds of work and some memory, however busy the machine is. The main thread of a process only, since alarms go there."""
    running = True

    def ring(*_: object) -> None:
        if running:
            raise _TimeUp

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm", "rb") as statm:  # noqa: PTH123
        now = int(statm.read().split()[0]) * resource.getpagesize()
    former = signal.signal(signal.SIGPROF, ring)
    try:
        # It rings again and again: an alarm in the middle of some clean-up of Python's is lost.
        signal.setitimer(signal.ITIMER_PROF, MAX_SECONDS, 0.05)
        resource.setrlimit(resource.RLIMIT_AS, (now + MAX_BYTES if hard == resource.RLIM_INFINITY else min(now + MAX_BYTES, hard), hard))
        yield
    finally:
        running = False
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, former)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
