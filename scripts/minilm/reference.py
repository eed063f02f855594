"""Reference token ids and vectors for the tests of pkg/embedding/minilm.

usage: reference.py MODEL_DIR TEXTS_JSON NORMALISED_JSON OUT_DIR     (needs numpy, safetensors, tokenizers)

TEXTS_JSON is a list of strings, NORMALISED_JSON the same texts after the shared normaliser. Writes
  reference.json   for each text {"ids", "normalised": ids}; "normalised" is left out when it equals "ids"
  reference.bin    two vectors a text (as it is, normalised), each 384 little-endian int16: round(v * 32767)
The ids come from the published tokenizer, the vectors are computed in float32 from the published weights.
"""
import json
import math
import sys

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

erf = np.vectorize(math.erf, otypes=[np.float32])


class Model:
    def __init__(self, folder):
        weights = load_file(folder + "/model.safetensors")
        self.w = {k.removeprefix("bert."): v.astype(np.float32) for k, v in weights.items()}

    def linear(self, x, key):
        return x @ self.w[key + ".weight"].T + self.w[key + ".bias"]

    def norm(self, x, key):
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12)
        return x * self.w[key + ".LayerNorm.weight"] + self.w[key + ".LayerNorm.bias"]

    def attention(self, x, key, heads=12):
        n = len(x)
        q, k, v = (self.linear(x, f"{key}self.{s}").reshape(n, heads, -1).transpose(1, 0, 2) for s in ("query", "key", "value"))
        s = q @ k.transpose(0, 2, 1) / np.sqrt(np.float32(q.shape[-1]))
        s = np.exp(s - s.max(-1, keepdims=True))
        return (s / s.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(n, -1)

    def vector(self, ids):
        e = "embeddings."
        x = self.w[e + "word_embeddings.weight"][ids] + self.w[e + "position_embeddings.weight"][: len(ids)]
        x = self.norm(x + self.w[e + "token_type_embeddings.weight"][0], "embeddings")
        for layer in range(6):
            key = f"encoder.layer.{layer}."
            c = self.attention(x, key + "attention.")
            x = self.norm(x + self.linear(c, key + "attention.output.dense"), key + "attention.output")
            h = self.linear(x, key + "intermediate.dense")
            h = h * np.float32(0.5) * (1 + erf(h / np.float32(math.sqrt(2))))
            x = self.norm(x + self.linear(h, key + "output.dense"), key + "output")
        v = x.mean(0)
        return v / np.linalg.norm(v)


def main(folder, texts, normalised, out):
    tokenizer = Tokenizer.from_file(folder + "/tokenizer.json")
    tokenizer.no_padding(), tokenizer.no_truncation()  # the file itself says: pad and cut at 128
    tokenizer.encode_special_tokens = True  # "[SEP]" written in a text is text
    model, entries, vectors, known = Model(folder), [], [], {}
    for text, plain in zip(json.load(open(texts)), json.load(open(normalised)), strict=True):
        entry = {}
        for name, t in (("ids", text), ("normalised", plain)):
            ids = tokenizer.encode(t).ids
            if name == "ids" or ids != entry["ids"]:
                entry[name] = ids
            if tuple(ids) not in known:
                known[tuple(ids)] = model.vector(ids[:256])
            vectors.append(known[tuple(ids)])
        entries.append(entry)
    np.rint(np.array(vectors) * 32767).astype("<i2").tofile(out + "/reference.bin")
    with open(out + "/reference.json", "w") as f:
        f.write("[\n" + ",\n".join(json.dumps(e, separators=(",", ":")) for e in entries) + "\n]\n")


main(*sys.argv[1:])
