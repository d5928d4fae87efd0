"""Reading a GGUF header: every wrong file gets a sentence, and none costs much time or memory."""

from __future__ import annotations

import contextlib
import struct
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from npc_server.errors import ModelMissing, ModelRejected
from npc_server.llm.gguf_header import read_header


def string(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def head(tensors: int = 0, keys: int = 1, version: int = 3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, tensors, keys)


ARCHITECTURE = string("general.architecture") + struct.pack("<I", 8) + string("llama")


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data.ljust(24, b"\0"))
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "model.gguf"


def test_header_tells_what_the_model_is(random_model: Path) -> None:
    header = read_header(random_model)
    assert (header.architecture, header.name, header.number("context_length")) == ("llama", "random", 32768)
    assert header.arrays["tokenizer.ggml.tokens"] == 1024
    assert header.parameters == 237_888
    assert "<|im_start|>" in header.chat_template


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"GGML" + bytes(40), "does not start with GGUF"),
        (head(version=1), "GGUF version 1"),
        (head(version=4_000_000_000), "GGUF version 4000000000"),
        (head(keys=2**40), "number of keys is 1099511627776"),
        (head(tensors=2**63), "number of tensors is"),
        (head() + struct.pack("<Q", 2**62), "length of a key"),
        (head() + string("k") + struct.pack("<I", 77), "type of 'k' is 77"),
        (head() + string("k") + struct.pack("<IQ", 8, 2**61), "length of 'k' is"),
        (head() + string("k") + struct.pack("<IIQ", 9, 9, 1), "array of arrays"),
        (head() + string("k") + struct.pack("<IIQ", 9, 4, 2**60), "length of 'k' is"),
        (head() + string("k") + struct.pack("<IIQ", 9, 8, 40), "ends inside its header"),
        (head() + string("k") + struct.pack("<IIQQ", 9, 8, 1, 2**63), "ends inside its header"),
        (head() + string("k") + struct.pack("<IQ", 10, 1), "general.architecture is missing"),
        (head(keys=2) + ARCHITECTURE * 2, "appears twice"),
        (head(keys=3) + ARCHITECTURE, "ends inside its header"),
        (head(tensors=1) + ARCHITECTURE + string("t") + struct.pack("<I", 9), "dimensions of 't' is 9"),
        (head(tensors=1) + ARCHITECTURE + string("t") + struct.pack("<IQQIQ", 2, 2**40, 2**40, 0, 0), "has the sizes"),
        (head(tensors=1) + ARCHITECTURE + string("t") + struct.pack("<IQIQ", 1, 32, 99, 0), "has type 99"),
        (head(tensors=1) + ARCHITECTURE + string("t") + struct.pack("<IQIQ", 1, 32, 0, 7), "not a multiple of 32"),
        (head(tensors=1) + ARCHITECTURE + string("t") + struct.pack("<IQIQ", 1, 31, 8, 0), "has the sizes"),
        (head(tensors=1) + ARCHITECTURE + string("t") + struct.pack("<IQIQ", 1, 1000, 0, 0), "bytes short"),
    ],
)
def test_wrong_header_says_what_is_wrong(file: Path, data: bytes, why: str) -> None:
    with pytest.raises(ModelRejected) as caught:
        read_header(write(file, data))
    assert why in caught.value.what
    assert str(file) in caught.value.what
    assert caught.value.fix


def test_every_cut_is_noticed(file: Path, model_bytes: bytes) -> None:
    for length in (0, 3, 24, 100, 5000, 30_000, len(model_bytes) // 2, len(model_bytes) - 1):
        file.write_bytes(model_bytes[:length])
        with pytest.raises(ModelRejected):
            read_header(file)


def test_how_much_is_missing_is_said(file: Path, model_bytes: bytes) -> None:
    file.write_bytes(model_bytes[:-123])
    with pytest.raises(ModelRejected, match="is 123 bytes short"):
        read_header(file)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="There is no model file"):
        read_header(tmp_path / "nothing.gguf")
    with pytest.raises(ModelMissing, match="is not a file"):
        read_header(tmp_path)


def test_header_over_the_limit_is_refused(random_model: Path) -> None:
    with pytest.raises(ModelRejected, match="header of more than 4096 bytes"):
        read_header(random_model, 4096)


@given(data=st.data())
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_mutated_headers_never_crash_hang_or_take_much_memory(file: Path, model_bytes: bytes, data: st.DataObject) -> None:
    raw = bytearray(model_bytes)
    # Most of a header is the vocabulary; half of the mutations go to the start, where the counts are.
    for _ in range(data.draw(st.integers(1, 8))):
        at = data.draw(st.one_of(st.integers(0, 600), st.integers(0, 40_000)))
        patch = data.draw(st.one_of(st.binary(min_size=1, max_size=8), st.sampled_from([b"\xff" * 8, b"\0" * 8, b"\xff\xff\xff\x7f"])))
        raw[at : at + len(patch)] = patch
    cut = data.draw(st.integers(0, len(raw)))
    file.write_bytes(raw if cut % 3 else raw[:cut])
    tracemalloc.start()
    with contextlib.suppress(ModelRejected):
        read_header(file)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 1024 * 1024


@given(raw=st.binary(max_size=400))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_after_the_magic_are_refused(file: Path, raw: bytes) -> None:
    with pytest.raises(ModelRejected):
        read_header(write(file, b"GGUF\x03\0\0\0" + raw))
