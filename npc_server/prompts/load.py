"""Prompt templates: text files in sections, filled in by a sandboxed Jinja.

    What the file asks; everything above the first section is a note.
    [[system keep identity]]
    You are {{ name }}. {{ identity }}
    [[user 3 memories]]
    What you remember:
    {% for memory in memories %}
    - {{ memory.text }}
    {% endfor %}

A short example of the form may stand before the question, as a turn of its own: a section `asked` and a section `answered`.

A file is split into sections before values go in, and each value is made one line, so nothing that a player says
or a persona holds can open a section or start a line.
"""

from __future__ import annotations

import re
import traceback
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import structlog
from jinja2 import FileSystemLoader, StrictUndefined, Template, TemplateError, TemplateNotFound, TemplateSyntaxError, Undefined

from npc_server.document_errors import did_you_mean
from npc_server.errors import FileProblem, Problem, UnknownName
from npc_server.jinja_sandbox import BoundedSandbox
from npc_server.prompts.budget import Rendered, Section

PACKAGE_FOLDER = Path(__file__).parent
ENDING = ".prompt"
MAX_BYTES = 256 * 1024

_HEADER = re.compile(r"\[\[ *(system|asked|answered|user) +(keep|[0-9]{1,4}) +([a-z][a-z0-9_]*) *\]\]")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_BLANKS = re.compile(r"\n{3,}")
_TURNING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Turn the direction of writing. Other format characters stay: emoji are joined by them."""
_MENDABLE = (TemplateError, ArithmeticError, TypeError, ValueError, LookupError, AttributeError, RuntimeError, SyntaxError, MemoryError)
"""What a template can raise while it is filled in, or while one that it includes is compiled."""


class Trusted(str):
    """A value of our own whose line breaks stay, such as a reply's format. Never for words of players, models or files."""

    __slots__ = ()


def one_line(text: str) -> str:
    """The text on one line, without characters that steer a terminal or a reader."""
    spaced = " ".join(text.split())
    if spaced.isprintable():
        return spaced
    kept = "".join(c for c in spaced if unicodedata.category(c) not in ("Cc", "Cs") and c not in _TURNING)
    return " ".join(kept.split())


@dataclass(frozen=True)
class _PromptPart:
    part: str
    priority: int | None
    name: str
    template: Template


@dataclass(frozen=True)
class _Loaded:
    """One version of a file: its sections, or what is wrong with it."""

    stamp: tuple[int, int]
    parts: tuple[_PromptPart, ...]
    problems: tuple[Problem, ...]


