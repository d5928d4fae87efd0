"""Chat templates: what they frame, and what they may not do."""

from __future__ import annotations

import signal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import npc_server.llm.template
from npc_eval.random_model import CHATML
from npc_server.llm.template import MAX_TEMPLATE_CHARS, Frame, frame_of
from npc_server.llm.thoughts import MARKS

GEMMA = (
    "{{ bos_token }}{% for m in messages %}{% if m['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}"
    "<start_of_turn>{{ m['role'] }}\n{{ m['content'] | trim }}<end_of_turn>\n{% endfor %}{{ '<start_of_turn>model\n' }}"
)


def test_template_frames_the_two_texts() -> None:
    frame = frame_of(CHATML)
    asked, answer = "<|im_end|>\n<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n"
    assert frame == Frame("<|im_start|>system\n", asked, answer, asked, "template")


def test_model_without_a_system_role_gets_it_before_the_question() -> None:
    frame = frame_of(GEMMA, bos="<bos>")
    answer, following = "<end_of_turn>\n<start_of_turn>model\n", "<end_of_turn>\n<start_of_turn>user\n"
    assert frame == Frame("<bos><start_of_turn>user\n", "\n\n", answer, following, "template")


def test_thinking_is_switched_off() -> None:
    assert frame_of(CHATML + "{% if enable_thinking is false %}<think></think>{% endif %}").after.endswith("<think></think>")


def test_a_template_that_asks_for_the_date_and_marks_what_the_model_wrote_is_used() -> None:
    """As that of SmolLM3, which otherwise would think aloud: ChatML alone cannot switch that off."""
    template = (
        "<|im_start|>system\nToday: {{ strftime_now('%d %B %Y') ~ '.' }}\n{{ messages[0].content }}<|im_end|>\n"
        "{% for m in messages[1:] %}{% if m.role == 'user' %}<|im_start|>user\n{{ m.content }}<|im_end|>\n"
        "{% else %}{% generation %}<|im_start|>assistant\n{{ m.content }}<|im_end|>\n{% endgeneration %}{% endif %}{% endfor %}"
        "<|im_start|>assistant\n{% if not enable_thinking %}<think></think>{% endif %}"
    )
    frame = frame_of(template, knows_chatml=True)
    assert (frame.source, frame.problem) == ("template", "")
    assert frame.before == "<|im_start|>system\nToday: .\n"
    assert frame.after.endswith("<think></think>")


@pytest.mark.parametrize(("begin", "end"), MARKS)
def test_a_template_that_begins_a_thought_gets_an_empty_one(begin: str, end: str) -> None:
    assert frame_of(f"{CHATML}{{{{ '{begin}\n' }}}}").after.endswith(f"<|im_start|>assistant\n{begin}\n\n{end}\n\n")


def test_an_answer_in_a_chat_stands_behind_what_it_was_written_after() -> None:
    """So it is in the KV cache as it was written, though the template leaves the empty thought out of earlier turns."""
    thinks = CHATML + "{% if add_generation_prompt and not enable_thinking %}<think></think>{% endif %}"
    frame = frame_of(thinks)
    assert frame.after.endswith("assistant\n<think></think>")
    assert frame.following == "<|im_end|>\n<|im_start|>user\n"


def test_without_a_template_chatml_or_plain() -> None:
    assert frame_of("", knows_chatml=True).source == "chatml"
    assert frame_of("").source == "plain"


HOSTILE = [
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ cycler.__init__.__globals__.os.popen('touch /tmp/pwned').read() }}",
    "{{ messages.append(1) }}",
    "{{ 'a' * 10 ** 12 }}",
    "{{ '%999999999d' % 1 }}",
    "{{ (10 ** 10) ** 10 ** 8 }}",
    "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "{% for a in range(99999) %}aaaaaaaaaaaaaaaaaaaaaaaaaaa{% endfor %}",
    "{% set x = namespace(s='aaaaaaaaaaaaaaaa') %}{% for i in range(60) %}{% set x.s = x.s + x.s %}{% endfor %}{{ x.s }}",
    "{% set x = namespace(s='aaaaaaaaaaaaaaaa') %}{% for i in range(60) %}{% set x.s = x.s ~ x.s %}{% endfor %}{{ x.s }}",
    "{% macro m(n) %}{{ m(n + 1) }}{% endmacro %}{{ m(0) }}",
    "{{ range(99999) | list | join('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa') }}",
    "{{ 'a' | center(100000000000) }}",
    "{{ undefined.thing.other }}",
    "{% if %}",
    "{" * 5000,
    "{% include '/etc/passwd' %}",
    "no place for either text",
    "x" * (MAX_TEMPLATE_CHARS + 1),
]


