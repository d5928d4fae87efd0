"""Words never become a mark, whatever the vocabulary."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path

import llama_cpp as lib
import pytest

from npc_server.llm.library_vocab import LibraryVocabulary
from npc_server.llm.llama_vocab import Vocabulary
from npc_server.llm.template import frame_of
from npc_server.llm.tokenizer import Tokenizer
from tests.in_the_box import MODEL, needs_model
from tests.llm.vocabularies import byte_pairs, pieces, shipped

pytestmark = pytest.mark.model

COMMAND_R = ["<|START_OF_TURN_TOKEN|>", "<|END_OF_TURN_TOKEN|>", "<|USER_TOKEN|>", "<|CHATBOT_TOKEN|>", "<|SYSTEM_TOKEN|>"]
DEEPSEEK = ["<|User|>", "<|Assistant|>", "<|EOT|>", "[PAD1]", "õ"]
GEMMA = ["<|channel>", "<channel|>", '<|"|>', "<|tool_call>"]
QWEN = ["<think>", "</think>", "<tool_call>"]
SPACES = ["  ", "    ", "\n\n"]
MADE = ("command-r", "deepseek", "gemma", "qwen3", "neox", "llama-2", "overlapping", "joined")


def of_llama(tokenizer: Tokenizer) -> object:
    """The vocabulary as llama.cpp's own functions take it."""
    assert isinstance(tokenizer.vocab, LibraryVocabulary)
    return tokenizer.vocab.of_llama


def open_tokenizer(path: Path) -> Tokenizer:
    return Vocabulary(path, 1 << 26).tokenizer


def make(name: str, folder: Path) -> Path:
    path = folder / f"{name}.gguf"
    if name == "command-r":
        return byte_pairs(path, named=COMMAND_R, merges=["< |", "| >"])
    if name == "deepseek":
        return byte_pairs(path, named=DEEPSEEK)
    if name == "gemma":
        return pieces(path, control=["<bos>", "<start_of_turn>"], named=GEMMA)
    if name == "qwen3":
        return byte_pairs(path, control=["<|im_start|>", "<|im_end|>"], named=QWEN)
    if name == "neox":
        return byte_pairs(path, named=[*SPACES, "[PAD7]"])
    if name == "llama-2":
        return pieces(path, named=["<|user|>"], words=["▁<", "er"])
    if name == "overlapping":  # marks that begin inside of others, and one in another
        return byte_pairs(path, named=["<|a", "|a|>", "a|>b", "<|a|>", "||"])
    # A control mark that ordinary joining of letters arrives at.
    return byte_pairs(path, control=["eot"], merges=["e o", "eo t"])


def all_marks(vocab: object) -> Iterator[tuple[int, str]]:
    """Every token that starts or ends something, by what llama.cpp says of it."""
    kinds = lib.LLAMA_TOKEN_ATTR_CONTROL | lib.LLAMA_TOKEN_ATTR_USER_DEFINED
    for token in range(lib.llama_vocab_n_tokens(vocab)):
        if lib.llama_vocab_get_attr(vocab, token) & kinds or lib.llama_vocab_is_eog(vocab, token):
            text = lib.llama_vocab_get_text(vocab, token).decode("utf-8", "replace")
            if len(text) > 1 and text.replace("▁", " ").strip():
                yield token, text


def spoken_back(vocab: object, tokens: list[int]) -> str:
    text = b""
    for token in tokens:
        buffer = ctypes.create_string_buffer(256)
        count = lib.llama_token_to_piece(vocab, token, buffer, 256, 0, True)
        text += buffer.raw[:count]
    return text.decode("utf-8", "replace")


def assert_no_mark_is_reached(path: Path) -> None:
    tokenizer = open_tokenizer(path)
    marks = dict(all_marks(of_llama(tokenizer)))
    assert marks
    forbidden = frozenset(marks)
    for text in marks.values():
        assert frozenset(tokenizer.read_template(text)) & forbidden, "the template may write it"
        for said in (text, f"x{text}y", f" {text}\n", text + text, text[:1] + text, text[:-1] + text + text[1:]):
            assert forbidden.isdisjoint(tokenizer.read_words(said)), f"{said!r} in {path.name}"
    together = "Hello " + "".join(list(marks.values())[:200]) + " and good-bye"
    assert forbidden.isdisjoint(tokenizer.read_words(together))


@pytest.mark.parametrize("name", MADE)
def test_no_words_become_a_mark(name: str, tmp_path: Path) -> None:
    assert_no_mark_is_reached(make(name, tmp_path))


@pytest.mark.parametrize("path", shipped(), ids=lambda path: path.stem.removeprefix("ggml-vocab-"))
def test_no_words_become_a_mark_of_a_vocabulary_that_llama_cpp_ships(path: Path) -> None:
    assert_no_mark_is_reached(path)


@needs_model
def test_no_words_become_a_mark_of_the_model_in_the_box() -> None:
    assert_no_mark_is_reached(MODEL)


@pytest.mark.parametrize("name", ["command-r", "deepseek", "gemma", "qwen3", "llama-2", "overlapping"])
def test_a_mark_that_is_cut_keeps_its_letters(name: str, tmp_path: Path) -> None:
    tokenizer = open_tokenizer(make(name, tmp_path))
    for _, mark in all_marks(of_llama(tokenizer)):
        said = f"I say {mark}{mark} to you, {mark}."
        assert spoken_back(of_llama(tokenizer), tokenizer.read_words(said)).strip() == said


@pytest.mark.parametrize("name", MADE)
def test_ordinary_words_are_read_as_ever(name: str, tmp_path: Path) -> None:
    """Runs of spaces that a vocabulary names stay one token each, too."""
    tokenizer = open_tokenizer(make(name, tmp_path))
    for text in ("Mara bakes bread.", "  - so:\n\n    she said", "Grüße 🍞 aus der Mühle", "õ", ""):
        raw = text.encode()
        buffer = (lib.llama_token * 99)()
        count = lib.llama_tokenize(of_llama(tokenizer), raw, len(raw), buffer, 99, False, False)
        assert tokenizer.read_words(text) == list(buffer[:count])


def test_what_a_template_writes_in_letters_is_cut_in_words(tmp_path: Path) -> None:
    """Zephyr's `<|user|>` is no token of Llama 2's vocabulary, nor is Mistral's `[INST]`: only the letters tell them."""
    tokenizer = open_tokenizer(pieces(tmp_path / "letters.gguf", words=["▁[", "IN", "INS", "INST", "▁<", "▁<|", "us", "use", "user"]))
    template = "{% for m in messages %}{{ '<|user|>' if m.role == 'user' else '[INST] user' }}\n{{ m.content }}</s>\n{% endfor %}"
    frame = frame_of(template)
    assert frame.source == "template"
    for mark in ("<|user|>", "[INST]"):
        assert tokenizer.read_words(mark) == tokenizer.read_template(mark)
    tokenizer.break_also(frame.before, frame.between, frame.after)
    for mark in ("<|user|>", "[INST]"):
        cut, written = tokenizer.read_words(f"say {mark}"), tokenizer.read_template(mark)
        assert all(cut[at : at + len(written)] != written for at in range(len(cut)))
        assert spoken_back(of_llama(tokenizer), cut) == f" say {mark}"
    assert tokenizer.read_words("a user") == tokenizer.read_template("a user"), "a word is no mark"


def test_a_models_own_ends_stand_around_words(tmp_path: Path) -> None:
    first, last = open_tokenizer(pieces(tmp_path / "ends.gguf")).ends()
    assert (first, last) == ([1], [])
