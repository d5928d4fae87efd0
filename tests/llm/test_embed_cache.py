from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from structlog.testing import capture_logs

from npc_server.errors import ModelDied
from npc_server.llm import deadline, embed_cache
from npc_server.llm.deadline import at_most, current_deadline
from npc_server.llm.embed import HashedWordsEmbedder
from npc_server.llm.embed_cache import CachedEmbedder
from npc_server.llm.engine import Scores, Vectors


class Counting(HashedWordsEmbedder):
    def __init__(self) -> None:
        super().__init__()
        self.asked: list[list[str]] = []

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked.append(list(texts))
        return await super().embed(texts)


async def test_a_text_is_embedded_once_and_rows_come_in_the_order_asked() -> None:
    inner = Counting()
    cached = CachedEmbedder(inner)
    texts = ["bread", "wood", "bread", "plants"]
    rows = await cached.embed(texts)
    assert np.array_equal(rows, await HashedWordsEmbedder().embed(texts))
    assert inner.asked == [["bread"], ["wood"], ["plants"]]
    await cached.embed(["wood", "fire"])
    assert inner.asked[-1] == ["fire"]
    assert (await cached.embed([])).shape == (0, cached.dimensions)


class Slow(Counting):
    """Answers when `go` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.go = asyncio.Event()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked.append(list(texts))
        await self.go.wait()
        return await HashedWordsEmbedder().embed(texts)


async def test_a_text_that_several_ask_for_at_once_is_embedded_once() -> None:
    inner = Slow()
    cached = CachedEmbedder(inner)
    asking = [asyncio.create_task(cached.embed(texts)) for texts in (["bread"], ["bread", "wood"], ["wood"])]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    inner.go.set()
    rows = [row for found in await asyncio.gather(*asking) for row in found]
    assert np.array_equal(rows, await HashedWordsEmbedder().embed(["bread", "bread", "wood", "wood"]))
    assert inner.asked == [["bread"], ["wood"]]


async def test_who_gives_up_waiting_for_a_text_takes_it_from_nobody_else() -> None:
    inner = Slow()
    cached = CachedEmbedder(inner)
    first, second = (asyncio.create_task(cached.embed(["bread"])) for _ in range(2))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.sleep(0)
    inner.go.set()
    assert (await second).any()
    assert inner.asked == [["bread"]]


async def test_a_text_that_comes_too_late_for_one_comes_in_time_for_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline, "HELP_S", 0.0)
    inner = Slow()
    cached = CachedEmbedder(inner)

    async def hurried() -> Vectors:
        with at_most(0.0):
            return await cached.embed(["bread"])

    late, patient = asyncio.create_task(hurried()), asyncio.create_task(cached.embed(["bread"]))
    assert not (await late).any()
    inner.go.set()
    assert (await patient).any()
    assert (await cached.embed(["bread"])).any()
    assert inner.asked == [["bread"]], "it was not asked for again"


async def test_a_text_is_embedded_under_no_deadline_of_who_asks_first() -> None:
    left: list[float] = []

    class Watched(Counting):
        async def embed(self, texts: Sequence[str]) -> Vectors:
            left.append(current_deadline().left_s)
            return await super().embed(texts)

    with at_most(-1.0):
        assert (await CachedEmbedder(Watched()).embed(["bread", "wood"])).any(axis=1).all()
    assert left == [math.inf, math.inf]


async def test_what_is_still_embedded_at_the_end_is_left_without_a_word() -> None:
    class Ends(Slow):
        async def close(self) -> None:
            self.go.set()

        async def embed(self, texts: Sequence[str]) -> Vectors:
            await super().embed(texts)
            raise ModelDied("The engine was closed.", "Start the server again.")

    cached = CachedEmbedder(Ends())
    asking = asyncio.create_task(cached.embed(["bread"]))
    await asyncio.sleep(0)
    asking.cancel()
    await asyncio.wait({asking})
    with capture_logs() as logs:
        await cached.close()
        await asyncio.sleep(0)
    assert logs == []


async def test_a_failure_of_many_texts_is_logged_once_with_its_number() -> None:
    class Away(Counting):
        async def embed(self, texts: Sequence[str]) -> Vectors:
            raise ModelDied("The model process ended.", "Ask again.")

    cached = CachedEmbedder(Away())
    with capture_logs() as logs:
        await cached.embed(TOWN)
        await cached.embed(TOWN)
    assert [it["event"] for it in logs] == ["texts have no vector"]


async def test_the_text_that_was_not_used_for_longest_goes_first() -> None:
    inner = Counting()
    cached = CachedEmbedder(inner, kept=2)
    for text in ("a", "b", "a", "c", "a"):
        await cached.embed([text])
    assert inner.asked == [["a"], ["b"], ["c"]]
    await cached.embed(["b"])
    assert inner.asked[-1] == ["b"]


async def test_a_text_that_cannot_be_embedded_now_is_near_nothing_and_tried_again_the_next_time() -> None:
    class Away(Counting):
        away = True

        async def embed(self, texts: Sequence[str]) -> Vectors:
            if self.away and texts == ["wood"]:
                raise ModelDied("The model process ended.", "Ask again.")
            return await super().embed(texts)

    inner = Away()
    cached = CachedEmbedder(inner)
    rows = await cached.embed(["bread", "wood"])
    assert rows[0].any()
    assert not rows[1].any()
    inner.away = False
    assert (await cached.embed(["wood"]))[0].any()
    assert inner.asked == [["bread"], ["wood"]]


TOWN = [f"the mill number {i}" for i in range(40)]


async def test_the_texts_of_a_town_are_embedded_once_for_all_games(tmp_path: Path) -> None:
    first, second = Counting(), Counting()
    rows = await CachedEmbedder(first, folder=tmp_path).embed(TOWN)
    assert len(first.asked) == len(TOWN)
    again = CachedEmbedder(second, folder=tmp_path)
    assert np.array_equal(await again.embed(TOWN), rows)
    assert second.asked == []
    await again.embed([*TOWN, "a new shed"])
    assert second.asked == [["a new shed"]]


async def test_a_simulation_keeps_every_text_for_the_next_one(tmp_path: Path) -> None:
    first, second = Counting(), Counting()
    cached = CachedEmbedder(first, folder=tmp_path, keeps_all=True)
    await cached.embed(TOWN)
    rows = await cached.embed(["Mara is baking bread"])
    await cached.close()
    again = CachedEmbedder(second, folder=tmp_path, keeps_all=True)
    assert np.array_equal(await again.embed(["Mara is baking bread"]), rows)
    assert np.array_equal(await again.embed(TOWN), await HashedWordsEmbedder().embed(TOWN))
    assert second.asked == []


async def test_the_texts_that_were_used_longest_ago_leave_the_file_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embed_cache, "KEPT_IN_FILE", 50)
    for lines in (TOWN, [f"line {i}" for i in range(5)], TOWN, [f"word {i}" for i in range(10)]):
        cached = CachedEmbedder(Counting(), folder=tmp_path, keeps_all=True)
        await cached.embed(lines)
        await cached.close()
    last = Counting()
    await CachedEmbedder(last, folder=tmp_path, keeps_all=True).embed([*TOWN, "line 0", "word 0"])
    assert last.asked == [["line 0"]]


async def test_few_texts_and_texts_themselves_are_not_kept_in_the_file(tmp_path: Path) -> None:
    await CachedEmbedder(HashedWordsEmbedder(), folder=tmp_path).embed(["what the player said"])
    assert list(tmp_path.iterdir()) == []
    await CachedEmbedder(HashedWordsEmbedder(), folder=tmp_path).embed(TOWN)
    (file,) = tmp_path.iterdir()
    assert b"mill" not in file.read_bytes()


@pytest.mark.parametrize("damage", [b"", b"nonsense", None])
async def test_a_damaged_file_of_vectors_is_made_anew(tmp_path: Path, damage: bytes | None) -> None:
    rows = await CachedEmbedder(HashedWordsEmbedder(), folder=tmp_path).embed(TOWN)
    (file,) = tmp_path.iterdir()
    if damage is None:
        np.savez(file, keys=np.zeros(3, np.uint64), vectors=np.zeros((3, 7), np.float32))  # another model's
    else:
        file.write_bytes(damage)
    inner = Counting()
    assert np.array_equal(await CachedEmbedder(inner, folder=tmp_path).embed(TOWN), rows)
    assert len(inner.asked) == len(TOWN)
    assert len(list(tmp_path.iterdir())) == 1
    second = Counting()
    await CachedEmbedder(second, folder=tmp_path).embed(TOWN)
    assert second.asked == []


async def test_a_folder_that_cannot_be_written_costs_only_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    rows = await CachedEmbedder(HashedWordsEmbedder(), folder=tmp_path / "file").embed(TOWN)
    assert rows.shape == (40, 384)


async def test_a_model_that_hangs_costs_a_player_its_own_time_once_and_nothing_of_the_models(monkeypatch: pytest.MonkeyPatch) -> None:
    class Hangs(Slow):
        async def answers(self, line: str, texts: Sequence[str]) -> Scores | None:
            await self.go.wait()
            return np.zeros(len(texts), np.float32)

    inner = Hangs()
    cached = CachedEmbedder(inner)
    monkeypatch.setattr(deadline, "HELP_S", 0.01)
    with at_most(3600.0) as mine:
        assert not (await cached.embed(["bread"])).any()
        assert mine.left_s > 3000
    monkeypatch.setattr(deadline, "HELP_S", 3600.0)
    with at_most(3600.0):
        assert not (await cached.embed(["bread", "wood"])).any(), "who comes after that is not kept waiting"
        assert await cached.answers("Any bread?", ["Rye."]) is None
    inner.go.set()
    assert (await cached.embed(["bread"])).any()
    with at_most(3600.0):
        assert (await cached.embed(["stone"])).any(), "it answers, so it is waited for again"
        assert await cached.answers("Any bread?", ["Rye."]) is not None
