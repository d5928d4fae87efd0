"""Places and objects with their states and actions, the town file, and what each NPC knows of the world."""
