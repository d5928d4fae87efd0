"""Facts are added to a town file, and nothing else in it changes."""

from __future__ import annotations

import pytest

from npc_server.errors import BadInput
from npc_server.records import Document
from npc_server.world.town import load_town
from npc_server.world.town_knowledge import with_knowledge
from tests.session.conftest import town

FACTS = ("The crown: it lies in the mill", "# not a comment", 'She said "no"', "王小明修理钟表")


TOWN = town().text
LIST = "knowledge:\n  - The pond is deep.\n  # In winter, too:\n  - It is cold.\n\n# what follows\n"


@pytest.mark.parametrize(
    "text",
    [
        TOWN,
        TOWN + LIST,
        TOWN.replace("\nplaces:", f"\n{LIST}places:", 1),
        TOWN + "knowledge: []  # nothing yet\n",
        TOWN + "knowledge:\n- The pond is deep.\n\n# the end",
        (TOWN + LIST).replace("\n", "\r\n"),
    ],
    ids=["no list", "a list at the end", "a list in the middle", "an empty list", "no indent", "lines of Windows"],
)
def test_facts_are_added_once_and_the_rest_of_the_file_stays(text: str) -> None:
    before = load_town(Document("town.yaml", text))
    made, count = with_knowledge(Document("town.yaml", text), FACTS)
    after = load_town(Document("town.yaml", made))
    assert count == len(FACTS)
    assert after.knowledge == (*before.knowledge, *FACTS)
    assert (after.places, after.factions, after.stories) == (before.places, before.factions, before.stories)
    kept = [line for line in text.splitlines() if not line.startswith("knowledge: []")]
    assert [line for line in made.splitlines() if line in kept] == kept
    assert with_knowledge(Document("town.yaml", made), FACTS) == (made, 0)


def test_a_list_in_another_form_is_refused() -> None:
    text = TOWN + 'knowledge: ["The pond is deep."]\n'
    with pytest.raises(BadInput):
        with_knowledge(Document("town.yaml", text), FACTS)
