"""The controlled evaluation of Generative Agents (section 6): interviews under five conditions, ranked by how believable they are."""
