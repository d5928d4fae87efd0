"""One mind: its state, and how it is asked. The stages of `cognition` work on it."""
