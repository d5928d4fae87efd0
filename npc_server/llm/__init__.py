"""The language model: the Engine protocol, llama.cpp in a process of its own, other engines, and the grammar of replies."""
