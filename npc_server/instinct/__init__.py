"""What a mind does when the model is missing, slow or wrong, by rules."""
