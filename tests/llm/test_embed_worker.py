"""The process of an embedding model: several texts at a time, and those that a player waits for first."""

from __future__ import annotations

import queue
import threading
import time
from typing import cast

import numpy as np
import pytest

from npc_server.config import EngineSettings
from npc_server.llm.deadline import at_most
from npc_server.llm.embed import ask_vectors
from npc_server.llm.embed_worker import EmbedWorker, in_groups
from npc_server.llm.engine import Priority
from npc_server.llm.process import ModelProcess
from npc_server.llm.protocol import Frame, pack_vectors
from npc_server.llm.worker import PATIENCE_S, without_game

WAIT_S = 30.0


def worker(sent: queue.SimpleQueue[Frame]) -> EmbedWorker:
    """A worker for two texts at a time, without a model."""
    made = object.__new__(EmbedWorker)
    made.parallel, made.send = 2, sent.put
    made.inbox, made.waiting, made.sending = queue.SimpleQueue(), queue.PriorityQueue(), threading.Lock()
    return made


def test_texts_are_embedded_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert [sent.get(timeout=WAIT_S)["id"] for _ in range(2)] == [2, 1]


def test_what_a_player_waits_for_goes_before_all_that_came_earlier(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go = threading.Event(), threading.Event()

    def answer(item: Frame) -> Frame:
        begun.set()
        assert go.wait(WAIT_S)
        return {"id": item["id"]}

    sent: queue.SimpleQueue[Frame] = queue.SimpleQueue()
    made = worker(sent)
    made.parallel = 1
    monkeypatch.setattr(made, "_answer", answer)
    threading.Thread(target=made.run, daemon=True).start()
    made.inbox.put({"do": [{"op": "embed", "id": 1}]})
    assert begun.wait(WAIT_S)
    made.inbox.put({"do": [{"op": "embed", "id": 2}, {"op": "embed", "id": 3}]})
    made.inbox.put({"do": [{"op": "embed", "id": 4, "priority": Priority.PLAYER}, {"op": "answers", "id": 5, "priority": 0}]})
    while made.waiting.qsize() < 4:
        time.sleep(0.001)
    go.set()
    assert [sent.get(timeout=WAIT_S)["id"] for _ in range(5)] == [1, 4, 5, 2, 3]


async def test_only_what_a_player_waits_for_says_so() -> None:
    asked: list[Frame] = []

    class Process:
        async def ask(self, item: Frame, deadline_s: float) -> Frame:
            asked.append(item)
            return {"vectors": pack_vectors(np.zeros((1, 2), np.float32))}

    process = cast(ModelProcess, Process())
    with at_most(60):
        await ask_vectors(process, "It", 60, {"op": "embed", "texts": ["a"]})
    await ask_vectors(process, "It", 60, {"op": "embed", "texts": ["a"]})
    assert [item.get("priority") for item in asked] == [Priority.PLAYER, None]


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
    assert without_game(usual.model_copy(update={"deadline_s": 60.0})).deadline_s == PATIENCE_S, "the clock waits for the minds"
    assert without_game(usual.model_copy(update={"embedding_parallel": 3, "threads": 4}), cores=2).embedding_parallel == 3


def test_groups_keep_the_order_and_both_limits() -> None:
    rows = [[1] * length for length in (3, 3, 3, 9, 1)]
    assert [[len(row) for row in group] for group in in_groups(rows, 2, 8)] == [[3, 3], [3], [9], [1]]
