"""A folder with Python, npc-server and its models, which an exported game takes along: players then need neither."""
