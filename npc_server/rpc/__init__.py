"""The gRPC server: its services, tokens and error codes. Nothing is decided here."""
