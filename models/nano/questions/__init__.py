"""Samples of each prompt, one file for each. `mixture.py` lists them."""
