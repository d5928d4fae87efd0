"""How well a model thinks for our people: cases, how they are asked, how replies are scored."""
