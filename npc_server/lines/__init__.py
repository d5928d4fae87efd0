"""How a line is answered: what a model says in a chat, what is wrong with it, and what follows from it."""
