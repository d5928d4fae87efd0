"""A small town without Godot: a client of the same gRPC service, for the demo, tests and evaluation."""
