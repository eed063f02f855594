"""Writes all-MiniLM-L6-v2 as an ONNX file in float32, for comparing speed with onnxruntime.

usage: onnx_export.py MODEL_DIR OUT_FILE     (needs onnx, numpy, safetensors)

The graph has onnxruntime's fused operators (Attention, SkipLayerNormalization, BiasGelu) where its
optimiser puts them in a graph exported from the published model, so it is compared at its best.
Input: ids int64 [texts, tokens], texts of one length (nothing is masked). Output: the last layer's
states [texts, tokens, 384].
"""
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save
from safetensors.numpy import load_file

FUSED = "com.microsoft"
EPSILON = {"epsilon": 1e-12}


class Graph:
    def __init__(self, weights):
        self.w, self.nodes, self.tensors = weights, [], []

    def const(self, name, array):
        self.tensors.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def weight(self, key):
        return self.const(key, self.w[key])

    def op(self, kind, inputs, name, domain="", **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, domain=domain, **attributes))
        return name

    def product(self, x, key):
        return self.op("MatMul", [x, self.const(key + ".T", self.w[key + ".weight"].T)], key + ".product")

    def skip_norm(self, x, skip, key, bias):
        inputs = [x, skip, self.weight(key + ".LayerNorm.weight"), self.weight(key + ".LayerNorm.bias"), bias]
        return self.op("SkipLayerNormalization", inputs, key + ".norm", FUSED, **EPSILON)

    def attention(self, x, key):
        parts = [key + f"attention.self.{n}" for n in ("query", "key", "value")]
        weight = self.const(key + "qkv", np.concatenate([self.w[p + ".weight"].T for p in parts], 1))
        bias = self.const(key + "qkv.bias", np.concatenate([self.w[p + ".bias"] for p in parts]))
        return self.op("Attention", [x, weight, bias], key + "context", FUSED, num_heads=12)

    def embeddings(self, ids):
        e = "embeddings."
        words = self.op("Gather", [self.weight(e + "word_embeddings.weight"), ids], "words")
        positions = self.const("positions", self.w[e + "position_embeddings.weight"] + self.w[e + "token_type_embeddings.weight"][0])
        shape = self.op("Shape", [ids], "tokens", start=1, end=2)
        zero = self.const("zero", np.zeros(1, np.int64))
        x = self.op("Add", [words, self.op("Slice", [positions, zero, shape, zero], "places")], "sum")
        norm = [self.weight(e + "LayerNorm.weight"), self.weight(e + "LayerNorm.bias")]
        return self.op("LayerNormalization", [x, *norm], "embedded", axis=-1, **EPSILON)

    def layer(self, x, key):
        out = key + "attention.output"
        c = self.product(self.attention(x, key), out + ".dense")
        x = self.skip_norm(c, x, out, self.weight(out + ".dense.bias"))
        up = key + "intermediate.dense"
        h = self.op("BiasGelu", [self.product(x, up), self.weight(up + ".bias")], key + "gelu", FUSED)
        down = key + "output"
        return self.skip_norm(self.product(h, down + ".dense"), x, down, self.weight(down + ".dense.bias"))


def main(folder, out):
    weights = load_file(folder + "/model.safetensors")
    g = Graph({k.removeprefix("bert."): v.astype(np.float32) for k, v in weights.items()})
    x = g.embeddings("ids")
    for layer in range(6):
        x = g.layer(x, f"encoder.layer.{layer}.")
    ids = helper.make_tensor_value_info("ids", TensorProto.INT64, ["texts", "tokens"])
    states = helper.make_tensor_value_info(x, TensorProto.FLOAT, ["texts", "tokens", 384])
    graph = helper.make_graph(g.nodes, "minilm", [ids], [states], g.tensors)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(FUSED, 1)]
    save(helper.make_model(graph, opset_imports=opsets, ir_version=9), out)


main(*sys.argv[1:])
