"""The stages of a thought, one file each, named as in the paper: perceive, plan, act, react, converse, reflect."""
