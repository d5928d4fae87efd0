"""Writes an adapter that is merged into its base in a smaller form: its matrices as Q4_0, which have 4.5 bits a number and not 16.

    python -m models.rerank.smaller trained.lora.gguf npc_server/data/models/npc-rerank-base.lora.gguf

Only for an adapter that `npc_server/llm/merge.py` puts into the weights, which are rounded to four bits after that.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import gguf
import numpy as np

from npc_server.llm.gguf_header import read_header
from npc_server.llm.merge import copy_header

FORM = gguf.GGMLQuantizationType.Q4_0


def smaller(source: Path, target: Path) -> None:
    """Write the adapter `source` to `target` with its matrices as Q4_0. Raises gguf's QuantError where a rank is no multiple of 32."""
    reader, writer = gguf.GGUFReader(source), gguf.GGUFWriter(target, read_header(source).architecture)
    copy_header(reader, writer, {})
    for tensor in reader.tensors:
        numbers = gguf.dequantize(tensor.data, tensor.tensor_type).astype(np.float32, copy=False)
        writer.add_tensor(tensor.name, gguf.quantize(numbers, FORM), raw_dtype=FORM)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    given = parser.parse_args()
    smaller(given.source, given.target)
