"""Conversations between NPCs, held through a session."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import pytest

from npc_server.agent import Agent, Wish
from npc_server.clock import HOUR, MINUTE
from npc_server.english.text import TALKED_WITH, TOLD_OF_OCCASION, WAS_AT
from npc_server.instinct import news as newsroom
from npc_server.llm.engine import Request
from npc_server.llm.scripted import ScriptedEngine
from npc_server.mind import appointments
from npc_server.mind.instinct import Invitation
from npc_server.records import MemoryKind, MemorySource, MemoryTopic, Perception, PerceptionKind, Social, Source, Speech, Talk, Whereabouts
from npc_server.session import talks as talking
from npc_server.session.host import Host
from npc_server.session.talk_context import TalkContext
from tests.session.conftest import Game, personas, town
from tests.waiting import LIMIT_S

MakeHost = Callable[..., Host]
SQUARE = "millbrook:lane:square"
NOON = "2026-05-04 12:00"
OVER = (
    "about: They talked.\nrelation: neighbour\nfeeling: All is well.\nbetween: They talk now and then.\ncloseness: 5\n"
    "promised: nothing\ntold: nothing"
)


class Stage:
    """The people of a session on the square at noon, and a floor that keeps what is said aloud."""

    def __init__(self, game: Game, people: Iterable[Agent]) -> None:
        self.game = game
        self.agents = {agent.npc: agent for agent in people}
        self.now = game.session.now + 6 * HOUR
        self.spoken: list[object] = []
        self.written: list[str] = []
        for agent in self.agents.values():
            agent.doing = replace(agent.doing, address=SQUARE)
        settings = next(iter(self.agents.values())).mind.settings
        self.floor = TalkContext(self.agents, settings, lambda: self.now, self.spoken.extend, self._write)

    async def _write(self, agent: Agent) -> None:
        self.written.append(agent.npc)

    async def hold(self, first: str, second: str, about: str = "", their_topic: str = "") -> Talk | None:
        return await talking.hold(self.floor, (self.agents[first], self.agents[second]), {first: about, second: their_topic})

    def overheard_by_a_player(self) -> None:
        for agent in self.agents.values():
            agent.mind.budget.near = True

    def told(self, npc: str) -> list[tuple[str, str]]:
        latest = self.agents[npc].mind.stream.latest(100, (MemoryKind.CONVERSATION,))
        return [(m.text, m.source_person) for m in latest if m.source is MemorySource.TOLD]


async def stage(host: Host) -> Stage:
    await host.create_save("one", town(), personas(), seed=7, start=0)
    session = await host.open_save("one")
    on = Stage(Game(session), [session.agent(npc) for npc in session.npc_ids])
    return on


def script(lines: Sequence[str], willing: str = "yes") -> ScriptedEngine:
    """Says the lines one after the other, and finds nothing to remember."""
    left = list(lines)

    def answer(request: Request) -> str:
        if request.stage == "say":
            return left.pop(0)
        return {"listen": willing, "talk_over": OVER, "importance": "3"}.get(request.stage, "?")

    return ScriptedEngine(answer)


def says(text: str, then: str = "go on") -> str:
    return f"say: {text}\nthen: {then}"


async def test_goodbye_ends_a_talk_after_an_answer(make_host: MakeHost) -> None:
    on = await stage(make_host(script([says("Hello."), says("I must go.", "leave"), says("Farewell!"), says("Never said.")])))
    on.overheard_by_a_player()
    talk = await on.hold("mara_voss", "tobin_hale")
    assert talk is not None
    assert [(line.speaker, line.text) for line in talk.lines] == [
        ("mara_voss", "Hello."),
        ("tobin_hale", "I must go."),
        ("mara_voss", "Farewell!"),
    ]
    assert [s.text for s in on.spoken if isinstance(s, Speech) and not s.partial] == ["Hello.", "I must go.", "Farewell!"]
    assert {s.source for s in on.spoken if isinstance(s, Speech)} == {Source.MODEL}
    assert on.written[-2:] == ["mara_voss", "tobin_hale"]


async def test_lines_say_that_instinct_decided_them(make_host: MakeHost) -> None:
    on = await stage(make_host())
    on.overheard_by_a_player()
    assert await on.hold("mara_voss", "tobin_hale") is not None
    assert {s.source for s in on.spoken if isinstance(s, Speech)} == {Source.INSTINCT}


async def test_a_goodbye_that_no_player_hears_costs_no_further_question(make_host: MakeHost) -> None:
    engine = script([says("Hello."), says("I must go.", "leave"), says("Never said.")])
    on = await stage(make_host(engine))
    talk = await on.hold("mara_voss", "tobin_hale")
    assert talk is not None
    assert [line.text for line in talk.lines] == ["Hello.", "I must go."]
    assert [request.stage for request in engine.requests].count("say") == 2


async def test_every_goodbye_is_the_models_own_where_a_model_speaks(make_host: MakeHost) -> None:
    on = await stage(make_host(script([says("Hello."), says("I must go.", "leave"), says("Off with you.")])))
    on.overheard_by_a_player()
    mara = on.agents["mara_voss"].mind
    mara.persona = replace(mara.persona, voice=replace(mara.persona.voice, farewells=("See you at noon.",)))
    talk = await on.hold("mara_voss", "tobin_hale")
    assert talk is not None
    assert [line.text for line in talk.lines] == ["Hello.", "I must go.", "Off with you."]


async def test_of_two_who_want_to_talk_both_topics_are_kept(make_host: MakeHost) -> None:
    engine = script([says("Your chair is broken."), says("And your roof."), says("So it is."), says("Bye.", "leave")])
    on = await stage(make_host(engine))
    on.agents["mara_voss"].wish = Wish("tobin_hale", "the broken chair")
    on.agents["tobin_hale"].wish = Wish("mara_voss", "the leaking roof")
    (meeting,) = talking.meetings(on.floor, ())
    assert dict(meeting.topics) == {"mara_voss": "the broken chair", "tobin_hale": "the leaking roof"}
    assert await talking.hold(on.floor, meeting.members, meeting.topics) is not None
    asked = [request.user for request in engine.requests if request.stage == "say"]
    assert ["You wanted to talk about: the broken chair" in user for user in asked] == [True, False, False, False]
    assert ["You wanted to talk about: the leaking roof" in user for user in asked] == [False, True, False, True]


async def test_who_began_a_talk_opens_it_with_what_it_wanted_to_talk_about(make_host: MakeHost) -> None:
    engine = script([says("Your chair is broken."), says("So it is."), says("Shall I mend it?"), says("Bye.", "leave"), says("Bye now.")])
    on = await stage(make_host(engine))
    on.overheard_by_a_player()
    assert await on.hold("mara_voss", "tobin_hale", "the broken chair") is not None
    asked = [request.user for request in engine.requests if request.stage == "say"]
    assert ["You wanted to talk about: the broken chair\nWhat do you say next?" in user for user in asked] == [True] + [False] * 4


async def test_repetition_ends_a_talk_and_is_not_said(make_host: MakeHost) -> None:
    on = await stage(make_host(script([says("Lovely weather."), says("Yes."), says("lovely weather"), says("Never said.")])))
    talk = await on.hold("mara_voss", "tobin_hale")
    assert talk is not None
    assert [line.text for line in talk.lines] == ["Lovely weather.", "Yes."]


async def test_a_talk_ends_at_its_limit_with_a_goodbye(make_host: MakeHost) -> None:
    words = "bread wool rain cats ships gold moss bells tea owls".split()  # noqa: SIM905
    engine = script([says(f"Let us speak about {word}") for word in words])
    on = await stage(make_host(engine))
    on.overheard_by_a_player()
    talk = await on.hold("mara_voss", "tobin_hale")
    assert talk is not None
    assert len(talk.lines) == on.floor.settings.talk_lines_max == 8
    said = [request.user for request in engine.requests if request.stage == "say"]
    assert ["This talk ends now" in user for user in said] == [False] * 6 + [True] * 2


async def test_a_hurried_person_declines_or_says_goodbye_at_once(make_host: MakeHost) -> None:
    on = await stage(make_host())
    mara = on.agents["mara_voss"].mind
    soon = Invitation(on.now + 15 * MINUTE, on.now + HOUR, "millbrook:cafe")
    assert appointments.keep(mara, soon, "going to the meeting", on.now)
    assert on.floor.hurried("mara_voss")
    assert await on.hold("tobin_hale", "mara_voss") is None
    talk = await on.hold("mara_voss", "tobin_hale")
    assert talk is not None
    assert len(talk.lines) == 2
    on.now += HOUR
    assert not on.floor.hurried("mara_voss")


async def test_who_is_turned_down_remembers_it_and_does_not_ask_again_at_once(make_host: MakeHost) -> None:
    on = await stage(make_host(script([], willing="no")))
    mara = on.agents["mara_voss"]
    cool = Social("tobin_hale", "mara_voss", "rival", "He does not trust her.", "She would not pay him.", 1, 0, 0)
    on.agents["tobin_hale"].mind.relationships.social["mara_voss"] = cool
    assert await on.hold("mara_voss", "tobin_hale") is None
    latest = mara.mind.stream.latest(1)[0]
    assert (latest.text, latest.topic) == ("Tobin Hale had no time to talk with Mara.", MemoryTopic.MET)
    assert not mara.may_talk_to("tobin_hale", on.now)
    assert not on.spoken
    assert not on.agents["tobin_hale"].doing.talk


async def test_after_a_talk_both_leave_each_other_alone_for_a_while(make_host: MakeHost) -> None:
    on = await stage(make_host())
    assert await on.hold("mara_voss", "tobin_hale") is not None
    for one, other in (("mara_voss", "tobin_hale"), ("tobin_hale", "mara_voss")):
        agent = on.agents[one]
        assert not agent.may_talk_to(other, on.now + 119 * MINUTE)
        assert agent.may_talk_to(other, on.now + 120 * MINUTE)
        assert not agent.may_talk_to("ines_calder", on.now), "what they say takes its time"
        assert agent.may_talk_to("ines_calder", on.now + 3 * MINUTE)


async def test_a_talk_takes_time_and_is_over_at_or_after_its_end(make_host: MakeHost) -> None:
    on = await stage(make_host())
    talk = await on.hold("mara_voss", "tobin_hale")
    assert talk is not None
    mara = on.agents["mara_voss"]
    assert mara.doing.action is not None
    end = on.now + len(talk.lines) * on.floor.settings.talk_line_s
    assert mara.doing.action.end == mara.next_wake == end
    assert not mara.due(end - 1)
    assert mara.due(end)
    assert mara.due(end + 1234)


async def test_news_goes_from_mouth_to_mouth_with_its_source(make_host: MakeHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(newsroom, "GOSSIP_ONE_IN", 1)
    on = await stage(make_host())
    mara = on.agents["mara_voss"].mind
    news = "The old mill is burning"
    await mara.remember([news], kind=MemoryKind.OBSERVATION, at=on.now, importance=[8], source=MemorySource.SEEN)
    assert await on.hold("mara_voss", "tobin_hale") is not None
    assert on.told("tobin_hale") == [(news, "mara_voss")]
    for _ in range(12):  # not every meeting is one to gossip at
        on.now += MINUTE
        await on.hold("tobin_hale", "ines_calder")
        if on.told("ines_calder"):
            break
    assert on.told("ines_calder") == [(news, "tobin_hale")]
    assert (news, "tobin_hale") not in on.told("mara_voss")


async def test_what_each_made_of_a_talk_is_its_own(make_host: MakeHost) -> None:
    on = await stage(make_host())
    assert await on.hold("mara_voss", "tobin_hale") is not None
    own = {npc: on.agents[npc].mind.stream.latest(1, (MemoryKind.CONVERSATION,))[0].text for npc in ("mara_voss", "tobin_hale")}
    assert own["mara_voss"].startswith("Mara talked with Tobin Hale")
    assert own["tobin_hale"].startswith("Tobin talked with Mara Voss")
    assert not on.agents["ines_calder"].mind.stream.latest(1, (MemoryKind.CONVERSATION,))


# ---- who comes together


def wish(on: Stage, who: str, to: str) -> None:
    on.agents[who].wish = Wish(to, "the mill")


async def test_a_wish_to_talk_is_met_by_who_is_near_awake_and_free(make_host: MakeHost) -> None:
    on = await stage(make_host())

    def pairs(thinking: Sequence[str] = ()) -> list[tuple[str, str]]:
        return [(it.members[0].npc, it.members[1].npc) for it in talking.meetings(on.floor, thinking)]

    wish(on, "mara_voss", "tobin_hale")
    assert pairs() == [("mara_voss", "tobin_hale")]
    assert pairs() == []  # a wish is for this moment
    wish(on, "mara_voss", "tobin_hale")
    assert pairs(["tobin_hale"]) == []
    wish(on, "mara_voss", "nobody")
    assert pairs() == []
    on.floor.busy = {"tobin_hale"}
    wish(on, "mara_voss", "tobin_hale")
    assert pairs() == []
    on.floor.busy = set()
    on.agents["tobin_hale"].doing = replace(on.agents["tobin_hale"].doing, address="millbrook:green:lawn")
    wish(on, "mara_voss", "tobin_hale")
    assert pairs() == []
    on.agents["tobin_hale"].doing = replace(on.agents["tobin_hale"].doing, address=SQUARE)
    on.now += 14 * HOUR
    wish(on, "mara_voss", "tobin_hale")
    assert pairs() == []


async def test_nobody_talks_in_two_conversations_at_once(make_host: MakeHost) -> None:
    on = await stage(make_host())
    wish(on, "mara_voss", "tobin_hale")
    wish(on, "tobin_hale", "ines_calder")
    wish(on, "ines_calder", "mara_voss")
    (meeting,) = talking.meetings(on.floor, ())
    assert [member.npc for member in meeting.members] == ["mara_voss", "tobin_hale", "ines_calder"]  # who wants one of them joins


async def test_three_talk_in_turn_and_each_remembers_both_others(make_host: MakeHost) -> None:
    lines = [says("The mill is sold!"), says("To whom?"), says("To a brewer.", "leave"), says("Well."), says("Goodbye.")]
    on = await stage(make_host(script(lines)))
    on.overheard_by_a_player()
    talk = await talking.hold(on.floor, [on.agents[npc] for npc in ("mara_voss", "tobin_hale", "ines_calder")], {})
    assert talk is not None
    speakers = [line.speaker for line in talk.lines]
    assert speakers == ["mara_voss", "tobin_hale", "ines_calder", "mara_voss", "tobin_hale"]  # each other one has a last word
    for npc, agent in on.agents.items():
        others = {on.agents[other].mind.persona.name for other in on.agents if other != npc}
        talked = {m.object for m in agent.mind.stream.latest(20, (MemoryKind.CONVERSATION,)) if m.predicate == TALKED_WITH}
        assert talked == others
        assert {who for who, _ in agent.doing.talked} == set(on.agents) - {npc}
    to = {speech.to for speech in on.spoken if isinstance(speech, Speech) and speech.npc == "mara_voss"}
    assert to == {("tobin_hale", "ines_calder")}


async def test_words_reach_the_game_as_they_come(make_host: MakeHost) -> None:
    on = await stage(make_host(script([says("The mill is sold."), says("I heard.", "leave"), says("Bye.")])))
    await on.hold("mara_voss", "tobin_hale")
    first = [speech for speech in on.spoken if isinstance(speech, Speech) and speech.npc == "mara_voss"]
    assert [speech.partial for speech in first[:3]] == [True, True, True]
    whole = next(speech for speech in first if not speech.partial)
    assert whole.text == "The mill is sold."
    assert all(whole.text.startswith(speech.text) for speech in first[: first.index(whole)])


async def test_a_reaction_becomes_a_talk_that_the_game_hears_and_both_remember(make_host: MakeHost) -> None:
    lines = [says("Your chair is broken."), says("So it is.", "leave")]

    def answer(request: Request) -> str:
        fixed = {
            "react": "reaction: talk\nminutes: 5\nwhat: the broken chair",
            "talk_over": OVER.replace("They talked.", "A talk of chairs."),
        }
        return lines.pop(0) if request.stage == "say" else fixed.get(request.stage, "3")

    engine = ScriptedEngine(answer)
    host = make_host(engine)
    await host.create_save("one", town(), personas(), seed=7, start=0)
    game = Game(await host.open_save("one"))
    noon = game.session.now + 6 * HOUR
    here = [Whereabouts(npc, SQUARE) for npc in ("mara_voss", "tobin_hale")]
    await game.tick(noon, *here, Perception("mara_voss", PerceptionKind.PERSON, "tobin_hale", "is sitting on a chair", SQUARE, 2.0, noon))
    spoken = [event for event in game.told if isinstance(event, Speech) and not event.partial]
    assert [(s.npc, s.text, s.to) for s in spoken] == [
        ("mara_voss", "Your chair is broken.", ("tobin_hale",)),
        ("tobin_hale", "So it is.", ("mara_voss",)),
    ]
    first = next(request for request in engine.requests if request.stage == "say")
    assert "You wanted to talk about: the broken chair" in first.user
    for npc, other in (("mara_voss", "tobin_hale"), ("tobin_hale", "mara_voss")):
        assert "A talk of chairs." in [m.text for m in game.session.memories(npc, (MemoryKind.CONVERSATION,), 0, 3)]
        action = game.session.mind(npc).action
        assert action is not None
        assert "is talking with" in action.sentence
        assert action.talks_with == (other,)
    assert (
        "tobin_hale" not in game.session.agent("mara_voss").mind.relationships.talk_wanted
    )  # the wish came true, and does not stand for the next


@pytest.mark.parametrize("broken", ["", "say: \nthen: go on", "then: go on"])
async def test_a_model_that_answers_nonsense_leaves_the_talk_to_instinct(make_host: MakeHost, broken: str) -> None:
    on = await stage(make_host(ScriptedEngine(lambda request: broken)))
    for moment in range(20):  # instinct has time more often than not, with a neighbour
        talk = await on.hold("mara_voss", "tobin_hale")
        on.now += 60 + moment
        if talk is not None:
            break
    assert talk is not None
    assert len(talk.lines) >= 2
    assert not [m for m in on.agents["mara_voss"].mind.stream.latest(50) if broken and broken in m.text]


async def test_the_game_hears_that_all_have_settled_even_when_no_talk_could_begin(
    make_host: MakeHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*_: object) -> list[talking.Meeting]:
        raise RuntimeError("a mistake of ours")

    monkeypatch.setattr(talking, "meetings", breaks)
    on = await stage(make_host())
    assert await asyncio.wait_for(on.game.tick(on.game.session.now), LIMIT_S)


async def test_who_stands_by_knows_what_a_line_tells(make_host: MakeHost) -> None:
    on = await stage(make_host())
    await on.agents["mara_voss"].mind.remember(
        ["The old mill is burning"], kind=MemoryKind.OBSERVATION, at=on.now - HOUR, importance=[8], source=MemorySource.SEEN
    )
    talk = await on.hold("mara_voss", "tobin_hale")
    assert talk is not None
    lately = on.agents["ines_calder"].mind.talks.said_lately
    assert [lately.line(line.speaker, line.text) for line in talk.lines] == list(talk.lines)
    told = [line.claims for line in talk.lines]
    assert ("The old mill is burning",) in told
    assert () in told


async def test_who_is_told_where_somebody_was_knows_that_it_is_no_news_for_others(make_host: MakeHost) -> None:
    on = await stage(make_host())
    guest, tobin = on.agents["mara_voss"].mind, on.agents["tobin_hale"].mind
    await guest.remember(
        ["Mara was at the fair."], kind=MemoryKind.OBSERVATION, at=on.now - HOUR, importance=[9],
        source=MemorySource.SEEN, triples=[("mara_voss", WAS_AT, "the fair")],
    )  # fmt: skip
    talk = await on.hold("mara_voss", "tobin_hale")
    assert talk is not None
    (told,) = [line for line in talk.lines if line.claims]
    assert told.of_occasion
    (kept,) = [memory for memory in tobin.stream.latest(9) if memory.text == "Mara was at the fair."]
    assert (kept.source, kept.predicate) == (MemorySource.TOLD, TOLD_OF_OCCASION)
