"""Runs Jinja templates of modders in a sandbox that also limits their time and memory."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment

MAX_COUNT = 10_000
"""Largest number that a filter, function or method accepts, for example as a width or a range."""
MAX_NUMBER = 2**53
"""Largest number that an operator accepts."""
MAX_POWER = 64
"""Largest exponent."""
MAX_LENGTH = 1_000_000
"""Most characters or items in the result of a filter, function, method or `+`."""


class BoundedSandbox(ImmutableSandboxedEnvironment):
    """Jinja's immutable sandbox with limits. Raises SecurityError, which is a TemplateError.

    No time limit can interrupt a single step of Python, so each step is kept small.
    """

    intercepted_binops = frozenset(["+", "*", "**", "%"])

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.filters = {name: _bounded(name, function) for name, function in self.filters.items()}
        del self.globals["lipsum"]

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        if isinstance(left, int | float) and isinstance(right, int | float):
            if max(abs(left), abs(right)) > MAX_NUMBER or (operator == "**" and abs(right) > MAX_POWER):
                raise SecurityError(f"the numbers of {operator} are too large")
        elif operator != "+":  # 'a' * 10, '%9d' % 1
            raise SecurityError(f"the operator {operator} on {type(left).__name__}")
        return _short(operator, super().call_binop(context, operator, left, right))

    def call(self, context: Any, function: Any, *args: Any, **named: Any) -> Any:
        _few(getattr(function, "__name__", "a call").removeprefix("safe_"), (*args, *named.values()))
        return _short("a call", super().call(context, function, *args, **named))


def _bounded(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    # The filtered value may be any number. Jinja passes its context or environment to some filters as the first argument.
    given = 2 if hasattr(function, "jinja_pass_arg") else 1

    @functools.wraps(function)
    def bounded(*args: Any, **named: Any) -> Any:
        _few(name, (*args[given:], *named.values()))
        return _short(name, function(*args, **named))

    return bounded


def _few(name: str, args: tuple[Any, ...]) -> None:
    for given in args:
        if isinstance(given, int | float) and abs(given) > MAX_COUNT:
            raise SecurityError(f"{name} is given a number above {MAX_COUNT}")


def _short(name: str, value: Any) -> Any:
    if isinstance(value, str | list | tuple) and len(value) > MAX_LENGTH:
        raise SecurityError(f"{name} gives a value longer than {MAX_LENGTH}")
    return value
