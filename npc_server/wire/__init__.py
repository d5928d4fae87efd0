"""Converts records to protobuf messages and back, for the server and for games written in Python."""
