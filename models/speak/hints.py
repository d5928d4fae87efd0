"""What npc-speak's file says of itself: how to sample from it, what not to ask it, and that its replies are to be checked.

python -m models.speak.hints FILE    # puts these hints into the header of an adapter that was trained before
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from gguf import GGUFReader, GGUFWriter

from npc_server.llm.gguf_header import CHECK_REPLIES, LINES_DRAWN, WEAK_AT, Value
from npc_server.llm.merge import copy_header

TRAINED = ("say", "plan_day", "react", "talk_over", "reflect_questions", "reflect_insights")
"""The prompts that `render.py` makes of the examples."""
NOT_TRAINED = (
    "act", "command", "commands", "critic", "identity", "importance", "interview", "listen", "plan_steps", "replan", "replan_day",
    "talk_claims", "talk_relation", "talk_round", "talk_summary",
)  # fmt: skip
"""The others that minds ask. Instinct answers them."""
TOO_HARD = ("plan_day", "react", "reflect_insights", "reflect_questions", "talk_over")
"""Trained, and left to instinct all the same (`CARD.md` has the figures)."""
HINTS: dict[str, Value] = {
    WEAK_AT: ",".join((*NOT_TRAINED, *TOO_HARD)),
    CHECK_REPLIES: True,
    LINES_DRAWN: 4,
    "general.sampling.temp": 0.7,
    "general.sampling.top_p": 0.9,
    "general.sampling.min_p": 0.05,
}


def put_into(path: Path) -> None:
    """Writes the file anew with these hints in place of those it had. Takes its place only when the new one is whole."""
    reader, part = GGUFReader(path), path.with_suffix(".part")
    writer = GGUFWriter(part, "llama")
    copy_header(reader, writer, HINTS)
    for tensor in reader.tensors:
        writer.add_tensor(tensor.name, tensor.data, raw_dtype=tensor.tensor_type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    part.replace(path)


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description="Puts npc-speak's hints into the header of an adapter file.")
    parser.add_argument("file", type=Path)
    put_into(parser.parse_args(arguments).file)


if __name__ == "__main__":
    main(sys.argv[1:])
