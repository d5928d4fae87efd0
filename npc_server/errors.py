"""All errors of npc-server. Each message says what failed, with which value, and how to fix it.

NpcServerError
├── BadInput                  a file, an option or a request is wrong         INVALID_ARGUMENT
│   ├── FileProblem           a file has mistakes                             INVALID_ARGUMENT
│   └── UnknownName           no NPC, place or memory has that name           NOT_FOUND
├── SaveError                 a save cannot be used
│   ├── SaveNotFound          no save has that name                           NOT_FOUND
│   ├── SaveExists            a save of that name exists already              ALREADY_EXISTS
│   ├── SaveInUse             another session or process has it open          FAILED_PRECONDITION
│   ├── SaveOfAnotherGame     another game made it                            FAILED_PRECONDITION
│   ├── SaveOfAnotherTown     it holds another town than the game's           FAILED_PRECONDITION
│   ├── SaveTooNew            a newer version made it                         FAILED_PRECONDITION
│   ├── SaveDamaged           the file is not a save, or is damaged           DATA_LOSS
│   └── SaveFull              the disk is full                                RESOURCE_EXHAUSTED
├── NoSession                 no such session is open                         FAILED_PRECONDITION
├── GameLoaded                a load came before the answer                   ABORTED
├── NotAllowed                the token is missing or wrong                   UNAUTHENTICATED
├── Overloaded                a queue is full                                 RESOURCE_EXHAUSTED
├── StreamReplaced            another stream of the session took over         ABORTED
├── Stopping                  the server is stopping                          UNAVAILABLE
└── EngineError               the model gave no answer, so instinct does
    ├── ModelMissing          no model file was found or set                  UNAVAILABLE
    ├── ModelRejected         the file is cut short, hostile or unsupported   FAILED_PRECONDITION
    ├── ModelDied             the model process ended and restarts            UNAVAILABLE
    ├── PromptTooLong         the prompt does not fit the context             INVALID_ARGUMENT
    ├── ReplyUnreadable       two replies could not be parsed                 INTERNAL
    └── DeadlinePassed        the answer took too long                        DEADLINE_EXCEEDED
"""

from __future__ import annotations

from dataclasses import dataclass

from npc_server.visible import visible


class NpcServerError(Exception):
    """An error that npc-server can explain.

    `reason` is a stable code for the game. `what` says what failed and with which value, and `fix` how to fix it. Both may quote input
    and are printed to terminals and logs, so control characters in them are spelled out.
    """

    reason = "INTERNAL"

    def __init__(self, what: str, fix: str = "", **values: object) -> None:
        self.what, self.fix = visible(what), visible(fix)
        super().__init__(f"{self.what} {self.fix}".strip())
        self.values = {name: visible(str(value)) for name, value in values.items()}


class BadInput(NpcServerError):
    """A file, an option or a request is wrong."""

    reason = "BAD_INPUT"


@dataclass(frozen=True)
class Problem:
    """One mistake in a file. `line` counts from 1, and is 0 for the file as a whole."""

    file: str
    line: int
    what: str
    fix: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return visible(f"{place}: {self.what} {self.fix}".strip())


class FileProblem(BadInput):
    """A file has mistakes. `problems` lists them all."""

    reason = "BAD_FILE"

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems), file=problems[0].file if problems else "")
        self.problems = problems


class UnknownName(BadInput):
    """No NPC, place or memory has that name."""

    reason = "UNKNOWN_NAME"


class SaveError(NpcServerError):
    """A save cannot be used."""

    reason = "SAVE_ERROR"


class SaveNotFound(SaveError):
    """No slot has that name."""

    reason = "SAVE_NOT_FOUND"


class SaveExists(SaveError):
    """A slot of that name exists already."""

    reason = "SAVE_EXISTS"


class SaveInUse(SaveError):
    """Another session or process has the slot open."""

    reason = "SAVE_IN_USE"


class SaveOfAnotherGame(SaveError):
    """Another game made the save. Each game opens only its own saves."""

    reason = "SAVE_OF_ANOTHER_GAME"


class SaveOfAnotherTown(SaveError):
    """The save holds another town than the one the game plays."""

    reason = "SAVE_OF_ANOTHER_TOWN"


class SaveTooNew(SaveError):
    """A newer version of npc-server made it."""

    reason = "SAVE_TOO_NEW"


class SaveDamaged(SaveError):
    """The file is not a save, or is damaged. It is left as it was."""

    reason = "SAVE_DAMAGED"


class SaveFull(SaveError):
    """The disk is full. Everything that was acknowledged is on disk."""

    reason = "DISK_FULL"


class NoSession(NpcServerError):
    """No such session is open."""

    reason = "NO_SESSION"


class GameLoaded(NpcServerError):
    """A save was loaded before the answer was ready. The request was dropped."""

    reason = "GAME_LOADED"


class NotAllowed(NpcServerError):
    """The token is missing or wrong."""

    reason = "BAD_TOKEN"


class Overloaded(NpcServerError):
    """A queue is full. The refused request left nothing behind."""

    reason = "OVERLOADED"


class StreamReplaced(NpcServerError):
    """Another `Play` stream of the same session took over."""

    reason = "STREAM_REPLACED"


class Stopping(NpcServerError):
    """The server is stopping. Everything that was acknowledged is on disk."""

    reason = "SERVER_STOPPING"


class EngineError(NpcServerError):
    """The model gave no answer, so instinct answers."""

    reason = "MODEL_FAILED"


class ModelMissing(EngineError):
    """No model file was found, or none is set."""

    reason = "MODEL_MISSING"


class ModelRejected(EngineError):
    """The model file is incomplete, hostile, or of a kind that llama.cpp cannot run."""

    reason = "MODEL_REJECTED"


class ModelDied(EngineError):
    """The model process ended, and is being restarted."""

    reason = "MODEL_DIED"


class PromptTooLong(EngineError):
    """The prompt does not fit the context."""

    reason = "PROMPT_TOO_LONG"


class ReplyUnreadable(EngineError):
    """Two replies in a row could not be parsed."""

    reason = "REPLY_UNREADABLE"


class DeadlinePassed(EngineError):
    """The answer took too long."""

    reason = "DEADLINE_PASSED"
