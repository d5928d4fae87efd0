"""npc-nano: how the small model is made. Nothing of it is needed to run the server."""
