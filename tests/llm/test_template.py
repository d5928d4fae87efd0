"""Chat templates: what they frame, and what they may not do."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npc_server.llm.random_model import CHATML
from npc_server.llm.template import MAX_TEMPLATE_CHARS, Frame, frame_of

GEMMA = (
    "{{ bos_token }}{% for m in messages %}{% if m['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}"
    "<start_of_turn>{{ m['role'] }}\n{{ m['content'] | trim }}<end_of_turn>\n{% endfor %}{{ '<start_of_turn>model\n' }}"
)


def test_template_frames_the_two_texts() -> None:
    frame = frame_of(CHATML)
    assert frame == Frame("<|im_start|>system\n", "<|im_end|>\n<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n", "template")


def test_model_without_a_system_role_gets_it_before_the_question() -> None:
    frame = frame_of(GEMMA, bos="<bos>")
    assert frame == Frame("<bos><start_of_turn>user\n", "\n\n", "<end_of_turn>\n<start_of_turn>model\n", "template")


def test_thinking_is_switched_off() -> None:
    assert frame_of(CHATML + "{% if enable_thinking is false %}<think></think>{% endif %}").after.endswith("<think></think>")


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
    began = time.monotonic()
    assert frame_of(template + CHATML if template.startswith("{{ ''") else template).source == "plain"
    assert time.monotonic() - began < 10


@given(st.text(alphabet="{}%#-_.'\"()[]|~+*<> \nabmessagsforinendifset0123", max_size=120))
@settings(max_examples=100, deadline=None)
def test_any_text_as_a_template_ends_in_a_frame(template: str) -> None:
    assert frame_of(template).source in ("template", "plain")
