"""Affordable Generative Agents: lifestyle policies, social memory, mind wandering, and household commands."""
