"""The parts of a mind's state. Each holds what one thing consists of, and knows nothing of the others."""
