"""Compares how two builds or two models talk: the same lines of players, answered by both, judged without knowing which is which."""
