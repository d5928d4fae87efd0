"""Evaluation of a model: cases, how they are asked, and how replies are scored."""
