"""npc-server: the mind of every character in a Godot game, on the player's own machine."""

__version__ = "0.1.0"
