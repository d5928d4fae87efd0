"""Household: all commands of an activity in one reply, the next command alone, and the critic."""

from __future__ import annotations

from models.nano.draw import Draw, content
from models.nano.people import distinct_names, random_time, someone
from models.nano.render import Sample, Turn, rendered, turn
from npc_server.affordable.commands_at_once import LINES
from npc_server.llm.reply import Choice, many, one
from npc_server.mind.replies import NO, YES, CriticVerdict, ListedCommand, NextCommand
from npc_server.world.household import Command

WHY_NOT = ("could not be reached", "the hands are full", "it is closed", "it is in use", "it is dirty", "somebody else has it")


def _play(draw: Draw) -> tuple[str, list[Command]]:
    """An activity with its commands. Some objects have numbers."""
    spec = draw.one(content()["chores"])
    names = {
        kind: draw.one(lines) + (f"_{draw.number(1, 4)}" if draw.chance(0.4) else "")
        for kind, lines in content()["household_things"].items()
    }
    said = {kind: name.rsplit("_", 1)[0] if name[-1].isdigit() else name for kind, name in names.items()}
    activity = draw.fill(draw.one(spec["say"]), **{kind: name.replace("_", " ") for kind, name in said.items()})
    commands = [Command(row[0], draw.fill(row[1], **names), draw.fill(row[2], **names) if len(row) > 2 else "") for row in spec["do"]]
    return activity, commands


def _state(draw: Draw, done: list[Command]) -> tuple[str, str]:
    """Posture, and what the hands hold, after the commands done."""
    held: list[str] = []
    posture = "standing"
    for command in done:
        if command.verb == "walk to":
            posture = f"standing at {command.what}"
        elif command.verb == "sit on":
            posture = f"sitting on {command.what}"
        elif command.verb == "lie on":
            posture = f"lying on {command.what}"
        elif command.verb == "grab":
            held.append(command.what)
        elif command.verb in ("put on", "put in", "wear") and command.what in held:
            held.remove(command.what)
    return posture, " and ".join(held[:2]) or "nothing"


def _things(draw: Draw, commands: list[Command]) -> list[str]:
    names = dict.fromkeys(name for command in commands for name in (command.what, command.target) if name)
    return [f"{name} is {draw.one(content()['thing_states'])}" for name in draw.some(list(names), 6)]


def commands(draw: Draw) -> Sample:
    """All commands of an activity, or those that are left. The prompt has each object with its commands, and other objects."""
    me = someone(draw, distinct_names(draw, 2), phrases=(1, 3), relations=(0, 1))
    now = random_time(draw)
    activity, plan = _play(draw)
    wanted = [c for c in plan if c.verb != "walk to"]  # walking comes by itself
    others = [c for _ in range(3) for c in _play(draw)[1] if c.verb != "walk to"]
    at = draw.number(0, len(wanted) - 1) if draw.chance(0.2) else 0
    done, left = wanted[:at], wanted[at:]
    forbidden = [c for c in draw.some(others, draw.one((0, 0, 0, 1))) if c.text not in {c.text for c in left}]
    offered = list(dict.fromkeys(c.text for c in [*left, *others] if c not in forbidden))
    posture, hands = _state(draw, done)
    reply = many(ListedCommand, 1, LINES, command=Choice(tuple(offered), hint="command"))
    values = {
        "things": draw.shuffled(_uses(draw, [*wanted, *others])),
        "done": [c.text for c in done][::-1],
        "forbidden": [f"{c.text}, because {draw.one(WHY_NOT)}" for c in forbidden],
        "activity": activity,
        "minutes": draw.number(1, 12) * 5,
        "posture": posture,
        "hands": hands,
    }
    full = rendered(me, now, "commands", reply, values)
    answer = tuple(ListedCommand(c.text) for c in left[:LINES])
    return Sample(
        "commands",
        full.part("system"),
        (turn(full, True, reply, answer, tuple(line.command for line in answer), "commands"),),
        {"npc": me.name},
    )


def _uses(draw: Draw, found: list[Command]) -> list[str]:
    """Each object with its state and commands, as the server shows them."""
    verbs: dict[str, list[str]] = {}
    for c in found:
        verbs.setdefault(c.what, []).append("put" if c.target and c.verb.startswith("put") else "pour" if c.target else c.verb)
        if c.target:
            verbs.setdefault(c.target, []).append(f"put things {c.verb.removeprefix('put ')}" if c.verb.startswith("put") else "pour")
    states = content()["thing_states"]
    return [f"{name} is {draw.one(states)}: {', '.join(dict.fromkeys(names))}" for name, names in verbs.items()]


def command(draw: Draw) -> Sample:
    me = someone(draw, distinct_names(draw, 2), phrases=(1, 3), relations=(0, 1))
    now = random_time(draw)
    activity, commands = _play(draw)
    at = draw.number(0, len(commands) - 1)
    done, wanted = commands[:at], commands[at]
    others = [c for _ in range(3) for c in _play(draw)[1] if c.text not in {c.text for c in commands}]
    later = [c for c in commands[at + 1 :] if draw.chance(0.5)]
    forbidden = [f"{c.text}, because {draw.one(WHY_NOT)}" for c in draw.some(others, draw.one((0, 0, 0, 1)))]
    blocked = {line.split(", because")[0] for line in forbidden}
    offered = draw.shuffled(
        list(
            dict.fromkeys(
                [wanted.text, *(c.text for c in later), *(c.text for c in draw.some(others, draw.few(3, 9)) if c.text not in blocked)]
            )
        )
    )
    posture, hands = _state(draw, done)
    reply = one(NextCommand, command=Choice(tuple(offered)))
    values = {
        "things": _things(draw, commands + others[:2]),
        "done": [c.text for c in done][::-1],
        "forbidden": forbidden,
        "offered": offered,
        "activity": activity,
        "posture": posture,
        "hands": hands,
    }
    full = rendered(me, now, "command", reply, values)
    turns: tuple[Turn, ...] = (turn(full, True, reply, NextCommand(wanted.text), (wanted.text,), "command"),)
    return Sample("command", full.part("system"), turns, {"npc": me.name})


def critic(draw: Draw) -> Sample:
    me = someone(draw, distinct_names(draw, 2), phrases=(1, 3), relations=(0, 1))
    now = random_time(draw)
    activity, commands = _play(draw)
    finished = draw.chance(0.5)
    done = commands if finished else commands[: draw.number(0, len(commands) - 1)]
    if done:
        last = next((c for c in reversed(done) if c.verb != "walk to"), done[-1])
        why = (
            f"the last was to {last.text}"
            if finished
            else draw.one(("something is still to be done", f"it still needs to {commands[len(done)].text}"))
        )
    else:
        why = "nothing has been done yet"
    posture, hands = _state(draw, done)
    reply = one(CriticVerdict)
    values = {
        "things": _things(draw, commands),
        "done": [c.text for c in done][::-1],
        "forbidden": [],
        "activity": activity,
        "posture": posture,
        "hands": hands,
    }
    full = rendered(me, now, "critic", reply, values)
    return Sample(
        "critic",
        full.part("system"),
        (turn(full, True, reply, CriticVerdict(YES if finished else NO, why[:100]), (YES if finished else NO,), "critic"),),
        {"npc": me.name},
    )
