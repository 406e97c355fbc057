"""A transformer as an ONNX graph: tokens are pooled by the mask, inputs given as the model names them, faults said."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from curator.embed import models
from curator.errors import CuratorError
from curator.settings import Settings
from tests.embed.conftest import MEANINGS

LIBRARIES = ("onnx", "onnxruntime")
"""100 MB together: not among the development tools."""


@pytest.fixture
def libraries() -> None:
    for name in LIBRARIES:
        pytest.importorskip(name, reason=f"{name} is missing: pip install onnx onnxruntime")


def write(
    folder: Path, inputs: Sequence[str] = ("input_ids", "attention_mask"), kind: str = "INT64", pooled: bool = False
) -> None:
    """A model that looks tokens up in the static model's table; of the other inputs it makes no use."""
    onnx: Any = importlib.import_module("onnx")
    make, types = onnx.helper, onnx.TensorProto
    table = make.make_tensor("table", types.FLOAT, [len(MEANINGS), 3], [value for row in MEANINGS.values() for value in row])
    nodes = [make.make_node("Gather", ["table", inputs[0]], ["tokens"])]
    if pooled:
        nodes.append(make.make_node("ReduceMean", ["tokens"], ["text"], axes=[1], keepdims=0))
    last, shape = ("text", ["b", 3]) if pooled else ("tokens", ["b", "t", 3])
    outputs = [make.make_tensor_value_info(last, types.FLOAT, shape)]
    given = [make.make_tensor_value_info(name, getattr(types, kind), ["b", "t"]) for name in inputs]
    made = make.make_model(
        make.make_graph(nodes, "tiny", given, outputs, [table]), opset_imports=[make.make_opsetid("", 13)], ir_version=8
    )
    (folder / "model.onnx").write_bytes(made.SerializeToString())


def of(folder: Path) -> models.Graph:
    return models.graph_embedder(Settings(home=Path("home"), embedder="onnx", embedder_folder=str(folder)))


@pytest.mark.usefixtures("libraries")
@pytest.mark.parametrize("kind", ["INT64", "INT32"])
@pytest.mark.parametrize("inputs", [("input_ids",), ("input_ids", "attention_mask", "token_type_ids")])
def test_a_text_is_the_mean_of_its_tokens_whatever_stands_beside_it(folder: Path, inputs: tuple[str, ...], kind: str) -> None:
    write(folder, inputs, kind)
    texts = ["flaky", "retry names again tests titles", *(["names"] * models.BATCH), "flaky retry"]
    same = models.static_embedder(Settings(home=folder, embedder="static", embedder_folder=str(folder))).embed(texts)
    for one, other in zip(of(folder).embed(texts), same, strict=True):
        assert one == pytest.approx(other, abs=1e-6)


@pytest.mark.usefixtures("libraries")
def test_nothing_asked_is_nothing_answered_and_an_empty_text_has_no_direction(folder: Path) -> None:
    write(folder)
    assert of(folder).embed([]) == []
    assert of(folder).embed(["", ""]) == [[0.0] * 3] * 2
    one, nothing = of(folder).embed(["names", ""])
    assert one == pytest.approx([0, 0, 1])
    assert nothing == [0.0] * 3


@pytest.mark.usefixtures("libraries")
def test_only_the_beginning_of_a_long_text_is_read(folder: Path) -> None:
    write(folder)
    (long,) = of(folder).embed(["names " * models.TOKENS + "flaky " * 1000])
    assert long == pytest.approx([0, 0, 1])


@pytest.mark.usefixtures("libraries")
def test_what_the_model_wants_besides_is_named(folder: Path) -> None:
    write(folder, ("input_ids", "pixel_values"))
    with pytest.raises(CuratorError, match="pixel_values"):
        of(folder)
    write(folder, pooled=True)
    with pytest.raises(CuratorError, match="none has three dimensions"):
        of(folder)


@pytest.mark.usefixtures("libraries")
@pytest.mark.parametrize("data", [b"", b"no graph at all", b"\x08\x08" * 40])
def test_a_file_that_is_no_model_is_refused(folder: Path, data: bytes) -> None:
    (folder / "model.onnx").write_bytes(data)
    with pytest.raises(CuratorError, match=r"model\.onnx can't be read"):
        of(folder)


def test_without_the_file_or_the_extra_it_is_said_what_to_do(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CuratorError, match=r"has no model\.onnx"):
        of(folder)
    (folder / "model.onnx").write_bytes(b"")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(CuratorError) as caught:
        of(folder)
    assert 'pip install "lesson-curator[onnx]"' in caught.value.hint
