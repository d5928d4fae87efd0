"""Comparing forms of a model: the loss is that of the reply alone, and forms of one model are near each other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from models.speak import forms
from npc_server.llm.random_model import make_random_model
from tests.llm.adapter_files import make_adapter

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_random_model(tmp_path_factory.mktemp("forms") / "random.gguf")


def test_held_back_replies_come_from_many_worlds_and_from_no_line_that_is_trained_on() -> None:
    found = list(forms.held_back_replies(12))
    assert len(found) == 12
    assert len({reply.system for reply in found}) == 12
    assert all(reply.question == "say" for reply in found)


def test_the_loss_has_a_number_for_each_token_of_the_reply_and_its_end(model: Path) -> None:
    form = forms.opened(str(model))
    [reply] = forms.held_back_replies(1)
    losses = forms.loss_of(form, reply)
    assert len(losses) == len(form.model.tokenizer.read_words(reply.answer)) + 1
    assert np.array_equal(forms.loss_of(form, reply), losses)
    longer = forms.loss_of(form, replace(reply, answer=f"{reply.answer} And so it is."))
    assert np.allclose(longer[: len(losses) - 1], losses[:-1], atol=5e-2)  # other batches round otherwise
    assert not np.allclose(forms.loss_of(form, replace(reply, user="Hello"))[:3], losses[:3], atol=1e-2)


def test_forms_are_made_of_the_model_with_its_adapter_and_stand_in_one_table(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    adapter = make_adapter(tmp_path / "voice.lora.gguf")
    text = f"{model}+{adapter}"
    fine, plain = forms.opened(next(forms.made(text, ["Q8_0"], tmp_path))), forms.opened(str(model))
    put_on = forms.opened(text)
    [reply] = forms.held_back_replies(1)
    near, far = (np.abs(forms.loss_of(form, reply) - forms.loss_of(put_on, reply)).mean() for form in (fine, plain))
    assert near < far / 2
    forms.compare([put_on, fine], 1, 1)
    table = capsys.readouterr().out
    assert "random.gguf+voice.lora.gguf" in table
    assert "Q8_0.gguf" in table
