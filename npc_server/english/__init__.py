"""Reading English by rules and word lists: terms, questions, answer matching, first person. Knows nothing of minds."""
