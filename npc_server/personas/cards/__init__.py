"""Character cards, versions 2 and 3, as persona files and back."""
