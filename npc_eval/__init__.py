"""Evaluation: speed, quality of models, cost in tokens, believability, and the society of a town."""
