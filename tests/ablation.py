"""What a part of instinct brings: asks the cases of `npc-server eval` with the part left out.

python -m tests.ablation reflexes --kinds react
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from npc_server.cli import main
from npc_server.instinct import importance, invitations, line_facts, news, offers_asked, react, reflexes, self_knowledge, small_talk, speak
from npc_server.instinct.minimal import Minimal


async def _nothing_recalled(*_: object) -> tuple[()]:
    return ()


PARTS: dict[str, list[tuple[ModuleType, str, Callable[..., Any]]]] = {
    "none": [],
    "importance": [(importance, "weigh", Minimal().importance)],
    "reflexes": [(reflexes, "reflex", lambda *_: None)],
    "repairs": [(react, "repair", lambda *_: ((), ())), (react, "remedy_seen", lambda *_: None)],
    "offers": [(offers_asked, "offer_reply", lambda *_: None)],
    "numbers of offers": [(offers_asked, "numbers_said", lambda *_: {})],
    "first person": [(module, "in_first_person", lambda text, *_: text) for module in (self_knowledge,)],
    "invitations": [(invitations, "find", lambda *_: None)],
    "news": [(news, "news", lambda *_: None), (small_talk, "news", lambda *_: None)],
    "facts of the moment": [(line_facts, "facts", lambda *_: {})],
    "recall": [(speak, "recall", _nothing_recalled)],
}
"""For each part the functions that it is asked by, and what takes their place."""


def leave_out(part: str, put: Callable[[ModuleType, str, Callable[..., Any]], None] = setattr) -> None:
    for module, name, instead in PARTS[part]:
        put(module, name, instead)


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in PARTS:
        raise SystemExit(f"Name a part: {', '.join(PARTS)}")
    leave_out(sys.argv[1])
    sys.argv = ["npc-server", "eval", "model", "none", *sys.argv[2:]]
    main()
