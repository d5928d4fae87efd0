"""How a line is answered: who speaks (`answer`), its sources (`chat_line`, `by_question`, `known`), checks, and what follows from it."""
