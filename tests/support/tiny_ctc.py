"""A tiny CTC model in ONNX, trained where it is needed: it hears which tone stands for which letter."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

RATE = 16_000
STRIDE = 320  # samples of a frame
LETTERS = "abdegilnorst"
VOCABULARY = {"<pad>": 0, "|": 1, "<unk>": 2} | {letter.upper(): n for n, letter in enumerate(LETTERS, 3)}
_PITCHES = {letter: 300.0 + 250.0 * n for n, letter in enumerate(LETTERS)}  # Hz, whole numbers of frames
_SOUND, _PAUSE = 4, 2  # frames of a letter, and of the silence behind it


def tones(words: Sequence[str], silence: int = 10, seed: int = 1):
    """Samples in which each letter is a tone, and the true start and end of each word in seconds."""
    rng = numpy.random.default_rng(seed)
    parts = [numpy.zeros(silence * STRIDE)]
    times = []
    at = silence
    for word in words:
        start = at
        for letter in word:
            moments = numpy.arange(_SOUND * STRIDE) / RATE
            parts += [numpy.sin(2 * numpy.pi * _PITCHES[letter] * moments), numpy.zeros(_PAUSE * STRIDE)]
            at += _SOUND + _PAUSE
        times.append((start * STRIDE / RATE, (at - _PAUSE) * STRIDE / RATE))
        parts.append(numpy.zeros(silence * STRIDE))
        at += silence
    samples = numpy.concatenate(parts)
    return (samples + rng.normal(scale=0.05, size=len(samples))).astype(numpy.float32), times


def write_model(folder: Path) -> Path:
    """Trains a softmax over the powers of tones, and writes it as a folder of Hugging Face has it."""
    filters = _filters()
    weights, bias = _train(filters)
    folder.mkdir(exist_ok=True)
    onnx.save(_graph(filters, weights, bias), str(folder / "model.onnx"))
    (folder / "vocab.json").write_text(json.dumps(VOCABULARY), "utf-8")
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 0}), "utf-8")
    (folder / "preprocessor_config.json").write_text(
        json.dumps({"do_normalize": False, "sampling_rate": RATE}), "utf-8"
    )
    return folder


def _filters():
    """A cosine and a sine a frame long for each pitch."""
    moments = numpy.arange(STRIDE) / RATE
    pitches = numpy.array(list(_PITCHES.values()))[:, None]
    waves = numpy.concatenate([f(2 * numpy.pi * pitches * moments) for f in (numpy.cos, numpy.sin)])
    return (waves / STRIDE).astype(numpy.float32)


def _powers(samples, filters):
    """Log powers of the pitches in each frame."""
    frames = samples[: len(samples) // STRIDE * STRIDE].reshape(-1, STRIDE)
    squares = (frames @ filters.T) ** 2
    half = len(_PITCHES)
    return numpy.log(squares[:, :half] + squares[:, half:] + 1e-4)


def _train(filters):
    """Weights and bias by gradient descent on words made of all letters, whose frames are known."""
    rng = numpy.random.default_rng(3)
    words = ["".join(rng.permutation(list(LETTERS))) for _ in range(4)]
    samples, times = tones(words, seed=2)
    features = _powers(samples, filters)
    mean, scale = features.mean(axis=0), features.std(axis=0)
    labels = numpy.zeros(len(features), int)
    for word, (start, _) in zip(words, times, strict=True):
        at = round(start * RATE / STRIDE)
        for letter in word:
            labels[at : at + _SOUND] = VOCABULARY[letter.upper()]
            at += _SOUND + _PAUSE
    wanted = numpy.eye(len(VOCABULARY))[labels]
    inputs = (features - mean) / scale
    weights, bias = numpy.zeros((len(LETTERS), len(VOCABULARY))), numpy.zeros(len(VOCABULARY))
    for _ in range(300):
        logits = inputs @ weights + bias
        shares = numpy.exp(logits - logits.max(axis=1, keepdims=True))
        slope = (shares / shares.sum(axis=1, keepdims=True) - wanted) / len(inputs)
        weights -= 2.0 * inputs.T @ slope
        bias -= 2.0 * slope.sum(axis=0)
    scaled = weights / scale[:, None]
    return scaled.astype(numpy.float32), (bias - mean @ scaled).astype(numpy.float32)


def _graph(filters, weights, bias):
    half = len(_PITCHES)
    constants = {
        "axis": numpy.array([1], numpy.int64),
        "filters": filters[:, None, :],
        "pairs": numpy.concatenate([numpy.eye(half)] * 2, axis=1).astype(numpy.float32)[:, :, None],
        "floor": numpy.array(1e-4, numpy.float32),
        "weights": weights,
        "bias": bias,
    }
    nodes = [
        helper.make_node("Unsqueeze", ["input_values", "axis"], ["channel"]),
        helper.make_node("Conv", ["channel", "filters"], ["waves"], strides=[STRIDE]),
        helper.make_node("Mul", ["waves", "waves"], ["squares"]),
        helper.make_node("Conv", ["squares", "pairs"], ["powers"]),
        helper.make_node("Add", ["powers", "floor"], ["above"]),
        helper.make_node("Log", ["above"], ["logs"]),
        helper.make_node("Transpose", ["logs"], ["frames"], perm=[0, 2, 1]),
        helper.make_node("MatMul", ["frames", "weights"], ["scores"]),
        helper.make_node("Add", ["scores", "bias"], ["logits"]),
    ]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info("input_values", TensorProto.FLOAT, ["batch", "samples"])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", "frames", len(VOCABULARY)])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
