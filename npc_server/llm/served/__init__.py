"""Models in llama.cpp's own server, which needs no compiler: xllamacpp has it in a package, and llama-server is a program.

The model process starts it on a free loopback port with a random key, and turns our questions into its own. Prompts go to it as tokens. So
the chat template, what people say and the grammar of replies are the same as with the compiled llama-cpp-python.
"""
