"""The process of an embedding model: several texts at a time, and answers in the order of the questions."""

from __future__ import annotations

import queue
import threading

import pytest

from npc_server.config import EngineSettings
from npc_server.llm.embed_worker import EmbedWorker, in_groups
from npc_server.llm.protocol import Frame
from npc_server.llm.worker import without_game

WAIT_S = 30.0


def worker(sent: queue.SimpleQueue[Frame]) -> EmbedWorker:
    """A worker for two texts at a time, without a model."""
    made = object.__new__(EmbedWorker)
    made.parallel, made.send = 2, sent.put
    made.inbox, made.begun = queue.SimpleQueue(), queue.SimpleQueue()
    return made


def test_texts_are_embedded_at_the_same_time_and_answered_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    second_is_done = threading.Event()

    def answer(item: Frame) -> Frame:
        if item["id"] == 1:
            assert second_is_done.wait(WAIT_S), "the second text waited for the first"
        else:
            second_is_done.set()
        return {"id": item["id"]}

    sent: queue.SimpleQueue[Frame] = queue.SimpleQueue()
    made = worker(sent)
    monkeypatch.setattr(made, "_answer", answer)
    threading.Thread(target=made.run, daemon=True).start()
    made.inbox.put({"do": [{"op": "embed", "id": 1}, {"op": "answers", "id": 2}, {"op": "cancel", "id": 1}]})
    assert [sent.get(timeout=WAIT_S)["id"] for _ in range(2)] == [1, 2]


def test_a_failure_ends_the_process_so_that_nobody_waits_for_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: queue.SimpleQueue[int] = queue.SimpleQueue()
    monkeypatch.setattr("os._exit", ended.put)
    made = worker(queue.SimpleQueue())
    threading.Thread(target=made.run, daemon=True).start()
    made.inbox.put({"do": [{"op": "embed", "id": 1, "texts": ["it has no model"]}]})
    assert ended.get(timeout=WAIT_S) == 1


def test_without_a_game_each_core_embeds() -> None:
    usual = EngineSettings()
    assert without_game(usual, cores=2).embedding_parallel == 2
    assert without_game(usual, cores=8).embedding_parallel == 2, "half of the cores work on each text"
    assert without_game(usual.model_copy(update={"threads": 1}), cores=8).embedding_parallel == 8
    assert without_game(usual).player_deadline_s > 100 * usual.player_deadline_s, "no player waits"
    assert without_game(usual.model_copy(update={"embedding_parallel": 3, "threads": 4}), cores=2).embedding_parallel == 3


def test_groups_keep_the_order_and_both_limits() -> None:
    rows = [[1] * length for length in (3, 3, 3, 9, 1)]
    assert [[len(row) for row in group] for group in in_groups(rows, 2, 8)] == [[3, 3], [3], [9], [1]]