class Prompts:
    """The templates of the package, and of `folders` that override them by file name, later ones first.

    Files are read again when they change. A broken file in a later folder gives way to the one below it, with a warning.
    """

    def __init__(self, folders: Sequence[Path] = (), base: Path = PACKAGE_FOLDER) -> None:
        self._folders = (base, *folders)
        self._loaded: dict[Path, _Loaded] = {}
        self._warned: dict[Problem, None] = {}
        self._jinja = BoundedSandbox(
            loader=FileSystemLoader([str(folder) for folder in reversed(self._folders)]),
            undefined=StrictUndefined,
            finalize=_as_text,
            trim_blocks=True,
            lstrip_blocks=True,
            autoescape=False,
        )

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """Templates that were broken, and passed over."""
        return tuple(self._warned)

    def names(self) -> list[str]:
        return sorted({path.stem for folder in self._folders for path in folder.glob(f"*{ENDING}")})

    def require(self, names: Iterable[str], setting: str) -> None:
        """Raises UnknownName where `setting` names a prompt that there is not."""
        known = self.names()
        for name in names:
            if name not in known:
                raise _unknown(name, f"{setting} names {name!r}, and there is no such prompt.", known)

    def check(self) -> list[Problem]:
        """Every mistake in every template file that shows without values."""
        found = {path: None for name in self.names() for path in self._files(name)}
        return [problem for path in found for problem in self._load(path).problems]

    def render(self, name: str, values: Mapping[str, object]) -> Rendered:
        """The prompt with its values. Raises UnknownName, or FileProblem when no file of that name works."""
        files = self._files(name)
        if not files:
            raise _unknown(name, f"There is no prompt {name!r}.", self.names())
        problems: list[Problem] = []
        for path in files:
            loaded = self._load(path)
            found = loaded.problems
            if not found:
                try:
                    return Rendered(name, tuple(section for part in loaded.parts if (section := _fill(part, values)).text))
                except _MENDABLE as error:
                    found = (_explain(path, error, values),)
            problems += found
            if path != files[-1]:
                self._warn(found)
        raise FileProblem(tuple(problems))

    def _files(self, name: str) -> list[Path]:
        """The files of that name, the one that counts first."""
        if not _NAME.fullmatch(name):
            return []
        return [path for folder in reversed(self._folders) if (path := folder / f"{name}{ENDING}").is_file()]

    def _load(self, path: Path) -> _Loaded:
        try:
            stat = path.stat()
            stamp = (stat.st_mtime_ns, stat.st_size)
            known = self._loaded.get(path)
            if known is None or known.stamp != stamp:
                known = self._loaded[path] = self._read(path, stamp)
            return known
        except OSError as error:
            return _Loaded((0, 0), (), (Problem(str(path), 0, f"The file cannot be read: {error.strerror}.", "Check its permissions."),))

    def _read(self, path: Path, stamp: tuple[int, int]) -> _Loaded:
        def broken(line: int, what: str, fix: str) -> _Loaded:
            return _Loaded(stamp, (), (Problem(str(path), line, what, fix),))

        if stamp[1] > MAX_BYTES:
            return broken(0, f"The file is larger than {MAX_BYTES} bytes.", "Cut it down.")
        data = path.read_bytes()
        try:
            rows = data.decode("utf-8-sig").splitlines()
        except UnicodeDecodeError as error:
            return broken(data.count(b"\n", 0, error.start) + 1, "The file is not UTF-8.", "Save it with encoding UTF-8.")
        starts = [place for place, row in enumerate(rows) if row.startswith("[[")]
        if not starts:
            return broken(0, "The file has no section.", "Begin one with e.g. [[user keep question]].")
        parts: list[_PromptPart] = []
        problems: list[Problem] = []
        for start, end in zip(starts, [*starts[1:], len(rows)], strict=True):
            found = self._section(path, start, rows[start], rows[start + 1 : end])
            if isinstance(found, Problem):
                problems.append(found)
                continue
            if found.name in (known.name for known in parts):
                problems.append(Problem(str(path), start + 1, f"There are two sections {found.name!r}.", "Give one another name."))
            parts.append(found)
        return _Loaded(stamp, tuple(parts), tuple(problems))

    def _section(self, path: Path, start: int, first: str, rows: Sequence[str]) -> _PromptPart | Problem:
        """A section that begins at row `start` of the file, with `first`, or what is wrong with it."""
        header = _HEADER.fullmatch(first.rstrip())
        if not header:
            fix = "Write e.g. [[user 3 memories]] or [[system keep identity]]."
            return Problem(str(path), start + 1, f"{first[:60]!r} opens no section.", fix)
        part, priority, name = header.groups()
        # The blank lines in front give Jinja's errors the line of the file.
        source = "\n" * (start + 1) + "\n".join(rows)
        try:
            code = self._jinja.compile(source, path.name, str(path))
        except TemplateSyntaxError as error:
            return Problem(str(path), error.lineno, f"The template is wrong: {_sentence(error.message)}", "Mend it; Jinja's rules hold.")
        except (SyntaxError, RecursionError, MemoryError) as error:  # Python's own limits of nesting
            return Problem(str(path), start + 1, f"The section cannot be compiled: {_sentence(str(error))}", "Make it simpler.")
        # A plain dictionary of the globals: Jinja copies them for each rendering, and its own kind of map is slow to copy.
        template = Template.from_code(self._jinja, code, dict(self._jinja.globals))
        return _PromptPart(part, None if priority == "keep" else int(priority), name, template)

    def _warn(self, problems: Sequence[Problem]) -> None:
        for problem in problems:
            if problem not in self._warned:
                self._warned[problem] = None
                structlog.get_logger(__name__).warning(
                    "A prompt template was passed over", file=problem.file, line=problem.line, what=problem.what
                )


def _fill(part: _PromptPart, values: Mapping[str, object]) -> Section:
    rows = [row.rstrip() for row in part.template.render(values).split("\n")]
    return Section(part.part, part.priority, part.name, _BLANKS.sub("\n\n", "\n".join(rows)).strip("\n"))


def _as_text(value: object) -> object:
    """What stands in the prompt for a value; untrusted text becomes one line."""
    if isinstance(value, (Trusted, Undefined)):
        return value
    if value is None:
        raise TypeError("a value is None; ask with {% if … %} first")
    if isinstance(value, Enum):
        value = value.value
    return one_line(str(value))


def _explain(path: Path, error: Exception, values: Mapping[str, object]) -> Problem:
    """Where in the template it happened: Jinja puts the template's lines into the traceback."""
    lines = [frame.lineno or 0 for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    line = lines[-1] if lines else 0
    if isinstance(error, TemplateNotFound):
        return Problem(str(path), line, f"There is no file {str(error.name)!r} to include.", "Put it beside the template.")
    if isinstance(error, TemplateSyntaxError):
        return Problem(
            str(error.filename or path), error.lineno, f"The template is wrong: {_sentence(error.message)}", "Mend it; Jinja's rules hold."
        )
    said = str(error)
    missing = re.match(r"'(\w+)' is undefined", said)
    if missing:
        near = did_you_mean(missing[1], values) or f"Values here: {', '.join(sorted(values))}."
        return Problem(str(path), line, f"There is no value {missing[1]!r}.", near)
    return Problem(str(path), line, f"The template cannot be filled in: {_sentence(said)}", "Mend that line.")


def _unknown(name: str, what: str, known: Sequence[str]) -> UnknownName:
    return UnknownName(what, did_you_mean(name, known) or f"Prompts: {', '.join(known)}.", prompt=name)


def _sentence(text: str | None) -> str:
    said = (text or "unknown reason").strip()
    return said if said.endswith(".") else said + "."
