"""Places, objects, states, actions; the town file; what one NPC knows of them."""
