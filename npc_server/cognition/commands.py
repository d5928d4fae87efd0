"""Commands: an activity at home becomes atomic commands, one at a time, each checked by the game (AGA, VirtualHome).

The next command is chosen among those the mind believes possible. One that fails is *forbidden* for the rest of the activity.
A critic says when the activity is done, and what worked is kept as a Lifestyle Policy, by which it is done again without the model.

The commands of an activity stand in the plan as steps under the activity's own: done, failed, or still ahead. So a save holds them,
and an activity that was interrupted goes on where it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from npc_server import clock
from npc_server.cognition import at_home, instinct, policy
from npc_server.cognition.ask import ask
from npc_server.cognition.at_home import View
from npc_server.cognition.mind import Mind
from npc_server.cognition.places import words_of
from npc_server.llm.reply import Choice, Text, one
from npc_server.memory.places import Known
from npc_server.records import Action, Address, GameTime, PlanLevel, PlanStatus, PlanStep, PolicyStep, Source
from npc_server.world import household_rules as rules
from npc_server.world.household import POUR, SLEEP, STAND_UP, VERBS, WALK, Command, Thing, from_text, from_wire, is_thing

FINISHED, GAVE_UP = "finished", "gave up"
"""What an activity's last entry in the plan says."""
PLANNED, WANTED, BETWEEN, BY_POLICY = "planned", "wanted", "between", "policy "
"""What the sentence of an entry begins with: it stood in the plan from the start, by habit or by the policy of a key; it was chosen and
what has to come before it is being done; or it came between.
After it, when the command has begun, the things it has to do with and their states before."""
HELPING = frozenset((WALK, STAND_UP, "open", "close", "switch on", "switch off"))
"""Commands that only make way for others: in what state they find a thing is no condition of a policy."""
YES, NO = "yes", "no"
CRITIC_EVERY = 4
"""Commands after which the critic is asked though nothing suggests that the activity is done; 1 asks after each, as AGA does."""
PLACES_OFFERED = 4
"""Places offered to put one thing."""
THINGS_TOLD = 10
DONE_TOLD = 12


@dataclass(frozen=True)
class Next:
    command: Annotated[str, Choice(())]


@dataclass(frozen=True)
class Verdict:
    done: Annotated[str, Choice((YES, NO))]
    why: Annotated[str, Text(100, "why, few words")]


@dataclass(frozen=True)
class Decided:
    """What to do now, and the step of the plan behind it: one command, or the activity itself when nothing is left to do for it."""

    step: PlanStep
    action: Action


def is_activity(mind: Mind, step: PlanStep, here: Address) -> bool:
    """Whether a step takes place in a household, so that it is done by commands."""
    return not step.text.startswith(("waiting", "resting")) and at_home.lives_here(mind, step.address, here)


async def next_action(mind: Mind, step: PlanStep, here: Address, now: GameTime, action_id: str) -> Decided | None:
    """The next command of the activity `step`; None where it is to be done like any other step."""
    if not is_activity(mind, step, here):
        return None
    _learn_of_last(mind, here, now)
    entries = _without_broken_off(mind, entries_of(mind, step))
    view = at_home.view_of(mind, here)
    if not entries:
        entries = await _begin(mind, step, view, now)
        if not entries and not _asks(mind, step):
            return None
    if any(entry.does in (FINISHED, GAVE_UP) for entry in entries):
        return _rest(mind, step, here, now, action_id)
    tried = [entry for entry in entries if entry.status in (PlanStatus.DONE, PlanStatus.FAILED)]
    if len(tried) >= mind.settings.commands_per_activity or now >= step.end - at_home.RESERVE_S // 2:
        return _over(mind, step, entries, GAVE_UP, here, now, action_id)
    chosen = await _choose(mind, step, view, entries, now)
    if chosen is not None:
        return _do(mind, step, chosen, view, now, action_id)
    await _keep(mind, step, entries_of(mind, step), now)
    return _over(mind, step, entries, FINISHED, here, now, action_id)


