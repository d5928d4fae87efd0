"""An adapter in four bits a number."""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np

from models.rerank.smaller import smaller
from npc_server.llm.gguf_header import read_header


def adapter(path: Path) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float16]]]:
    rng = np.random.default_rng(7)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", 64.0)
    made = {
        f"blk.0.attn_q.weight.lora_{part}": rng.normal(size=shape).astype(np.float16) for part, shape in (("a", (32, 96)), ("b", (96, 32)))
    }
    for name, numbers in made.items():
        writer.add_tensor(name, numbers)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return made


def test_an_adapter_keeps_its_header_and_its_matrices_about_as_they_were(tmp_path: Path) -> None:
    made = adapter(tmp_path / "trained.gguf")
    smaller(tmp_path / "trained.gguf", tmp_path / "small.gguf")
    before, after = read_header(tmp_path / "trained.gguf"), read_header(tmp_path / "small.gguf")
    assert {**before.values} == {**after.values}
    assert before.shapes == after.shapes
    for tensor in gguf.GGUFReader(tmp_path / "small.gguf").tensors:
        found = gguf.dequantize(tensor.data, tensor.tensor_type)
        wrong = np.square(found - made[tensor.name]).sum() / np.square(made[tensor.name].astype(np.float32)).sum()
        assert tensor.tensor_type == gguf.GGMLQuantizationType.Q4_0
        assert 0 < wrong < 0.02
