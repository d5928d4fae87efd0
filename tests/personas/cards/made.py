"""Cards of every form, made here: nobody's card is in the repository."""

from __future__ import annotations

import json
from typing import Any

from npc_server.personas.cards import charx, png

BOOK_ENTRY: dict[str, Any] = {
    "keys": ["crown"], "content": "The crown lies in the mill. {{char}} knows it; nobody else does.", "enabled": True,
    "extensions": {"depth": 4}, "insertion_order": 1,
}  # fmt: skip


def data(**fields: Any) -> dict[str, Any]:
    return {
        "name": "Ada Finch",
        "description": "{{char}} mends clocks in Millbrook. {{char}} has a dog called Bello; it bites.\n- Hair: red\n"
        "{{char}} likes {{user}}.",
        "personality": "Ada is patient",
        "scenario": "{{char}} is looking for a spring for the tower clock.",
        "first_mes": "*She looks up.* Mind the gears!",
        "mes_example": "<START>\n{{user}}: What time is it?\n{{char}}: *laughs* Ask me in an hour.\n{{user}}: Bye!\n{{char}}: Go well.",
        "creator_notes": "", "system_prompt": "", "post_history_instructions": "", "alternate_greetings": ["Come in, {{user}}!", "Hello."],
        "tags": ["clockwork"], "creator": "", "character_version": "1", "extensions": {"made_up": {"deep": [1, None, 2.5]}},
        **fields,
    }  # fmt: skip


def v1() -> dict[str, Any]:
    fields = ("name", "description", "personality", "scenario", "first_mes", "mes_example")
    return {"avatar": "none", **{name: data()[name] for name in fields}}


def v2(**fields: Any) -> dict[str, Any]:
    return {"spec": "chara_card_v2", "spec_version": "2.0", "data": data(**fields)}


def v3(**fields: Any) -> dict[str, Any]:
    more = {"group_only_greetings": [], "nickname": "Addie", "assets": [], "creation_date": 7, "source": ["made for a test"]}
    return {"spec": "chara_card_v3", "spec_version": "3.0", "data": data(**more, **fields), "outside": {"kept": True}}


def book(entries: int, **fields: Any) -> dict[str, Any]:
    made = [{**BOOK_ENTRY, "content": f"Fact number {number} is true.", "id": number} for number in range(entries)]
    return {"name": "Lore", "entries": made, "extensions": {}, "scan_depth": 3, **fields}


def raw(root: Any) -> bytes:
    return json.dumps(root, ensure_ascii=False).encode()


def in_png(*cards: tuple[str, Any]) -> bytes:
    return png.with_cards(b"", [(key, raw(root)) for key, root in cards], "made.png")


def in_charx(root: Any, **files: bytes) -> bytes:
    return charx.packed(raw(root), {name.replace("__", "/"): body for name, body in files.items()})


CYRILLIC = {"name": "Аня Ковальчук", "description": "Аня чинит часы. У неё есть пёс.", "first_mes": "Здравствуй!"}
CHINESE = {"name": "王小明", "description": "王小明修理钟表。他喜欢喝茶。", "first_mes": "你好!"}
FILES: dict[str, bytes] = {
    "v1.json": raw(v1()),
    "v2.json": raw(v2()),
    "v3.json": raw(v3()),
    "with_bom.json": b"\xef\xbb\xbf" + raw(v2()),
    "cyrillic.json": raw(v2(**CYRILLIC)),
    "chinese.json": raw(v3(**CHINESE)),
    "emoji.json": raw(v2(name="Zoë 🦊 O'Hara", description='Zoë says: "Héllo"\tand #1 — {x: [y]}')),
    "big_book.json": raw(v2(character_book=book(2_000))),
    "v2.png": in_png(("chara", v2())),
    "v3.png": in_png(("chara", v2(name="Old Ada")), ("ccv3", v3())),
    "plain.charx": in_charx(v3()),
    "assets.charx": in_charx(
        v3(character_book=book(3)) | {"more": 1}, assets__icon__main_png=png.plain(), **{"assets__音__a.mp3": b"\0\1"}
    ),
    "odd_types.json": raw(v2(tags=3, alternate_greetings="no list", character_book=["no", "book"], mes_example=None)),
}
"""A dozen cards by their file names."""
