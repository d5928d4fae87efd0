"""The three people who come with the package, against their town."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

import npc_server
from npc_server import clock
from npc_server.documents import read_document
from npc_server.personas.in_world import absent_relations, check_against_world, check_people
from npc_server.personas.schema import Persona, RoutineStep, load_persona
from npc_server.world.knowledge import may_enter, open_at
from npc_server.world.town import load_town
from npc_server.world.tree import NodeKind, World

TOWN = Path(npc_server.__file__).parent / "data" / "towns" / "millbrook"
WEEK = range(7)
MONDAY = clock.parse_datetime("2026-05-04 00:00")


@pytest.fixture(scope="module")
def people() -> list[Persona]:
    return [load_persona(read_document(path), "millbrook") for path in sorted((TOWN / "personas").glob("*.yaml"))]


@pytest.fixture(scope="module")
def world() -> World:
    return World(load_town(read_document(TOWN / "town.yaml")).nodes())


def pieces(persona: Persona, weekday: int) -> Iterator[tuple[int, RoutineStep]]:
    """Each piece of a day with the game time at which it starts."""
    for item in persona.routine_on(weekday):
        at = MONDAY + weekday * clock.DAY + item.at
        for piece in item.pieces():
            yield at, piece
            at += piece.minutes * clock.MINUTE


def where_at(persona: Persona, weekday: int, time: str) -> str:
    now = MONDAY + weekday * clock.DAY + clock.parse_hhmm(time)
    return next(piece.where for at, piece in pieces(persona, weekday) if at <= now < at + piece.minutes * clock.MINUTE)


def test_there_are_three_people_and_nothing_in_their_files_is_odd(people: list[Persona]) -> None:
    assert [person.id for person in people] == ["ines_calder", "mara_voss", "tobin_hale"]
    assert [person.warnings for person in people] == [(), (), ()]
    assert check_people(people) + absent_relations(people) == []


def test_every_address_exists(people: list[Persona], world: World) -> None:
    addresses = {node.address for node in world}
    assert [problem for person in people for problem in check_against_world(person, addresses)] == []


def test_the_day_has_no_gap_between_waking_and_bed(people: list[Persona]) -> None:
    for person in people:
        for weekday in WEEK:
            day = person.routine_on(weekday)
            assert day[0].at == person.wake
            for item, after in itertools.pairwise(day):
                assert item.minutes is not None
                assert item.at + item.minutes * clock.MINUTE == after.at, (person.id, weekday, item.text)
            assert day[-1].minutes is not None
            assert day[-1].at + day[-1].minutes * clock.MINUTE == person.sleep


def test_steps_take_from_5_to_15_minutes(people: list[Persona]) -> None:
    for person in people:
        for item in person.routine:
            assert all(5 <= step.minutes <= 15 for step in item.steps), (person.id, item.text)


def test_every_piece_at_an_object_begins_with_one_of_its_actions(people: list[Persona], world: World) -> None:
    for person in people:
        for weekday in WEEK:
            for _, piece in pieces(person, weekday):
                node = world.node(piece.where)
                if node.kind is NodeKind.OBJECT:
                    names = [action.name for action in node.actions]
                    assert any(piece.text.startswith(name) for name in names), (person.id, piece.text, names)


def test_every_place_is_open_to_them_when_they_are_there(people: list[Persona], world: World) -> None:
    for person in people:
        for weekday in WEEK:
            for at, piece in pieces(person, weekday):
                assert may_enter(world, piece.where, person.id), (person.id, piece)
                last = at + piece.minutes * clock.MINUTE - 1
                assert open_at(world, piece.where, at), (person.id, piece, clock.hhmm(at))
                assert open_at(world, piece.where, last), (person.id, piece, clock.hhmm(last))


def test_each_sleeps_and_washes_at_home_and_eats_three_times(people: list[Persona], world: World) -> None:
    for person in people:
        house = ":".join(person.home.split(":")[:2])
        assert world.node(person.home).name == "bed"
        assert may_enter(world, person.home, person.id)
        for weekday in WEEK:
            day = list(pieces(person, weekday))
            assert day[0][1].where.startswith(house)
            assert day[-1][1].where == person.home
            assert any(piece.where == f"{house}:bathroom:shower" for _, piece in day)
            assert sum(piece.text.startswith("eat ") for _, piece in day) >= 3


def test_each_works_at_least_five_hours_on_weekdays(people: list[Persona]) -> None:
    for person in people:
        place = ":".join(person.work.split(":")[:2])
        for weekday in range(5):
            minutes = sum(piece.minutes for _, piece in pieces(person, weekday) if piece.where.startswith(place))
            assert minutes >= 300, (person.id, weekday, minutes)


@pytest.mark.parametrize(("time", "place"), [("12:10", "millbrook:cafe:dining_room"), ("18:12", "millbrook:green:lawn")])
def test_all_three_meet(people: list[Persona], time: str, place: str) -> None:
    for weekday in WEEK:
        assert all(where_at(person, weekday, time).startswith(place) for person in people), weekday


def test_weekends_differ_from_weekdays(people: list[Persona]) -> None:
    for person in people:
        assert person.routine_on(0) != person.routine_on(6)


def test_each_has_lines_of_its_own(people: list[Persona]) -> None:
    spoken = [line for p in people for line in (*p.voice.greetings, *p.voice.farewells, *p.voice.smalltalk, *p.voice.dont_know)]
    assert len(spoken) == len(set(spoken)) >= 36
    assert all(p.voice.greetings and p.voice.farewells and p.voice.smalltalk and p.voice.dont_know for p in people)


def test_each_knows_the_two_others_and_keeps_its_phrases_apart(people: list[Persona]) -> None:
    for person in people:
        assert {relation.who for relation in person.relations} == {other.id for other in people} - {person.id}
        assert len(person.identity_phrases) >= 6
        assert all(person.first_name in phrase for phrase in person.identity_phrases)


def test_each_has_a_secret_that_is_named_as_one(people: list[Persona]) -> None:
    assert all(person.secrets for person in people)
    assert not any("told nobody" in " ".join((person.identity, person.currently)) for person in people)
