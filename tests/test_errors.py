"""The tree of errors."""

from __future__ import annotations

from collections.abc import Iterator

from npc_server import errors
from npc_server.errors import FileProblem, NpcServerError, Problem, SaveInUse


def below(cls: type[NpcServerError]) -> Iterator[type[NpcServerError]]:
    for child in cls.__subclasses__():
        if child.__module__ == errors.__name__:
            yield child
            yield from below(child)


def test_a_message_says_what_failed_and_the_fix_and_keeps_the_values() -> None:
    error = SaveInUse("Slot 'a' is open.", "Close it first.", slot="a", pid=7)
    assert str(error) == "Slot 'a' is open. Close it first."
    assert (error.what, error.fix, error.values) == ("Slot 'a' is open.", "Close it first.", {"slot": "a", "pid": "7"})


def test_a_message_without_a_fix_has_no_space_at_its_end() -> None:
    assert str(NpcServerError("It failed.")) == "It failed."


def test_a_file_problem_lists_every_mistake_with_its_place() -> None:
    error = FileProblem((Problem("a.yaml", 3, "X is wrong.", "Mend X."), Problem("a.yaml", 0, "Y is wrong.", "")))
    assert str(error) == "a.yaml:3: X is wrong. Mend X.\na.yaml: Y is wrong."
    assert error.values == {"file": "a.yaml"}


def test_every_reason_is_stable_upper_case_and_belongs_to_one_error() -> None:
    classes = [NpcServerError, *below(NpcServerError)]
    reasons = [cls.__dict__["reason"] for cls in classes]
    assert all(reason == reason.upper() and reason.replace("_", "").isalpha() for reason in reasons)
    assert len(reasons) == len(set(reasons))


def test_the_drawn_tree_names_every_error_under_its_parent() -> None:
    """The docstring's drawing is what people read first, so it must be whole."""
    drawn: dict[str, int] = {}
    for line in (errors.__doc__ or "").splitlines():
        mark = max(line.find("├── "), line.find("└── "))
        if mark >= 0:
            drawn[line[mark + 4 :].split()[0]] = mark // 4 + 1
    assert drawn == {cls.__name__: len(cls.__mro__) - len(NpcServerError.__mro__) for cls in below(NpcServerError)}
