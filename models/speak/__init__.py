"""What the model in the box learns to speak from: talks written by hand, their reader and their review."""
