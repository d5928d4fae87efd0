"""npc-nano: making the small model that ships. The server does not need this package."""
