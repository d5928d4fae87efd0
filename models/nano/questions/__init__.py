"""One file for each question that minds ask: how its samples are made."""
