"""The wire, tried over real channels."""
