from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npc_server.errors import EngineError, PromptTooLong
from npc_server.llm.protocol import BrokenFrame, pack, pack_error, pack_vectors, unpack, unpack_error, unpack_vectors

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x), max_leaves=10
)


@given(st.dictionaries(st.text(), JSON))
@settings(max_examples=60, deadline=None)
def test_frame_is_one_line_and_comes_back(frame: dict[str, object]) -> None:
    line = pack(frame)
    assert line.count(b"\n") == 1
    assert unpack(line) == frame


@given(st.binary(max_size=60))
@settings(max_examples=60, deadline=None)
def test_any_bytes_are_a_frame_or_broken(line: bytes) -> None:
    try:
        assert isinstance(unpack(line), dict)
    except BrokenFrame:
        return


def test_vectors_come_back() -> None:
    rows = np.random.default_rng(0).standard_normal((3, 5)).astype(np.float32)
    assert np.array_equal(unpack_vectors(pack_vectors(rows)), rows)
    for wrong in ({}, {"shape": [2, 2], "data": "AAAA"}, {"shape": [1], "data": ""}, {"shape": "x", "data": 3}):
        with pytest.raises(BrokenFrame):
            unpack_vectors(wrong)


def test_errors_come_back_as_they_were() -> None:
    error = unpack_error(pack_error(PromptTooLong("too long", "shorten it", prompt_tokens=9)))
    assert isinstance(error, PromptTooLong)
    assert (error.what, error.fix, error.values) == ("too long", "shorten it", {"prompt_tokens": "9"})


@pytest.mark.parametrize("name", ["Exception", "Problem", "dataclass", "NpcServerError", "", "__doc__"])
def test_only_engine_errors_come_out_of_a_frame(name: str) -> None:
    assert type(unpack_error({"class": name, "what": "x", "fix": "y", "values": 3})) is EngineError
