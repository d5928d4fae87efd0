from __future__ import annotations

from dataclasses import replace

import pytest
from sqlite_utils import Database

from npc_server.errors import SaveDamaged
from npc_server.memory import people, social
from npc_server.memory.draft import Draft
from npc_server.memory.people import Person
from npc_server.memory.store import Store
from npc_server.records import Social

KEPT = Social("mara_voss", "tobin_hale", "neighbour", "She likes his jokes.", "He owes her a loaf.", 5, 12, 3600)


async def test_a_pair_has_one_row_and_the_other_way_round_is_another_pair(store: Store) -> None:
    back = Social("tobin_hale", "mara_voss", "friend", "", "", 6, 3, 60)
    await store.do(lambda db: social.put(db, [KEPT, back]))
    revised = replace(KEPT, between="He paid.", upto=20)
    await store.do(lambda db: social.put(db, [revised]))
    assert await store.do(lambda db: social.load(db, "mara_voss")) == [revised]
    assert await store.do(lambda db: social.load(db, "tobin_hale")) == [back]


async def test_a_draft_writes_what_was_revised(store: Store) -> None:
    await store.do(lambda db: people.insert(db, [Person("mara_voss", "Mara Voss")]))
    draft = Draft()
    assert not draft
    draft.socials["tobin_hale"] = KEPT
    assert draft
    await store.do(lambda db: draft.write(db, "mara_voss", 1))
    assert await store.do(lambda db: social.load(db, "mara_voss")) == [KEPT]
    draft.socials["tobin_hale"] = None
    await store.do(lambda db: draft.write(db, "mara_voss", 1))
    assert await store.do(lambda db: social.load(db, "mara_voss")) == []


async def test_a_transaction_that_breaks_leaves_the_row_as_it_was(store: Store) -> None:
    await store.do(lambda db: social.put(db, [KEPT]))

    def breaks(db: Database) -> None:
        social.put(db, [replace(KEPT, between="Never.")])
        raise RuntimeError("the process was killed here")

    with pytest.raises(RuntimeError):
        await store.do(breaks)
    assert await store.do(lambda db: social.load(db, "mara_voss")) == [KEPT]


async def test_a_row_that_is_no_relation_is_damage(store: Store) -> None:
    await store.do(lambda db: social.put(db, [KEPT]))
    await store.do(lambda db: bool(db.execute("UPDATE social SET closeness = 'close'")))
    with pytest.raises(SaveDamaged):
        await store.do(lambda db: social.load(db, "mara_voss"))
