"""The bank of written replies: its files, how a reply is found by meaning, and how the best of several lines is chosen."""
