"""One mind: its state, and how it asks the model. The stages in `cognition` work on it."""
