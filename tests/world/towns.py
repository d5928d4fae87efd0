"""Small town files for tests."""

from __future__ import annotations

from npc_server.errors import FileProblem, Problem
from npc_server.records import Document
from npc_server.world.town import load_town

HAMLET = """\
id: hamlet
name: Hamlet
start: "2026-05-04 06:00"
size: [12, 9]
object_kinds:
  bed:
    states: [made, slept in]
    actions:
      - {name: sleep, during: slept in, after: made}
    capacity: 1
  well:
    actions:
      - {name: draw water}
places:
  - id: hut
    name: the hut
    rect: [1, 1, 6, 5]
    doors: [[3, 5]]
    owners: [ann]
    rooms:
      - id: room
        rect: [2, 2, 4, 3]
        objects:
          - {id: bed, kind: bed, at: [2, 2]}
  - id: yard
    rect: [8, 1, 4, 6]
    open: true
    hours: "08:00-17:00"
    rooms:
      - id: grass
        rect: [8, 1, 4, 6]
        objects:
          - {id: well, name: old well, kind: well, at: [9, 3]}
"""


def document(text: str = HAMLET) -> Document:
    return Document("town.yaml", text)


def problems(text: str) -> tuple[Problem, ...]:
    """What is wrong with a town; fails when nothing is."""
    try:
        load_town(document(text))
    except FileProblem as error:
        return error.problems
    raise AssertionError("the town was accepted")


def line_of(text: str, part: str) -> int:
    """The line on which `part` stands."""
    return next(i for i, line in enumerate(text.splitlines(), 1) if part in line)
