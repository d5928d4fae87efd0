"""What the trainings of npc-answers and npc-rerank share."""
