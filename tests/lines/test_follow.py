"""What may follow from a line, as the model writes it."""

from __future__ import annotations

import pytest

from npc_server.lines.follow import After, Follows, FollowsKind
from npc_server.llm.reply import one
from npc_server.mind.agreement import Agreement, AgreementKind
from npc_server.mind.offers import Call
from npc_server.personas.schema import Offer, Parameter

SHOP = Offer("open_shop", "sell bread", (Parameter("item", "choice", ("bread", "rolls")), Parameter("count", "integer", (), 1, 6)))
REPLY = one(After, follows=FollowsKind(AgreementKind(), (SHOP,)))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("nothing", Follows()),
        ("leave", Follows(leaves=True)),
        ("yes, tomorrow 09:00 at the green to carry tables", Follows(Agreement(True, "tomorrow", 32_400, "the green", "carry tables"))),
        ("open_shop(item=rolls, count=2)", Follows(call=Call("open_shop", '{"item": "rolls", "count": 2}'))),
    ],
)
def test_each_outcome_is_read_and_written_alike(text: str, found: Follows) -> None:
    assert REPLY.parse(text).follows == found
    assert REPLY.write(After(found)) == text
