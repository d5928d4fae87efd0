"""The Python half of the bridge between Godot and npc-server: calls and streams, off the game's main thread."""