def failed(mind: Mind, step: PlanStep, reason: str, here: Address, now: GameTime) -> bool:
    """Takes in that a command could not be done: it is forbidden for its activity. False when the step is no command."""
    command = _command_of(step)
    activity = next((s for s in mind.plan if s.id == step.parent and s.level is PlanLevel.STEP), None)
    if command is None or activity is None:
        return False
    mind.update_step(replace(step, status=PlanStatus.FAILED, sentence=reason))
    _learn(mind, command, here, now)
    key = _policy_of([step])
    if key:
        policy.failed(mind, key, now)
        _drop(mind, entries_of(mind, activity))
        _by_custom(mind, activity, at_home.view_of(mind, here))
    return True


# ---- the activity's entries in the plan


def entries_of(mind: Mind, activity: PlanStep) -> list[PlanStep]:
    """Its commands in the order in which they were done; those ahead last."""
    found = [s for s in mind.plan if s.parent == activity.id and s.level is PlanLevel.STEP and s.status is not PlanStatus.DROPPED]
    return sorted(found, key=lambda s: (s.status is PlanStatus.AHEAD, 0 if s.status is PlanStatus.AHEAD else s.start, s.id))


def _without_broken_off(mind: Mind, entries: Sequence[PlanStep]) -> list[PlanStep]:
    """What came between and was interrupted may not be needed any more."""
    stale = [entry for entry in entries if entry.status is PlanStatus.AHEAD and entry.sentence.startswith(BETWEEN)]
    _drop(mind, stale)
    return [entry for entry in entries if entry not in stale]


