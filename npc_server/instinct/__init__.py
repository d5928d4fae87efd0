"""Instinct: what a mind does when the model is missing, slow or wrong. `rules.py` has one method for each question."""
