# Read by CMake at the project line of llama.cpp. llama-cpp-python insists on llama.cpp's helpers for its command line tools,
# which are a third of what is compiled. Nothing of ours uses them.
set(LLAMA_BUILD_COMMON OFF)
