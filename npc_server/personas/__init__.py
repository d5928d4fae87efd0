"""Persona files: their schema, their checks, and the `Persona` record that minds use."""
