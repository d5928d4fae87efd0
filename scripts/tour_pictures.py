"""Makes what the docs show of what the tour has taken: stills that are small enough for a repository, and one animation."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageChops, ImageDraw, ImageFont

STILL_QUALITY = 82
WIDTH = 800
STRIP = 38
"""Height of the strip below the animation, in which its caption stands."""
MOST_BYTES = 1_750_000
QUALITIES = (72, 66, 60, 54, 48, 42, 36)
DARK, LIGHT, DIM = (27, 25, 33), (240, 232, 214), (160, 152, 148)
LONGEST_MS = 400
"""Of a frame. A busy machine draws few, and a reader should not wait for it."""
GAP = 16
"""Between pictures that stand side by side, in pixels."""


@dataclass(frozen=True)
class Frame:
    """One picture of the animation, and for how long it is shown."""

    file: Path
    milliseconds: int
    caption: str


def write_still(source: Path, target: Path) -> None:
    with Image.open(source) as image:
        image.convert("RGB").save(target, quality=STILL_QUALITY, method=6)


def write_side_by_side(sources: Sequence[Path], target: Path, most: int = 520) -> None:
    """Joins the upper parts of pictures into one, which is at most so high."""
    images = [Image.open(source).convert("RGB") for source in sources]
    height = min(most, max(image.height for image in images))
    joined = Image.new("RGB", (sum(image.width for image in images) + GAP * (len(images) - 1), height), DARK)
    x = 0
    for image in images:
        joined.paste(image.crop((0, 0, image.width, min(height, image.height))), (x, 0))
        x += image.width + GAP
    joined.save(target, quality=STILL_QUALITY, method=6)


def read_frames(folder: Path) -> list[Frame]:
    """The frames that the tour has taken, in their order."""
    clips = json.loads((folder / "clips.json").read_text(encoding="utf-8"))
    return [Frame(folder / file, min(round(ms), LONGEST_MS), clip["caption"]) for clip in clips for file, ms in clip["frames"]]


def write_animation(frames: Sequence[Frame], target: Path, told: str, most_bytes: int = MOST_BYTES) -> int:
    """Writes an animated WebP in the best quality that is small enough, and returns how long it plays, in milliseconds.

    What is told stands at the right of the strip below, such as which model answers.
    """
    drawn = _without_repeats(_draw(frame, told) for frame in frames)
    images, durations = [image for image, _ in drawn], [milliseconds for _, milliseconds in drawn]
    for quality in QUALITIES:
        made = _encode(images, durations, quality)
        if len(made) <= most_bytes:
            break
    target.write_bytes(made)
    return sum(durations)


def _encode(images: Sequence[Image.Image], durations: Sequence[int], quality: int) -> bytes:
    made = io.BytesIO()
    images[0].save(
        made,
        "WEBP",
        save_all=True,
        append_images=images[1:],
        duration=list(durations),
        loop=0,
        quality=quality,
        method=4,
        allow_mixed=True,
        kmin=0,
        kmax=0,
    )
    return made.getvalue()


def _draw(frame: Frame, told: str) -> tuple[Image.Image, int]:
    with Image.open(frame.file) as source:
        height = round(WIDTH * source.height / source.width)
        small = source.convert("RGB").resize((WIDTH, height), Image.Resampling.LANCZOS)
    drawn = Image.new("RGB", (WIDTH, height + STRIP), DARK)
    drawn.paste(small, (0, 0))
    pen = ImageDraw.Draw(drawn)
    pen.text((14, height + STRIP / 2), frame.caption, LIGHT, ImageFont.load_default(18), anchor="lm")
    pen.text((WIDTH - 14, height + STRIP / 2), told, DIM, ImageFont.load_default(13), anchor="rm")
    return drawn, frame.milliseconds


def _without_repeats(drawn: Iterator[tuple[Image.Image, int]]) -> list[tuple[Image.Image, int]]:
    """Frames that are like the one before are not stored; that one is shown for longer."""
    kept: list[tuple[Image.Image, int]] = []
    for image, milliseconds in drawn:
        if kept and ImageChops.difference(kept[-1][0], image).getbbox() is None:
            kept[-1] = (kept[-1][0], kept[-1][1] + milliseconds)
        else:
            kept.append((image, milliseconds))
    return kept
