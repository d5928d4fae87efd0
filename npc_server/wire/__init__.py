"""Records as messages and back: what the server and a game written in Python share of the contract."""
