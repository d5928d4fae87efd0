"""Reading plain English by rules. Knows no mind."""
