"""One tree of errors. Each message says what failed, the value, and the fix.

NpcServerError
├── BadInput                  what somebody wrote or sent is wrong            INVALID_ARGUMENT
│   ├── FileProblem           ... in a file: name, line, what, fix
│   └── UnknownName           no NPC, place or memory of that name            NOT_FOUND
├── SaveError                 a save cannot be used
│   ├── SaveNotFound                                                          NOT_FOUND
│   ├── SaveExists                                                            ALREADY_EXISTS
│   ├── SaveInUse             open in another session or process              FAILED_PRECONDITION
│   ├── SaveOfAnotherGame     another game made it                            FAILED_PRECONDITION
│   ├── SaveOfAnotherTown     it holds another town than the game's           FAILED_PRECONDITION
│   ├── SaveTooNew            made by a newer version                         FAILED_PRECONDITION
│   ├── SaveDamaged           not a save, or broken                           DATA_LOSS
│   └── SaveFull              the disk is full                                RESOURCE_EXHAUSTED
├── NoSession                 no such session is open                         FAILED_PRECONDITION
├── GameLoaded                another save was loaded before the answer       ABORTED
├── NotAllowed                the token is missing or wrong                   UNAUTHENTICATED
├── Overloaded                a queue is full                                 RESOURCE_EXHAUSTED
├── StreamReplaced            another stream of the session took over         ABORTED
├── Stopping                  the server is going down                        UNAVAILABLE
└── EngineError               the model did not answer; instinct does
    ├── ModelMissing          no file, or none configured                     UNAVAILABLE
    ├── ModelRejected         the file is cut short, hostile or unsupported   FAILED_PRECONDITION
    ├── ModelDied             the model process ended; it is being restarted  UNAVAILABLE
    ├── PromptTooLong         longer than the context                         INVALID_ARGUMENT
    ├── ReplyUnreadable       the reply did not parse, twice                  INTERNAL
    └── DeadlinePassed        no answer in time                               DEADLINE_EXCEEDED
"""

from __future__ import annotations

from dataclasses import dataclass

from npc_server.visible import visible


class NpcServerError(Exception):
    """Something this program can explain.

    `reason` is stable and goes to the game; `what` says what failed and with which value, `fix` what to do. They may quote what somebody
    sent, and go to terminals and logs: what would steer those is spelled out.
    """

    reason = "INTERNAL"

    def __init__(self, what: str, fix: str = "", **values: object) -> None:
        self.what, self.fix = visible(what), visible(fix)
        super().__init__(f"{self.what} {self.fix}".strip())
        self.values = {name: visible(str(value)) for name, value in values.items()}


class BadInput(NpcServerError):
    """What somebody wrote or sent is wrong."""

    reason = "BAD_INPUT"


@dataclass(frozen=True)
class Problem:
    """One mistake in a file. `line` counts from 1; 0 when it is the file as a whole."""

    file: str
    line: int
    what: str
    fix: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return visible(f"{place}: {self.what} {self.fix}".strip())


class FileProblem(BadInput):
    """A file is wrong; `problems` lists every mistake found in it."""

    reason = "BAD_FILE"

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems), file=problems[0].file if problems else "")
        self.problems = problems


class UnknownName(BadInput):
    """No NPC, place or memory of that name."""

    reason = "UNKNOWN_NAME"


class SaveError(NpcServerError):
    """A save cannot be used."""

    reason = "SAVE_ERROR"


class SaveNotFound(SaveError):
    """No slot of that name."""

    reason = "SAVE_NOT_FOUND"


class SaveExists(SaveError):
    """The slot is taken."""

    reason = "SAVE_EXISTS"


class SaveInUse(SaveError):
    """Another session or process holds the slot."""

    reason = "SAVE_IN_USE"


class SaveOfAnotherGame(SaveError):
    """Another game made the save: games on one machine keep theirs apart."""

    reason = "SAVE_OF_ANOTHER_GAME"


class SaveOfAnotherTown(SaveError):
    """The save holds another town than the one the game plays."""

    reason = "SAVE_OF_ANOTHER_TOWN"


class SaveTooNew(SaveError):
    """A newer version of npc-server made it."""

    reason = "SAVE_TOO_NEW"


class SaveDamaged(SaveError):
    """Not a save, or a broken one. The file is left as it was."""

    reason = "SAVE_DAMAGED"


class SaveFull(SaveError):
    """The disk is full; what was acknowledged is on disk."""

    reason = "DISK_FULL"


class NoSession(NpcServerError):
    """No such session is open."""

    reason = "NO_SESSION"


class GameLoaded(NpcServerError):
    """Another save was loaded before the answer was there; nothing of it is remembered."""

    reason = "GAME_LOADED"


class NotAllowed(NpcServerError):
    """The token is missing or wrong."""

    reason = "BAD_TOKEN"


class Overloaded(NpcServerError):
    """A queue is full; nothing of the refused request was kept."""

    reason = "OVERLOADED"


class StreamReplaced(NpcServerError):
    """Another `Play` stream of the same session took over."""

    reason = "STREAM_REPLACED"


class Stopping(NpcServerError):
    """The server is going down; what was acknowledged is on disk."""

    reason = "SERVER_STOPPING"


class EngineError(NpcServerError):
    """The model did not answer; instinct does."""

    reason = "MODEL_FAILED"


class ModelMissing(EngineError):
    """No model file, or none is configured."""

    reason = "MODEL_MISSING"


class ModelRejected(EngineError):
    """The model file is cut short, hostile, or of a kind llama.cpp cannot run."""

    reason = "MODEL_REJECTED"


class ModelDied(EngineError):
    """The model process ended; it is being restarted."""

    reason = "MODEL_DIED"


class PromptTooLong(EngineError):
    """The prompt does not fit the context."""

    reason = "PROMPT_TOO_LONG"


class ReplyUnreadable(EngineError):
    """The reply did not parse, twice."""

    reason = "REPLY_UNREADABLE"


class DeadlinePassed(EngineError):
    """No answer in time."""

    reason = "DEADLINE_PASSED"
