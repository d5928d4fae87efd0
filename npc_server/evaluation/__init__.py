"""Everything that measures: speed, what a model says, what minds cost, what becomes of a town."""
