"""Cost in tokens: of a save, and of towns played with parts of the affordable mind on and off."""
