"""Compares the embedded model with onnxruntime (float32) on one thread: bench.py RATE_PROGRAM ONNX_FILE [ROUNDS [KERNELS]]

Rounds alternate between the two; printed are medians of tokens a second of wall clock and of
processor time. On a machine that does other work only the second is fair.
"""
import resource
import statistics
import subprocess
import sys
import time

import numpy as np
import onnxruntime

LENGTHS, SECONDS = (20, 64, 190, 256), 0.6


class Ours:
    def __init__(self, program, kernels):
        start = time.perf_counter()
        self.p = subprocess.Popen([program, *kernels], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        load, first, self.kernels = self.p.stdout.readline().split()
        self.load, self.first = float(load), float(first)
        self.ready = (time.perf_counter() - start) * 1000

    def ask(self, line):
        self.p.stdin.write(line + "\n")
        return list(map(float, self.p.stdout.readline().split()))

    def measure(self, tokens):
        return self.ask(f"{tokens} {SECONDS}")


class Onnx:
    def __init__(self, file):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])

    def measure(self, tokens):
        ids = np.array([[101, *(2000 + i * 37 for i in range(tokens - 2)), 102]], np.int64)
        start, used, n = time.perf_counter(), cpu(), 0
        while time.perf_counter() - start < SECONDS:
            v = self.session.run(None, {"ids": ids})[0].mean(1)
            v /= np.linalg.norm(v, axis=1, keepdims=True)
            n += 1
        return n, time.perf_counter() - start, cpu() - used


def cpu():
    u = resource.getrusage(resource.RUSAGE_SELF)
    return u.ru_utime + u.ru_stime


def main(program, file, rounds="5", *kernels):
    ours, onnx = Ours(program, kernels), Onnx(file)
    print(f"kernels {ours.kernels}, load {ours.load:.1f} ms, first question {ours.first:.1f} ms, process ready with it in {ours.ready:.0f} ms")
    print(f"{'tokens':>6} {'ours tok/s':>11} {'ort tok/s':>11} {'ratio':>6}   {'by CPU time':>11} {'':>11} {'ratio':>6} {'ms a text':>10}")
    for tokens in LENGTHS:
        runs = {ours: [], onnx: []}
        for m in runs:
            m.measure(tokens)  # warm
        for _ in range(int(rounds)):
            for m in runs:
                runs[m].append(m.measure(tokens))
        rate = lambda m, at: statistics.median(r[0] * tokens / r[at] for r in runs[m])
        wall, used = ([rate(m, at) for m in runs] for at in (1, 2))
        print(f"{tokens:6d} {wall[0]:11.0f} {wall[1]:11.0f} {wall[0] / wall[1]:6.2f}   {used[0]:11.0f} {used[1]:11.0f} {used[0] / used[1]:6.2f} {1000 * tokens / wall[0]:10.2f}")
    print("resident {:.1f} MB, of it anonymous {:.1f} MB".format(*ours.ask("memory")))


main(*sys.argv[1:])
