"""A player who asks who they are is told by the name that the game gives them, in the first talk and in a later one."""

from __future__ import annotations

from npc_server.bank.exchange_bank import ExchangeBank, bank_settings
from npc_server.bank.exchanges import BankEntry
from npc_server.config import Settings
from npc_server.llm.no_model import NoModelEngine
from npc_server.session.host import Host
from npc_server.session.session import Session
from tests.bank.test_exchanges import CountingEmbedder
from tests.session.conftest import personas, town

MARA = "mara_voss"
ASKED = ("What is my name?", "Who am I?", "Do you remember me?")
ENTRIES = [
    BankEntry("my name", ASKED, (("warm", "Something grand!"),), tells="met"),
    BankEntry("your name", ("What is your name?", "Who are you?"), (("warm", "A friend."),)),
]


async def answers(session: Session, *lines: str) -> list[str]:
    return [(await session.say(MARA, "Robin", line, lambda piece: None)).text for line in lines]


async def test_a_player_is_known_by_name_and_again_in_a_second_talk_on_the_same_save(settings: Settings) -> None:
    host = Host(settings, NoModelEngine("No model in this test."), CountingEmbedder())
    host.chooser.bank = ExchangeBank(ENTRIES, host.embedder, bank_settings())
    await host.chooser.bank.prepare()
    try:
        await host.create_save("one", town(), personas(), seed=7, start=0)
        session = await host.open_save("one")
        assert await answers(session, *ASKED) == ["You are Robin. I don't think we have met before."] * len(ASKED)
        assert "Robin" not in (await answers(session, "What is your name?"))[0]
        await session.close(save=True)
        again = await host.open_save("one")
        assert await answers(again, *ASKED) == ["You are Robin, and we have met."] * len(ASKED)
    finally:
        await host.close()
