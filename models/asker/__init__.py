"""Whether a player's question is about the player: its training."""
