"""Plays a town for some days, then interviews its people under each condition under which a mind can answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from npc_eval.believability_study.conditions import ABLATIONS, Condition, under
from npc_eval.believability_study.files import InterviewAnswer, InterviewedPerson, Interviews, RememberedLine
from npc_eval.engines.from_folder import require_complete
from npc_eval.simulation.report import stamp
from npc_eval.simulation.run import Simulation, simulate
from npc_eval.society.measures import followed_stories
from npc_server import clock
from npc_server.clock import DAY
from npc_server.config import EngineSettings, Settings
from npc_server.errors import BadInput
from npc_server.llm.start import missing_model, open_embedder, open_engine
from npc_server.local.server import local_server, with_own_saves
from npc_server.memory import meta
from npc_server.memory.suffix import SUFFIX
from npc_server.mind import identity
from npc_server.mind.mind import Mind
from npc_server.records import GameTime
from npc_server.sandbox.town_world import TownWorld
from npc_server.sandbox.towns import Cast
from npc_server.session.inspect_save import opened
from npc_server.session.interview_questions import InterviewQuestion, answers, for_person

SLOT = "life"
DEADLINE_S = 3600.0
"""Wall seconds that an answer may take."""
Tell = Callable[[str], None]
"""Called with the reason why a wanted model is missing."""


def length(start: GameTime, days: int, until: str) -> float:
    """Returns the game days from `start` to the time `until` (like `20:00`) on the last of `days` days. Raises BadInput."""
    try:
        end = clock.day_start(start) + (days - 1) * DAY + clock.parse_hhmm(until)
    except ValueError as error:
        raise BadInput(f"--until {until!r} is not a time of day.", 'Write it like "20:00".') from error
    if end <= start:
        raise BadInput(f"Life would end at {stamp(end)}, before it begins at {stamp(start)}.", "Give more --days, or a later --until.")
    return (end - start) / DAY


async def live(
    settings: Settings, cast: Cast, seed: int, days: float, folder: Path, tell: Tell, turned: Callable[[TownWorld], None]
) -> Path:
    """Plays the town in lockstep with its stories, and returns the save in `folder`."""
    whispers = [(story.starter, story.whisper) for story in followed_stories(cast)]
    async with local_server(with_own_saves(settings, folder)) as local:
        tell(local.problem)
        await simulate(local.connection, cast, Simulation(SLOT, seed, days, whispers=whispers, policies=cast.policy_files), on_turn=turned)
        require_complete(local.engine)
    return folder / f"{SLOT}{SUFFIX}"


async def interviews(
    settings: Settings,
    save: Path,
    people: Sequence[str],
    questions: Sequence[InterviewQuestion],
    at: GameTime | None,
    tell: Tell,
    answered: Callable[[int, int], None],
) -> Interviews:
    """Asks everybody in a save, or the given `people`, all questions under all conditions. The save is only read.

    `answered` hears how many answers there are, and of how many. Raises what `inspect_save.opened` does, and UnknownName.
    """
    engine, embedder = await open_engine(_patient(settings.engine)), await open_embedder(settings.engine)
    try:
        tell(missing_model(settings.engine, engine))
        async with opened(save, settings.mind, at, engine, embedder) as minds:
            asked = [minds.find(who).mind for who in people] or [agent.mind for agent in minds.agents.values()]
            asked = list({mind.npc: mind for mind in asked}.values())
            found: list[InterviewAnswer] = []
            for mind in asked:
                # The questions of one person are asked together, because their prompts share much. More would wait in the queue.
                given = await asyncio.gather(*(_asked(mind, condition, questions, minds.now) for condition in ABLATIONS))
                found += [answer for of_one_question in zip(*given, strict=True) for answer in of_one_question]
                answered(len(found), len(asked) * len(questions) * len(ABLATIONS))
            require_complete(engine)
            return Interviews(
                town=minds.town,
                asked_at=stamp(minds.now),
                seed=(await minds.store.do(meta.read)).seed,
                model=settings.engine.model_name,
                embedding_model=embedder.name,
                people=tuple(_person(mind) for mind in asked),
                answers=tuple(found),
            )
    finally:
        await engine.close()
        await embedder.close()


async def _asked(mind: Mind, condition: Condition, questions: Sequence[InterviewQuestion], now: GameTime) -> list[InterviewAnswer]:
    # Names are drawn from the whole mind, so that all conditions get the same questions.
    own = for_person(questions, mind)
    return [
        InterviewAnswer(
            npc=mind.npc,
            category=item.question.category,
            question=item.question.text,
            condition=condition,
            answer=item.answer,
            source=item.source.value,
            evidence=tuple(scored.memory.id for scored in item.evidence),
        )
        async for item in answers(under(mind, condition), own, now)
    ]


def _person(mind: Mind) -> InterviewedPerson:
    memories = [
        RememberedLine(id=it.id, kind=it.kind.value, at=stamp(it.created), importance=it.importance, text=it.text)
        for it in reversed(mind.stream.latest(len(mind.stream)))
    ]
    return InterviewedPerson(npc=mind.npc, name=mind.persona.name, description=identity.paragraph(mind), memories=tuple(memories))


def _patient(settings: EngineSettings) -> EngineSettings:
    """Returns settings with a long deadline, because no game waits here."""
    return settings.model_copy(update={"deadline_s": DEADLINE_S, "player_deadline_s": DEADLINE_S, "embedding_deadline_s": DEADLINE_S})
