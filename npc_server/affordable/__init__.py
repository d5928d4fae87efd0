"""This package holds what Affordable Generative Agents adds: Lifestyle Policies, Social Memory, mind wandering and household commands."""
