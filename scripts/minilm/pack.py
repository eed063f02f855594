"""Packs all-MiniLM-L6-v2 into the one file that pkg/embedding/minilm reads where it lies.

usage: pack.py MODEL_DIR OUT_FILE [WIDE]     (needs numpy and safetensors)

WIDE is a comma list of matrices (qkv, out, up, down) kept in 12 bits (as int16) instead of 8.

The file, little endian, without padding:
  "MLM1"
  uint32: words, dim, layers, heads, ffn, positions, bytes of the vocabulary
  the vocabulary, a word a line
  float32: position + type embeddings [positions][dim], LayerNorm weight and bias [dim], word scales [words]
  int8: word embeddings [words][dim]
  for each layer, for each matrix (qkv, out, up, down):
    uint32 bytes of a weight (1 or 2); float32 limit, scale [n], bias [n]
    weights in panels of 16 outputs: [n/16][k/2][16][2]
    after out and down: float32 LayerNorm weight and bias [dim]
The query's part of qkv is divided by the root of a head's size. limit is the largest int16 input for
which no int32 sum of products can overflow.
"""
import struct
import sys

import numpy as np
from safetensors.numpy import load_file

PANEL = 16
HEADS, LAYERS = 12, 6
WORD, INT8, INT12 = 127, 127, 2047


def quantise(weights, top):
    """Integers up to top, with one scale a row."""
    scale = np.maximum(np.abs(weights).max(1), 1e-12) / top
    kind = np.int8 if top < 128 else np.int16
    return np.rint(weights / scale[:, None]).astype(kind), scale.astype(np.float32)


def panels(q):
    """[n][k] as [n/16][k/2][16][2]: what one step of a kernel multiplies with one pair of inputs."""
    n, k = q.shape
    return q.reshape(n // PANEL, PANEL, k // 2, 2).transpose(0, 2, 1, 3)


class Packer:
    def __init__(self, file, weights, wide):
        self.file, self.weights, self.wide = file, weights, wide

    def put(self, *arrays):
        for a in arrays:
            self.file.write(np.ascontiguousarray(a).tobytes())

    def norm(self, name):
        self.put(self.weights[name + ".LayerNorm.weight"], self.weights[name + ".LayerNorm.bias"])

    def matrix(self, name, weight, bias):
        q, scale = quantise(weight, INT12 if name in self.wide else INT8)
        limit = min(32767, (2**31 - 1) // np.abs(q.astype(np.int64)).sum(1).max())
        self.put(np.uint32(q.itemsize), np.float32(limit), scale, bias, panels(q))

    def dense(self, name, key):
        self.matrix(name, self.weights[key + ".dense.weight"], self.weights[key + ".dense.bias"])

    def attention(self, key, dim):
        root = {"query": np.float32(1 / np.sqrt(dim // HEADS)), "key": 1, "value": 1}
        both = [np.concatenate([self.weights[f"{key}self.{n}.{x}"] * r for n, r in root.items()]) for x in ("weight", "bias")]
        self.matrix("qkv", *both)


def main(model, out, wide=""):
    w = {k.removeprefix("bert."): v.astype(np.float32) for k, v in load_file(model + "/model.safetensors").items()}
    vocab = open(model + "/vocab.txt", "rb").read()
    words, positions = w["embeddings.word_embeddings.weight"], w["embeddings.position_embeddings.weight"]
    dim, ffn = words.shape[1], len(w["encoder.layer.0.intermediate.dense.bias"])
    with open(out, "wb") as f:
        f.write(b"MLM1" + struct.pack("<7I", len(words), dim, LAYERS, HEADS, ffn, len(positions), len(vocab)) + vocab)
        p = Packer(f, w, wide.split(","))
        q, scale = quantise(words, WORD)
        p.put(positions + w["embeddings.token_type_embeddings.weight"][0])
        p.norm("embeddings")
        p.put(scale, q)
        for layer in range(LAYERS):
            key = f"encoder.layer.{layer}."
            p.attention(key + "attention.", dim)
            p.dense("out", key + "attention.output")
            p.norm(key + "attention.output")
            p.dense("up", key + "intermediate")
            p.dense("down", key + "output")
            p.norm(key + "output")


main(*sys.argv[1:])
