"""One stage, one file, named by the paper: perceive, retrieve, plan, act; `instinct` when the model is missing, slow or wrong."""
