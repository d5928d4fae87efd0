"""What a template may make out of little."""

from __future__ import annotations

import pytest
from jinja2.exceptions import SecurityError

from npc_server.jinja_sandbox import MAX_LENGTH, BoundedSandbox


def render(template: str, **values: object) -> str:
    return BoundedSandbox().from_string(template).render(values)


def test_what_templates_need_works() -> None:
    assert render("{{ 3 + 4 * 2 - 7 % 4 }} {{ 2 ** 10 }} {{ 'a' + 'b' }} {{ [1] + [2] }}") == "8 1024 ab [1, 2]"
    assert render("{{ names|join(', ')|upper|replace('A', 'o') }}", names=["ada", "bo"]) == "oDo, BO"
    assert render("{{ {'a': [1]}|tojson(indent=2) }}") == '{\n  "a": [\n    1\n  ]\n}'
    assert render("{% for i in range(n|length) %}{{ loop.index }}{% endfor %}", n="abc") == "123"
    assert render("{{ n|string|length }}", n=10**30) == "31", "a value may be any number"
    assert render("{{ names|map('upper')|list|batch(2)|list }}", names="abc") == "[['A', 'B'], ['C']]"


@pytest.mark.parametrize(
    "template",
    [
        "{{ 'x' * 2 }}",
        "{{ 2 * 'x' }}",
        "{{ [1] * 3 }}",
        "{{ '%d' % 3 }}",
        "{{ big * 2 }}",
        "{{ 2 ** 65 }}",
        "{{ 2 ** -65 }}",
        "{{ long + long }}",
        "{{ range(10001) }}",
        "{{ [1]|slice(10001)|list }}",
        "{{ [1]|slice(slices=10001)|list }}",
        "{{ 'a'|indent(width=10001) }}",
        "{{ ['aa', 'bb']|join(long) }}",
        "{{ 'a'.zfill(10001) }}",
        "{{ ''.__class__.__mro__ }}",
    ],
)
def test_what_grows_is_refused(template: str) -> None:
    with pytest.raises(SecurityError):
        render(template, big=2**54, long="x" * MAX_LENGTH)


def test_there_is_no_filler_text() -> None:
    assert render("{{ lipsum is defined }}") == "False"
