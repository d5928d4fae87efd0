#!/bin/sh
# Prints the CMake arguments that llama.cpp is built with on this machine.
#
# GGML_NATIVE is off on x86-64: a native build takes in AMX where the processor has it, and that build ends with a
# segmentation fault at the first decode of Q8_0 and Q4_0 models (llama.cpp issue 20824). So the wanted instruction
# sets are switched on one by one. Elsewhere the default build is right.
#
# Only the libraries are built: no tools, and nothing that reads pictures and sound (mtmd).
#
# CPU=v3 builds for every x86-64 processor since about 2015 (x86-64-v3), and not for this one: for a game that is given away.
# GPU=vulkan, cuda or hip builds for graphics cards, too.
set -eu
case "${GPU:-none}" in
    none) card="" ;;
    vulkan) card="-DGGML_VULKAN=ON" ;;
    cuda) card="-DGGML_CUDA=ON" ;;
    hip) card="-DGGML_HIP=ON" ;;
    *) echo "llama_cmake_args: GPU is '$GPU'. It may be vulkan, cuda, hip or none." >&2; exit 2 ;;
esac
case "${CPU:-this}" in
    this | v3) ;;
    *) echo "llama_cmake_args: CPU is '$CPU'. It may be this or v3." >&2; exit 2 ;;
esac
[ -n "${CMAKE_ARGS:-}" ] && { echo "$CMAKE_ARGS${card:+ $card}"; exit 0; }
slim="-DLLAVA_BUILD=OFF '-DCMAKE_PROJECT_llama.cpp_INCLUDE=$(cd "$(dirname "$0")" && pwd)/llama_libraries_only.cmake'"
[ "$(uname -m)" = x86_64 ] && [ -r /proc/cpuinfo ] || { echo "$slim${card:+ $card}"; exit 0; }
flags=" $(sed -n 's/^flags[^:]*: //p' /proc/cpuinfo | head -n 1) "
[ "${CPU:-this}" = this ] || flags=" sse4_2 avx avx2 fma f16c bmi2 "
args="$slim -DGGML_NATIVE=OFF"
add() { # add FLAG OPTION: switches OPTION on where the processor has FLAG
    case "$flags" in *" $1 "*) args="$args -D$2=ON" ;; *) args="$args -D$2=OFF" ;; esac
}
add sse4_2 GGML_SSE42
add avx GGML_AVX
add avx2 GGML_AVX2
add fma GGML_FMA
add f16c GGML_F16C
add bmi2 GGML_BMI2
add avx512bw GGML_AVX512
add avx512_vnni GGML_AVX512_VNNI
echo "$args${card:+ $card}"
