"""A town as a society: spread of news, acquaintance, parties (Generative Agents, section 7.1)."""
