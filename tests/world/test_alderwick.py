"""Alderwick, the town of twenty-five people, against the promises a two-day run builds on."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import npc_server
from npc_server import clock
from npc_server.config import MindSettings
from npc_server.documents import read_document
from npc_server.personas import routine
from npc_server.personas.in_world import check_against_world, check_people
from npc_server.personas.schema import Persona, load_persona
from npc_server.records import Address
from npc_server.world.knowledge import may_enter, open_at
from npc_server.world.town import load_town
from npc_server.world.town_records import Town
from npc_server.world.tree import NodeKind, World, lineage

FOLDER = Path(npc_server.__file__).parent / "data" / "towns" / "alderwick"
WEEK = range(7)
MONDAY = clock.parse_datetime("2026-05-04 00:00")


@pytest.fixture(scope="module")
def town() -> Town:
    return load_town(read_document(FOLDER / "town.yaml"))


@pytest.fixture(scope="module")
def world(town: Town) -> World:
    return World(town.nodes())


@pytest.fixture(scope="module")
def people() -> list[Persona]:
    return [load_persona(read_document(path), "alderwick") for path in sorted((FOLDER / "personas").glob("*.yaml"))]


def steps(person: Persona, weekday: int) -> Iterator[routine.Stretch]:
    """A day as instinct lives it, step by step."""
    for stretch in routine.routine(person, MONDAY + weekday * clock.DAY):
        yield from routine.steps(stretch, stretch.start, stretch.end, MindSettings().step_minutes_max)


def house(person: Persona) -> Address:
    return lineage(person.home)[1]


def test_twenty_five_people_live_in_alderwick_and_each_file_fits(people: list[Persona]) -> None:
    assert len(people) == len({person.id for person in people}) == len({person.first_name for person in people}) == 25
    assert all(path.stem == person.id for path, person in zip(sorted((FOLDER / "personas").glob("*.yaml")), people, strict=True))
    assert [person.warnings for person in people] == [()] * 25
    assert check_people(people) == []
    ages = [person.age for person in people]
    assert min(ages) < 18
    assert max(ages) >= 80


def test_every_address_exists(people: list[Persona], world: World) -> None:
    addresses = {node.address for node in world}
    assert [problem for person in people for problem in check_against_world(person, addresses)] == []


def test_one_pair_in_six_knows_each_other_at_the_start_and_both_say_so(people: list[Persona]) -> None:
    said = {(person.id, relation.who) for person in people for relation in person.relations}
    assert said == {(b, a) for a, b in said}
    assert 0.15 <= len(said) / (25 * 24) <= 0.19
    assert all(person.relations for person in people)


def test_news_can_reach_everybody_through_people_who_know_each_other(people: list[Persona]) -> None:
    known = {person.id: {relation.who for relation in person.relations} for person in people}
    reached = {"odile_wetherby"}
    while wider := set().union(*(known[npc] for npc in reached)) - reached:
        reached |= wider
    assert reached == set(known)


def test_everybody_sleeps_in_a_bed_of_their_own(people: list[Persona], world: World, town: Town) -> None:
    assert len({person.home for person in people}) == 25
    for person in people:
        assert any(action.name == "sleep" for action in world.node(person.home).actions)
        assert may_enter(world, person.home, person.id)
        assert list(steps(person, 0))[-1].where == person.home
    assert sum(thing.kind == "bed" for thing in town.things()) == 25


def test_there_are_homes_and_public_places_enough(people: list[Persona], town: Town) -> None:
    homes = {house(person) for person in people}
    assert len(homes) >= 10
    assert len({place.address for place in town.places} - homes) >= 12
    assert all(any(room.things for room in place.rooms) for place in town.places)


def test_no_thing_is_in_a_state_that_says_its_own_name(world: World) -> None:
    """Nobody says that the smoker is smoking."""
    states = {(node.name, state) for node in world for state in node.states}
    assert {(name, state) for name, state in states if state.startswith(name.split()[-1][:4])} == set()


def test_the_town_has_what_makes_people_change_their_plans(town: Town) -> None:
    states = {state for thing in town.things() for state in thing.states}
    assert {"burning", "empty"} <= states
    assert sum(room.capacity == 1 for room in town.rooms()) >= 4
    shop = next(place for place in town.places if place.address == "alderwick:shop")
    assert shop.hours == (clock.parse_hhmm("08:00"), clock.parse_hhmm("17:00"))


def test_both_stories_have_a_starter_and_nobody_else_knows_of_them(people: list[Persona], world: World, town: Town) -> None:
    party, news = town.stories
    assert (party.id, party.kind, news.id, news.kind) == ("party", "party", "candidacy", "news")
    assert party.starter != news.starter
    assert {party.starter, news.starter} <= {person.id for person in people}
    assert party.where in world
    assert world.node(party.where).open_at(party.start)
    assert (clock.date(party.start), clock.hhmm(party.start), clock.hhmm(party.end)) == (clock.date(MONDAY + clock.DAY), "17:00", "19:00")
    texts = [path.read_text(encoding="utf-8").lower() for path in (FOLDER / "personas").glob("*.yaml")]
    texts += [fact.lower() for fact in (*town.knowledge, *(fact for faction in town.factions for fact in faction.knowledge))]
    for story in town.stories:
        assert any(word in story.whisper for word in story.about)
        assert [word for text in texts for word in (*story.about, "election", "lantern party") if word in text] == []


def test_shared_knowledge_and_factions_are_there(people: list[Persona], town: Town) -> None:
    ids = {person.id for person in people}
    assert 5 <= len(town.knowledge) <= 8
    assert 3 <= len(town.factions) <= 5
    assert {name for person in people for name in person.factions} == {faction.id for faction in town.factions}
    for faction in town.factions:
        assert faction.knowledge
        assert set(faction.members) <= ids
        assert set(faction.members) == {person.id for person in people if faction.id in person.factions}


def test_nobody_is_left_without_something_to_do_between_waking_and_bed(people: list[Persona]) -> None:
    for person in people:
        for weekday in WEEK:
            day = person.routine_on(weekday)
            assert day[0].at == person.wake
            ends = [item.at + (item.minutes or 0) * clock.MINUTE for item in day]
            assert all(end % clock.DAY == after.at for end, after in zip(ends, day[1:], strict=False)), (person.id, weekday)
            assert ends[-1] % clock.DAY == person.sleep


def test_each_washes_eats_three_times_and_lies_down_last(people: list[Persona]) -> None:
    for person in people:
        for weekday in WEEK:
            day = [step for step in steps(person, weekday) if step.text]
            meals = [after.start - meal.start for meal, after in itertools.pairwise(_meals(day))]
            assert len(meals) >= 2, (person.id, weekday)
            assert any(step.text.startswith("shower") for step in day), (person.id, weekday)
            bed = [step.text.split()[0] for step in day[-4:]]
            assert bed[-1] == "lie", (person.id, weekday, bed)
            assert "wash" in bed, (person.id, weekday, bed)


def test_each_works_or_learns_on_weekdays(people: list[Persona]) -> None:
    for person in people:
        if person.work:
            place = lineage(person.work)[1]
            for weekday in range(5):
                hours = sum(step.end - step.start for step in steps(person, weekday) if step.where.startswith(place)) / clock.HOUR
                assert hours >= 3.5, (person.id, weekday, hours)


def test_every_step_at_an_object_begins_with_one_of_its_actions(people: list[Persona], world: World) -> None:
    odd = set()
    for person in people:
        for weekday in WEEK:
            for step in steps(person, weekday):
                node = world.node(step.where)
                if node.kind is NodeKind.OBJECT and not any(step.text.startswith(action.name) for action in node.actions):
                    odd.add((person.id, step.text, node.name))
    assert odd == set()


def test_every_place_is_open_to_them_when_they_are_there(people: list[Persona], world: World) -> None:
    shut = set()
    for person in people:
        for weekday in WEEK:
            for step in steps(person, weekday):
                if not may_enter(world, step.where, person.id) or not all(
                    open_at(world, step.where, at) for at in (step.start, step.end - 1)
                ):
                    shut.add((person.id, weekday, clock.hhmm(step.start), step.text, step.where))
    assert shut == set()


def test_people_meet_where_the_town_meets(people: list[Persona]) -> None:
    hubs = ("cafe:dining_room", "tavern:taproom", "square:lime_tree", "park:pond_side", "riverside:bank")
    for weekday in WEEK:
        days = [{step.where for step in steps(person, weekday)} for person in people]
        for hub in hubs:
            assert sum(any(where.startswith(f"alderwick:{hub}") for where in day) for day in days) >= 6, (weekday, hub)


def test_each_speaks_in_lines_of_its_own(people: list[Persona]) -> None:
    spoken = Counter(
        line for p in people for line in (*p.voice.examples, *p.voice.greetings, *p.voice.farewells, *p.voice.smalltalk, *p.voice.dont_know)
    )
    assert [line for line, count in spoken.items() if count > 1] == []
    for person in people:
        voice = person.voice
        assert voice.style
        assert len(voice.examples) >= 4
        assert min(len(lines) for lines in (voice.greetings, voice.farewells, voice.smalltalk, voice.dont_know)) >= 3
        assert 5 <= len(person.identity_phrases) <= 8
        assert all(person.first_name in phrase for phrase in person.identity_phrases), person.id


def test_what_people_keep_to_themselves_is_named_as_secret(people: list[Persona]) -> None:
    assert all(person.secrets for person in people)
    for person in people:
        told = " ".join((person.identity, person.currently, *(relation.feeling for relation in person.relations)))
        assert "told nobody" not in told, person.id
        assert not any(person.keeps_back(part.strip()) for part in person.identity.split(";")), person.id


def test_some_offer_actions_of_the_game_with_typed_values(people: list[Persona]) -> None:
    offers = [offer for person in people for offer in person.offers]
    assert {"accept_quest", "open_shop", "give_item"} <= {offer.name for offer in offers}
    assert {parameter.type for offer in offers for parameter in offer.parameters} == {"choice", "integer", "text"}


def _meals(day: list[routine.Stretch]) -> list[routine.Stretch]:
    """First bites: those with more than an hour since the last bite."""
    bites = [step for step in day if step.text.startswith("eat ")]
    return [bite for i, bite in enumerate(bites) if not i or bite.start - bites[i - 1].end >= clock.HOUR]