@pytest.mark.parametrize("template", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_template_is_not_used_and_does_no_harm(template: str) -> None:
    assert frame_of(template + CHATML if template.startswith("{{ ''") else template).source == "plain"


OK = "{{ messages[0].content }}{% if messages|length > 1 %}{{ messages[1].content }}{% endif %}"
TOO_MUCH = {
    "slice": "{{ [1]|slice(200000000, 'x')|list|length }}",
    "batch": "{{ [1]|batch(2000000000, 'x')|list|length }}",
    "center": "{{ 'x'|center(2000000000) }}",
    "indent": "{{ 'a\n'|indent(100000) }}",
    "round": "{{ 1.5|round(2000000000) }}",
    "rjust": "{{ messages[0].content.rjust(2000000000) }}",
    "ljust": "{{ 'x'.ljust(2000000000) }}",
    "range": "{% for i in range(1000000000) %}{% endfor %}",
    "replace": "{{ 'a'.ljust(9000, 'a')|replace('a', 'b'.ljust(9000, 'b'))|length }}",
    "+": "{% set ns = namespace(s=[1]) %}{% for i in range(60) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
    "the operator *": "{{ 'a' * 1000000000 }}",
    "the operator %": "{{ '%1000000000d' % 1 }}",
    "the numbers of *": "{% set ns = namespace(x=1) %}{% for i in range(9999) %}{% set ns.x = ns.x * 1023 %}{% endfor %}",
    "the numbers of **": "{{ ((9 ** 1000) ** 1000) ** 500 }}",
}


@pytest.mark.parametrize("what", TOO_MUCH)
def test_a_single_step_that_makes_much_out_of_little_is_refused_before_it_runs(what: str) -> None:
    """No alarm would stop it: Python rings between its steps, and Jinja worked such things out while compiling."""
    frame = frame_of(TOO_MUCH[what] + OK)
    assert frame.source == "plain"
    assert frame.problem.startswith("SecurityError: ")
    assert what in frame.problem


@pytest.mark.parametrize(
    ("kind", "template"),
    [
        ("SyntaxError", "{% for a in [1] %}" * 25 + "x" + "{% endfor %}" * 25),
        ("RuntimeError", "{% set g = cycler() %}{{ g.next() }}"),
        ("RecursionError", "{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}"),
        ("RecursionError", "{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}"),
        ("ZeroDivisionError", "{{ 1 // 0 }}"),
        ("UndefinedError", "{{ lipsum(100) }}"),
        ("TemplateRuntimeError: it has 70", "x" * 70_000),
        ("TemplateSyntaxError", "{% if %}\x1b[31m"),
    ],
)
def test_whatever_a_template_raises_is_told_and_the_model_runs_without_it(kind: str, template: str) -> None:
    frame = frame_of(template + OK, knows_chatml=True)
    assert frame.source == "chatml"
    assert frame.problem.startswith(kind)
    assert len(frame.problem) < 400
    assert "\x1b" not in frame.problem


def test_time_is_up_but_once_for_a_template(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither Jinja nor the second way of asking goes on after the alarm."""
    monkeypatch.setattr(npc_server.llm.template, "MAX_SECONDS", 0.2)
    former = signal.getsignal(signal.SIGPROF)
    endless = "{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}"
    assert frame_of(endless + OK).problem == "it takes longer than 0.2 s"
    assert signal.getsignal(signal.SIGPROF) is former
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_a_model_without_a_template_has_no_problem() -> None:
    assert frame_of("").problem == frame_of(CHATML).problem == frame_of(GEMMA).problem == ""
    assert "once each" in frame_of("no place for either text").problem


@given(st.text(alphabet="{}%#-_.'\"()[]|~+*<> \nabmessagsforinendifset0123", max_size=120))
@settings(max_examples=100, deadline=None)
def test_any_text_as_a_template_ends_in_a_frame(template: str) -> None:
    assert frame_of(template).source in ("template", "plain")
