"""How fast each part is on this machine. One part, one file."""
