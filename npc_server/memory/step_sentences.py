"""Reads household commands from the plan steps of older saves. Before version 6, the column `sentence` held what is now a record.

Only the migration uses this.
"""

from __future__ import annotations

from npc_server.records import CommandRole, PlannedCommand, PlanStatus

_ROLES = {"planned": CommandRole.USUAL, "wanted": CommandRole.CHOSEN, "between": CommandRole.PREPARING}
_POLICY, _LISTED = "policy ", "list "


def command_of(status: object, does: object, sentence: object) -> PlannedCommand:
    """The command that the columns of a step say, as in `policy 1f3a; mug_1: clean, in wall_cupboard`.

    Any other text, as in a file that somebody edited, becomes a preparing command. It is dropped when the activity continues.
    """
    words = sentence if isinstance(sentence, str) else ""
    if does in (CommandRole.FINISHED.value, CommandRole.GAVE_UP.value):
        return PlannedCommand(CommandRole(does))
    if status == PlanStatus.FAILED.value:
        return PlannedCommand(CommandRole.USUAL, failure=words)
    mark, *things = words.split("; ")
    pairs = (thing.partition(": ") for thing in things)
    states = tuple((name, state) for name, parted, state in pairs if parted)
    if mark.startswith(_POLICY):
        return PlannedCommand(CommandRole.POLICY, policy=mark.removeprefix(_POLICY), states=states)
    failures = mark.removeprefix(_LISTED)
    if mark.startswith(_LISTED) and failures.isdecimal():
        return PlannedCommand(CommandRole.LISTED, failures=int(failures), states=states)
    return PlannedCommand(_ROLES.get(mark, CommandRole.PREPARING), states=states)
