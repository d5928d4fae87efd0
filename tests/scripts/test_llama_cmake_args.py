"""`scripts/llama_cmake_args.sh`: what llama.cpp is built with."""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "llama_cmake_args.sh"
pytestmark = pytest.mark.skipif(not shutil.which("sh"), reason="needs a POSIX shell")


def args(**given: str) -> subprocess.CompletedProcess[str]:
    others = {name: value for name, value in os.environ.items() if name not in ("CMAKE_ARGS", "CPU", "GPU")}
    return subprocess.run(["sh", str(SCRIPT)], env=others | given, capture_output=True, text=True, check=False)


def test_without_a_choice_it_is_built_for_the_processor_alone() -> None:
    found = args()
    assert found.returncode == 0
    assert not any(name in found.stdout for name in ("VULKAN", "CUDA", "HIP"))
    assert args(GPU="none").stdout == found.stdout


@pytest.mark.parametrize("name", ["vulkan", "cuda", "hip"])
def test_a_graphics_card_is_added_to_what_the_processor_needs(name: str) -> None:
    assert args(GPU=name).stdout.split() == [*args().stdout.split(), f"-DGGML_{name.upper()}=ON"]
    assert args(GPU=name, CMAKE_ARGS="-DMINE=1").stdout.split() == ["-DMINE=1", f"-DGGML_{name.upper()}=ON"]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="elsewhere the default build is right")
def test_a_build_for_other_processors_has_what_all_of_them_have_whatever_this_one_has() -> None:
    found = args(CPU="v3").stdout.split()
    on = {it.removeprefix("-DGGML_").removesuffix("=ON") for it in found if it.endswith("=ON")}
    assert on == {"SSE42", "AVX", "AVX2", "FMA", "F16C", "BMI2"}
    assert {"-DGGML_NATIVE=OFF", "-DGGML_AVX512=OFF", "-DGGML_AVX512_VNNI=OFF"} <= set(found)
    assert args(CPU="this").stdout == args().stdout


def test_only_the_libraries_are_built_also_from_a_folder_with_spaces(tmp_path: Path) -> None:
    folder = tmp_path / "my games" / "scripts"
    shutil.copytree(SCRIPT.parent, folder, ignore=shutil.ignore_patterns("__pycache__"))
    made = subprocess.run(["sh", str(folder / SCRIPT.name)], capture_output=True, text=True, check=True, env={"PATH": os.environ["PATH"]})
    off, include, *_ = shlex.split(made.stdout)  # as scikit-build-core reads CMAKE_ARGS
    assert off == "-DLLAVA_BUILD=OFF"
    assert include == f"-DCMAKE_PROJECT_llama.cpp_INCLUDE={folder / 'llama_libraries_only.cmake'}"
    assert (folder / "llama_libraries_only.cmake").is_file()


def test_another_processor_is_refused() -> None:
    found = args(CPU="z80")
    assert found.returncode == 2
    assert "CPU is 'z80'. It may be this or v3." in found.stderr


def test_another_name_is_refused() -> None:
    found = args(GPU="tpu")
    assert found.returncode == 2
    assert "GPU is 'tpu'. It may be vulkan, cuda, hip or none." in found.stderr
