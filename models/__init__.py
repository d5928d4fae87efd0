"""Models of the checkout, and how they are made."""
