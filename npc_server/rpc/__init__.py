"""The wire: gRPC messages to records and back, tokens, error codes. Nothing is decided here."""
