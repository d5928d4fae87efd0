"""Which questions instinct answers better than a model, since a judge found its answers worse: `docs/eval.md`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from npc_server.data_files import read_toml
from npc_server.llm.by_size import by_size
from npc_server.llm.models import entry_of

FILE = "questions.toml"


@cache
def _sizes() -> Mapping[str, list[str]]:
    sizes: dict[str, list[str]] = read_toml(FILE)["weak_at"]["sizes"]
    return sizes


def of_loaded(of_its_size: frozenset[str], named: Sequence[str] | None) -> frozenset[str]:
    """Return what a model is not asked: what its own header names, even if that is nothing, else what is known of its size."""
    return of_its_size if named is None else frozenset(named)


def of_file(path: Path) -> frozenset[str]:
    """Return the names of prompts and of kinds of question: those that the catalogue has for this model, and those of its size."""
    entry = entry_of(path)
    named = frozenset(entry.weak_at) if entry is not None else frozenset()
    return named | frozenset(by_size(path, _sizes()))
