"""One open save: clock, world, store, agents, epoch; and the host that opens them."""

from npc_server.session.host import Host
from npc_server.session.outbox import Outbox
from npc_server.session.session import Session

__all__ = ["Host", "Outbox", "Session"]
