"""Benchmarks: how fast each part is on this machine, one file for each part."""
