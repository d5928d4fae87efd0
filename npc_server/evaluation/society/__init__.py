"""What becomes of a town as a society: news, acquaintance, parties (Generative Agents, section 7.1)."""
