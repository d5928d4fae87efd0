"""No test thinks with a model that it does not name: minds live by instinct where nothing else is said."""

from __future__ import annotations

import os

os.environ.setdefault("NPC_SERVER_ENGINE__MODEL", "none")

from tests.minds import make_mind, persona, world  # noqa: F401