async def _begin(mind: Mind, activity: PlanStep, view: View, now: GameTime) -> list[PlanStep]:
    """What is to be done, put into the plan: by a policy that worked before, else by habit."""
    if activity.text == instinct.ASLEEP:
        for older in [s for s in mind.plan if s.text == instinct.ASLEEP and s.status is PlanStatus.AHEAD and s.id != activity.id]:
            mind.update_step(replace(older, status=PlanStatus.DROPPED))
        bed = Command(SLEEP, activity.address.rpartition(":")[2])
        return _planned(mind, activity, view, [(bed, 0)], Source.INSTINCT, PLANNED)
    if _asks(mind, activity):
        found = await policy.recall(mind, activity.text, 0, now, commands=True)
        if found is not None:
            pairs = [(it, _command(it.address, it.does)) for it in found.steps]
            lengths = at_home.lengths([it.minutes for it, _ in pairs], (activity.end - now) // clock.MINUTE)
            known = [(command, length) for (_, command), length in zip(pairs, lengths, strict=True) if command is not None]
            return _planned(mind, activity, view, known, Source.POLICY, BY_POLICY + found.key)
    return _by_custom(mind, activity, view)


def _by_custom(mind: Mind, activity: PlanStep, view: View) -> list[PlanStep]:
    """The habit, without what has been done already; before it, what is in the hand and not needed is put down."""
    habit = at_home.habit_of(mind.persona, activity.text)
    if not habit:
        habit = [(command, 0) for command in at_home.guess(view, activity.text, activity.address)]
    done = {entry.text for entry in entries_of(mind, activity) if entry.status is PlanStatus.DONE}
    habit = [(command, minutes * clock.MINUTE) for command, minutes in habit if command.text not in done]
    if habit:
        habit = [*((command, 0) for command in at_home.put_down(view, [command for command, _ in habit])), *habit]
    return _planned(mind, activity, view, habit, Source.INSTINCT, PLANNED)


def _planned(
    mind: Mind, activity: PlanStep, view: View, commands: Sequence[tuple[Command, int]], source: Source, mark: str
) -> list[PlanStep]:
    known = [(command, length) for command, length in commands if view.thing(command.what) is not None]
    return mind.add_steps([_entry(mind, activity, command, view, source, mark, length) for command, length in known])


def _entry(mind: Mind, activity: PlanStep, command: Command, view: View, source: Source, mark: str = BETWEEN, length: int = 0) -> PlanStep:
    """`length` in game seconds, where it is known beforehand: then the entry is so long, else as long as the activity."""
    address = view.home.things[command.what].address
    start, end = activity.start, activity.start + length if length else activity.end
    return PlanStep(
        mind.npc, 0, PlanLevel.STEP, activity.id, start, end, command.text, address, PlanStatus.AHEAD, source, command.does, mark
    )  # fmt: skip


def _command_of(entry: PlanStep) -> Command | None:
    return _command(entry.address, entry.does)


def _command(address: Address, does: str) -> Command | None:
    return from_wire(address.rpartition(":")[2], does)


def _policy_of(entries: Sequence[PlanStep]) -> str:
    """The key of the policy that entries are done by; empty for none."""
    marks = (entry.sentence.partition(";")[0] for entry in entries)
    return next((mark[len(BY_POLICY) :] for mark in marks if mark.startswith(BY_POLICY)), "")


def _ahead(entries: Sequence[PlanStep]) -> list[tuple[PlanStep, Command]]:
    pairs = [(entry, _command_of(entry)) for entry in entries if entry.status is PlanStatus.AHEAD]
    return [(entry, command) for entry, command in pairs if command is not None]


def _forbidden(entries: Sequence[PlanStep]) -> dict[str, str]:
    """The commands that failed, and why."""
    return {entry.text: entry.sentence for entry in entries if entry.status is PlanStatus.FAILED}


def _drop(mind: Mind, entries: Sequence[PlanStep]) -> None:
    for entry in entries:
        if entry.status is PlanStatus.AHEAD:
            mind.update_step(replace(entry, status=PlanStatus.DROPPED))


# ---- choosing


@dataclass(frozen=True)
class _Chosen:
    command: Command
    source: Source
    entry: PlanStep | None
    """The entry that planned it; None when it comes between."""
    to_come: tuple[tuple[Command, int], ...]
    """With seconds, 0 where that is open."""
    known: bool
    """Whether `to_come` is all that there is to do."""


def _asks(mind: Mind, step: PlanStep) -> bool:
    """Whether the model decides. Sleep is nobody's decision."""
    return step.text != instinct.ASLEEP and mind.settings.planning and mind.engine.status().ready


async def _choose(mind: Mind, step: PlanStep, view: View, entries: Sequence[PlanStep], now: GameTime) -> _Chosen | None:
    """The next command: of the policy's, else the model's, else the habit's. None when there is nothing left to do."""
    ahead = _ahead(entries)
    key = _policy_of([entry for entry, _ in ahead])
    if key:
        found = at_home.next_by_habit(view, [command for _, command in ahead], ())
        left_out = ahead if found is None else ahead[: found.index]
        if all((refused := view.refusal(command)) is not None and refused.already for _, command in left_out):
            return _by_habit(mind, step, view, entries, Source.POLICY)
        policy.failed(mind, key, now)
        _drop(mind, entries)
        _by_custom(mind, step, view)
        entries = entries_of(mind, step)
    elif not ahead and _is_by_policy(entries):
        return None
    return await _asked(mind, step, view, entries, now) if _asks(mind, step) else _by_habit(mind, step, view, entries, Source.INSTINCT)


def _is_by_policy(entries: Sequence[PlanStep]) -> bool:
    """Whether all that was done was done by a policy."""
    done = [entry for entry in entries if entry.status is PlanStatus.DONE and _command_of(entry) is not None]
    return bool(_policy_of(done)) and not _forbidden(entries) and all(entry.source is Source.POLICY for entry in done)


def _by_habit(mind: Mind, step: PlanStep, view: View, entries: Sequence[PlanStep], source: Source) -> _Chosen | None:
    """What the habit has next; what it has to leave out is dropped from the plan."""
    ahead = _ahead(entries)
    found = at_home.next_by_habit(view, [command for _, command in ahead], _forbidden(entries))
    _pass_over(mind, ahead if found is None else ahead[: found.index])
    return _chosen(step, found.first, ahead[found.index :], source, view) if found is not None else None


def _pass_over(mind: Mind, skipped: Sequence[tuple[PlanStep, Command]]) -> None:
    """What is so already, or cannot be done, is left out."""
    _drop(mind, [entry for entry, _ in skipped])


def _chosen(activity: PlanStep, command: Command, ahead: Sequence[tuple[PlanStep, Command]], source: Source, view: View) -> _Chosen:
    """A command beside what is ahead: the first of it, another thing of the same name in its place, or one that comes between."""
    to_come = tuple((planned, _length(activity, entry)) for entry, planned in ahead)
    if ahead and _same(command, ahead[0][1], view):
        return _Chosen(command, source, ahead[0][0], to_come[1:], True)
    return _Chosen(command, source, None, to_come, bool(to_come))


def _length(activity: PlanStep, entry: PlanStep) -> int:
    return 0 if entry.end - entry.start >= activity.end - activity.start else entry.end - entry.start


def _same(a: Command, b: Command, view: View) -> bool:
    what, other = view.thing(a.what), view.thing(b.what)
    return a.verb == b.verb and a.target == b.target and what is not None and other is not None and what.name == other.name


async def _asked(mind: Mind, step: PlanStep, view: View, entries: Sequence[PlanStep], now: GameTime) -> _Chosen | None:
    """The critic first, when something was done; then the next command. None when the activity is done."""
    ahead, forbidden = _ahead(entries), _forbidden(entries)
    wanted = next(((entry, command) for entry, command in ahead if entry.sentence.startswith(WANTED)), None)
    if wanted is not None:
        rest = [it for it in ahead if it is not wanted]
        first = at_home.first_for(view, wanted[1], forbidden)
        if first is not None:
            return _chosen(step, first, [wanted, *rest], Source.MODEL, view)
        _drop(mind, [wanted[0]])
        ahead = rest
    habit = at_home.next_by_habit(view, [command for _, command in ahead], forbidden)
    done = [entry for entry in entries if entry.status is PlanStatus.DONE]
    told = _told(view, entries)
    if done and _is_time_for_critic(mind, done, habit is None):
        verdict = await ask(
            mind, "critic", one(Verdict), lambda: _verdict(habit is None), now, max_tokens=48, activity=step.text,
            posture=told.posture, hands=told.hands, done=told.done, forbidden=told.forbidden, things=_things(view, [], done),
        )  # fmt: skip
        if verdict.value.done == YES:
            return None
    few = mind.settings.uses("fuller_calls")
    usual = None if habit is None else habit.wanted if few else habit.first
    offered = await _offer(mind, view, step.text, usual, forbidden, few)
    if not offered:
        return None
    texts = [command.text for command in offered]
    answer = await ask(
        mind, "command", one(Next, command=Choice(tuple(texts))), lambda: Next(texts[0]), now, max_tokens=24, activity=step.text,
        posture=told.posture, hands=told.hands, done=told.done, forbidden=told.forbidden,
        offered=texts, things=_things(view, offered, done),
    )  # fmt: skip
    command = from_text(answer.value.command) or offered[0]
    if habit is not None and command == usual:
        _pass_over(mind, ahead[: habit.index])
        ahead = ahead[habit.index :]
    first = at_home.first_for(view, command, forbidden)
    if first is None or first == command:
        return _chosen(step, command, ahead, answer.source, view)
    if not ahead or not _same(command, ahead[0][1], view):
        ahead = [(mind.add_steps([_entry(mind, step, command, view, answer.source, WANTED)])[0], command), *ahead]
    else:
        ahead = [(mind.update_step(_as(ahead[0][0], command, view, WANTED)), command), *ahead[1:]]
    return _chosen(step, first, ahead, answer.source, view)


def _as(entry: PlanStep, command: Command, view: View, mark: str) -> PlanStep:
    """The entry with another thing of the same name, and another mark."""
    return replace(entry, text=command.text, address=view.home.things[command.what].address, does=command.does, sentence=mark)


def _verdict(done: bool) -> Verdict:
    return Verdict(YES, "everything is done") if done else Verdict(NO, "something is still to be done")


def _is_time_for_critic(mind: Mind, done: Sequence[PlanStep], habit_is_over: bool) -> bool:
    """After each command as AGA does; where calls are to be few, when something that could end the activity was done."""
    if not mind.settings.uses("fuller_calls"):
        return True
    last = _command_of(done[-1])
    return habit_is_over or len(done) % CRITIC_EVERY == 0 or (last is not None and VERBS[last.verb].lasts)


async def _offer(mind: Mind, view: View, activity: str, habit: Command | None, forbidden: dict[str, str], few: bool) -> list[Command]:
    """The commands believed possible, best first: by meaning, by words, and what is at hand before what is not.

    With `few`, those too that only need walking, opening or standing up first.
    """
    found = at_home.within_reach(view, forbidden) if few else list(rules.possible(view.home, view.npc, view.at))
    found = [command for command in found if command.text not in forbidden]
    things = list(view.home.things.values())
    relevance = (await mind.places.of([thing.address for thing in things])) @ (await mind.embedder.embed([activity]))[0]
    suits = {thing.id: float(value) for thing, value in zip(things, relevance, strict=True)}
    wanted = words_of(activity)

    def score(command: Command) -> float:
        suited = suits[command.what] + (suits.get(command.target, 0.0) / 2)
        at_hand = all(view.home.near(view.npc, view.at, name) for name in (command.what, command.target) if name)
        near = 0.3 if command.verb != WALK and at_hand else 0.0
        return suited + near + 0.25 * len(wanted & words_of(at_home.phrase(view, command)))

    best = _varied(sorted(found, key=score, reverse=True))
    if habit is not None:
        best = [habit, *(command for command in best if command != habit)]
    return best[: mind.settings.commands_offered]


@dataclass(frozen=True)
class _Told:
    """What both questions tell."""

    done: list[str]
    forbidden: list[str]
    posture: str
    hands: str


def _varied(commands: Sequence[Command]) -> list[Command]:
    """Without most of the places where a thing in the hand can be put: they would fill the list."""
    puts: Counter[str] = Counter()
    kept: list[Command] = []
    for command in commands:
        puts[command.what] += bool(command.target)
        if not command.target or puts[command.what] <= PLACES_OFFERED:
            kept.append(command)
    return kept


def _told(view: View, entries: Sequence[PlanStep]) -> _Told:
    done = [entry.text for entry in entries if entry.status is PlanStatus.DONE]
    forbidden = [f"{text}, because {why}" for text, why in _forbidden(entries).items()]
    return _Told(done[::-1][:DONE_TOLD], forbidden, at_home.posture(view), at_home.hands(view))


def _things(view: View, offered: Sequence[Command], done: Sequence[PlanStep]) -> list[str]:
    """What is known of the things in question, those last used first."""
    used = [command for entry in reversed(done) if (command := _command_of(entry)) is not None]
    names = dict.fromkeys(name for command in [*used, *offered] for name in (command.what, command.target) if name in view.home.things)
    return [at_home.line(view.home.things[name], view.npc) for name in list(names)[:THINGS_TOLD]]


# ---- doing


def _do(mind: Mind, activity: PlanStep, chosen: _Chosen, view: View, now: GameTime, action_id: str) -> Decided:
    command = chosen.command
    planned_s = _length(activity, chosen.entry) if chosen.entry is not None else 0
    until = now + at_home.seconds(command, activity, now, planned_s, chosen.to_come, chosen.known)
    planned = chosen.entry or mind.add_steps([_entry(mind, activity, command, view, chosen.source)])[0]
    address, mark = view.home.things[command.what].address, planned.sentence.partition(";")[0]
    entry = replace(
        planned, start=now, end=until, text=command.text, address=address, does=command.does, source=chosen.source,
        sentence="; ".join([mark, *(f"{thing.id}: {thing.write()}" for thing in _used(view, command))]),
    )  # fmt: skip
    return Decided(entry, _action(mind, activity, entry, at_home.phrase(view, command), now, until, action_id))


def _action(mind: Mind, activity: PlanStep, entry: PlanStep, what: str, now: GameTime, until: GameTime, action_id: str) -> Action:
    return Action(
        id=action_id, npc=mind.npc, sentence=instinct.sentence(mind.persona.first_name, what), address=entry.address,
        emoji=activity.emoji or instinct.emoji(activity.text), start=now, end=until, object_action=entry.does, source=entry.source,
    )  # fmt: skip


def _over(mind: Mind, step: PlanStep, entries: Sequence[PlanStep], how: str, here: Address, now: GameTime, action_id: str) -> Decided:
    """The activity is done or given up; what is left of its time is spent where one is."""
    _drop(mind, entries)
    mind.add_steps([PlanStep(mind.npc, 0, PlanLevel.STEP, step.id, now, now, how, "", PlanStatus.DONE, step.source, how)])
    return _rest(mind, step, here, now, action_id)


def _rest(mind: Mind, step: PlanStep, here: Address, now: GameTime, action_id: str) -> Decided:
    """Until the activity's time is up."""
    sentence, emoji = instinct.sentence(mind.persona.first_name, step.text), step.emoji or instinct.emoji(step.text)
    return Decided(step, Action(action_id, mind.npc, sentence, here or step.address, emoji, now, step.end, source=step.source))


# ---- keeping what worked


def _used(view: View, command: Command) -> list[Thing]:
    return [thing for name in (command.what, command.target) if (thing := view.thing(name)) is not None]


async def _keep(mind: Mind, step: PlanStep, entries: Sequence[PlanStep], now: GameTime) -> None:
    """An activity that was done becomes a Lifestyle Policy; one that was done by a policy shows that it works."""
    done = [entry for entry in entries if entry.status is PlanStatus.DONE and _command_of(entry) is not None]
    if _is_by_policy(entries):
        policy.worked(mind, _policy_of(done), now)
    elif any(entry.source is Source.MODEL for entry in done):
        steps = [PolicyStep(_minutes(entry), entry.text, entry.address, entry.does, "", "") for entry in done]
        minutes = max(1, (step.end - step.start) // clock.MINUTE)
        await policy.remember(mind, step.text, minutes, _needs(mind, done), steps, now)


def _minutes(entry: PlanStep) -> int:
    command = _command_of(entry)
    lasting = command is not None and VERBS[command.verb].lasts
    return max(1, (entry.end - entry.start) // clock.MINUTE) if lasting else 0


def _needs(mind: Mind, done: Sequence[PlanStep]) -> list[tuple[Address, str]]:
    """The things that were used, each in the state it had before its first command; without those that only helped."""
    home = {node.address.rpartition(":")[2]: node.address for node in mind.world if node.address in mind.known and is_thing(node)}
    found: dict[Address, str] = {}
    changed: set[str] = set()
    for entry in done:
        command = _command_of(entry)
        for part in entry.sentence.split("; ")[1:]:
            name, _, state = part.partition(": ")
            if command is None or name not in home:
                continue
            if name == command.target and command.verb != POUR:
                found.setdefault(home[name], "")  # a table that is laid on may be clean or not
            elif command.verb not in HELPING and name not in changed:
                found.setdefault(home[name], state)
            if command.verb != WALK:
                changed.add(name)
    return sorted(found.items())


# ---- learning


def _learn_of_last(mind: Mind, here: Address, now: GameTime) -> None:
    """Who does something sees what becomes of it."""
    done = [step for step in mind.plan if step.status is PlanStatus.DONE and step.does and step.start <= now]
    last = max(done, key=lambda step: (step.start, step.id), default=None)
    command = _command_of(last) if last is not None else None
    if command is not None:
        _learn(mind, command, here, now)


def _learn(mind: Mind, command: Command, here: Address, now: GameTime) -> None:
    """The true states of the things a command has to do with, and of those they are in."""
    view = at_home.view_of(mind, here)
    for thing in at_home.involved(view, command):
        for seen in mind.known.learn(thing.address, mind.world.node(thing.address).state, now):
            mind.draft.seen[seen.address] = Known(seen.address, seen.state, seen.at)
