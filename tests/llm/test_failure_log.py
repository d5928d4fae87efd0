from __future__ import annotations

from structlog.testing import capture_logs

from npc_server.llm.failure_log import EVERY_S, FailureLog


def test_a_failure_that_comes_again_is_logged_once_a_minute_with_its_number() -> None:
    now = 0.0
    failures = FailureLog("texts have no vector", lambda: now)
    with capture_logs() as logs:
        for _ in range(954):
            failures.note(ValueError("too late"))
        now = EVERY_S
        failures.note(ValueError("too late"))
    assert [(it["event"], it["times"]) for it in logs] == [("texts have no vector", 1), ("texts have no vector", 954)]
