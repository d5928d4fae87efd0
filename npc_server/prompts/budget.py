"""Cuts a prompt to its budget: the least important section gives up its list from the end, then itself; a `keep` section never."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

from npc_server.errors import PromptTooLong
from npc_server.records import Turn

CountTokens = Callable[[Sequence[str]], Awaitable[list[int]]]
"""Tokens of each text, such as `Engine.count_tokens`."""


@dataclass(frozen=True)
class Section:
    """A part of a prompt with its values filled in."""

    part: str
    """`system`, `user`, or `asked` and `answered` for an example before the question."""
    priority: int | None
    """None is never dropped; of the others the lowest goes first, and of equals the later one."""
    name: str
    text: str


@dataclass(frozen=True)
class Rendered:
    """A prompt before it is cut. Sections that came out empty are left out."""

    name: str
    sections: tuple[Section, ...]

    def example(self) -> tuple[Turn, ...]:
        """The turn that shows the form of an answer, if the file has one."""
        asked, answered = self.part("asked"), self.part("answered")
        return (Turn(asked, answered),) if answered else ()

    def part(self, part: str) -> str:
        return "\n\n".join(section.text for section in self.sections if section.part == part)


@dataclass(frozen=True)
class Prompt:
    system: str
    user: str
    dropped: tuple[str, ...] = ()
    """What did not fit: `news`, or `memories (3 of 12 lines)`."""
    tokens: int = 0
    """Tokens of all its texts together, as the engine counts them."""
    turns: tuple[Turn, ...] = ()
    """A turn before the question that shows the form of an answer."""


@dataclass
class _Lines:
    """A section while it is cut; each line with its tokens."""

    section: Section
    lines: list[tuple[str, int]]
    cut: int = 0
    listed: list[int] = field(init=False)
    """Places of the lines that start with `- `."""

    def __post_init__(self) -> None:
        self.listed = [place for place, (line, _) in enumerate(self.lines) if line.startswith("- ")]
        self.items = len(self.listed)

    def shrink(self) -> int:
        """Drops the last line of the list, or everything with the only one. Returns the tokens saved."""
        if len(self.listed) > 1:
            self.cut += 1
            return self.lines.pop(self.listed.pop())[1]
        saved = sum(tokens for _, tokens in self.lines)
        self.lines = []
        return saved

    def result(self) -> Section:
        return replace(self.section, text="\n".join(line for line, _ in self.lines))

    def told(self) -> str:
        if not self.lines:
            return self.section.name
        return f"{self.section.name} ({self.cut} of {self.items} lines)" if self.cut else ""


async def fit(rendered: Rendered, budget_tokens: int, count: CountTokens) -> Prompt:
    """The prompt in at most `budget_tokens`. Raises PromptTooLong when the `keep` sections alone are longer.

    One call to `count` when everything fits, else usually three: the whole, each line, the result.
    """
    whole = await _measure(rendered, count)
    if whole.tokens <= budget_tokens:
        return whole
    cutting = await _by_line(rendered, count)
    estimate = sum(tokens for item in cutting for _, tokens in item.lines)
    # Lines counted alone come to a little more or less than the whole; the share between the two sets the first aim.
    aim = int(budget_tokens * estimate / whole.tokens)
    order = sorted(
        (item for item in cutting if item.section.priority is not None),
        key=lambda item: (item.section.priority or 0, -cutting.index(item)),
    )
    while True:
        while estimate > aim and order:
            estimate -= order[0].shrink()
            if not order[0].lines:
                order.pop(0)
        left = replace(rendered, sections=tuple(item.result() for item in cutting if item.lines))
        prompt = await _measure(left, count)
        if prompt.tokens <= budget_tokens:
            return replace(prompt, dropped=tuple(told for item in cutting if (told := item.told())))
        if not order:
            raise _too_long(rendered.name, prompt.tokens, budget_tokens, cutting)
        aim = estimate - max(1, prompt.tokens - budget_tokens)


async def _measure(rendered: Rendered, count: CountTokens) -> Prompt:
    system, user, turns = rendered.part("system"), rendered.part("user"), rendered.example()
    texts = [system, *(text for turn in turns for text in (turn.heard, turn.said)), user]
    return Prompt(system, user, (), sum(await count(texts)), turns)


async def _by_line(rendered: Rendered, count: CountTokens) -> list[_Lines]:
    split = [section.text.split("\n") for section in rendered.sections]
    counts = iter(await count([line + "\n" for lines in split for line in lines]))
    return [
        _Lines(section, [(line, max(1, next(counts))) for line in lines]) for section, lines in zip(rendered.sections, split, strict=True)
    ]


def _too_long(name: str, tokens: int, budget: int, kept: Sequence[_Lines]) -> PromptTooLong:
    sizes = ", ".join(f"{item.section.name} {sum(tokens for _, tokens in item.lines)}" for item in kept if item.lines)
    return PromptTooLong(
        f"Prompt {name!r} has {tokens} tokens in sections that are never dropped, and {budget} fit.",
        f"Raise engine.context_tokens, or shorten one of them ({sizes}).",
        prompt=name,
        tokens=tokens,
        budget=budget,
    )
