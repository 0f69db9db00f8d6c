"""Writes recorded/VERSION.jsonl.gz. Run by hand, once for each release of tinygrad, where it, NumPy and libkerr.so are:

    PYTHONPATH=TINYGRAD_CHECKOUT:build/release/python:tests/python CACHELEVEL=0 PARALLEL=0 DEV=KERR KERR_PATH=definition \
      python3 tests/python/record.py VERSION
"""

import base64
import gzip
import json
import sys

import numpy as np
import recorded
from tinygrad import Device, Tensor, Variable, dtypes

import kerr._tinygrad as adapter

kernels, texts, blobs = [], {}, {}
program = ""


def recording_loop_program(uops, **options):
    text = original_loop_program(uops, **options)
    texts[text] = json.loads(json.dumps(recorded.encode(uops)))
    assert original_loop_program(recorded.decode(texts[text]), **options) == text, "the data does not say what the list says"
    return text


def recording_compile(self, src):
    blob = original_compile(self, src)
    blobs[blob] = texts[src]
    return blob


class RecordingProgram(adapter.KerrProgram):
    def __init__(self, dev, obj, lib=None, *arguments, **named):
        super().__init__(dev, obj, lib, *arguments, **named)
        self.uops = blobs[obj.lib if lib is None else lib]

    def __call__(self, *bufs, vals=(), **named):
        def contents():
            return [base64.b64encode(b.read(offset, size)).decode() for b, offset, size in bufs]

        before = contents()
        result = super().__call__(*bufs, vals=vals, **named)
        if self.uops is not None:
            kernels.append({"name": program, "uops": self.uops, "numbers": list(vals), "before": before, "after": contents()})
        self.uops = None  # once is enough
        return result


original_loop_program, adapter.loop_program = adapter.loop_program, recording_loop_program
original_compile, adapter.KerrCompiler.compile = adapter.KerrCompiler.compile, recording_compile
adapter.KerrProgram = RecordingProgram

random = np.random.default_rng(22)
A = random.standard_normal((6, 10)).astype(np.float32)
B = random.standard_normal((10, 5)).astype(np.float32)
N = random.integers(-50, 50, (6, 10)).astype(np.int32)
IMAGE = random.standard_normal((1, 2, 6, 6)).astype(np.float32)
FILTERS = random.standard_normal((3, 2, 3, 3)).astype(np.float32)


def convolved():
    padded = np.pad(IMAGE, ((0, 0), (0, 0), (1, 1), (1, 1)))
    return np.array([[[[(padded[0, :, y:y + 3, x:x + 3] * f).sum() for x in range(6)] for y in range(6)] for f in FILTERS]])


def assigned():
    t = Tensor(A).contiguous().realize()
    t.assign(t * 2 + 1).realize()
    return t


def symbolic():
    n = Variable("n", 1, 10).bind(7)
    return Tensor(N).realize().reshape(10, 6)[:n].sum(0).contiguous()


def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


PROGRAMS = {
    "add": lambda: (Tensor(A) + Tensor(A) * 2, A * 3),
    "matmul": lambda: (Tensor(A) @ Tensor(B), A @ B),
    "sum of columns": lambda: (Tensor(A).sum(0), A.sum(0)),
    "maximum": lambda: (Tensor(A).max(), A.max()),
    "softmax": lambda: (Tensor(A).softmax(), softmax(A)),
    "pad": lambda: (Tensor(A).pad(((1, 2), (0, 3))) + 1, np.pad(A, ((1, 2), (0, 3))) + 1),
    "convolution": lambda: (Tensor(IMAGE).conv2d(Tensor(FILTERS), padding=1), convolved()),
    "argmax": lambda: (Tensor(A).argmax(1), A.argmax(1)),
    "gather": lambda: (Tensor(A)[:, Tensor([3, 1, 9, 1])], A[:, [3, 1, 9, 1]]),
    "flip and concatenate": lambda: (Tensor(A).flip(0).cat(Tensor(A), dim=1), np.concatenate([A[::-1], A], 1)),
    "cumulative sum": lambda: (Tensor(N).cumsum(1), N.cumsum(1)),
    "integer division": lambda: (Tensor(N).cast(dtypes.int64) // 7 + Tensor(N) % 5, N.astype(np.int64) // 7 + N % 5),
    "bits": lambda: ((Tensor(N).cast(dtypes.uint8) ^ 85) >> 2, (N.astype(np.uint8) ^ 85) >> 2),
    "logic": lambda: ((Tensor(A) > 0) & (Tensor(N) != 3), (A > 0) & (N != 3)),
    "where": lambda: ((Tensor(N) < 0).where(Tensor(A), -1.0), np.where(N < 0, A, -1).astype(np.float32)),
    "functions": lambda: (Tensor(A).abs().sqrt().log() + Tensor(A).sin(), np.log(np.sqrt(np.abs(A))) + np.sin(A)),
    "half": lambda: (Tensor(A).cast(dtypes.half) * 3, A.astype(np.float16) * np.float16(3)),
    "bitcast": lambda: (Tensor(A).bitcast(dtypes.int32) + 1, A.view(np.int32) + 1),
    "in place": lambda: (assigned(), A * 2 + 1),
    "symbolic size": lambda: (symbolic(), N.reshape(10, 6)[:7].sum(0)),
    "random": lambda: (Tensor.rand(8), None),
}

for program, make in PROGRAMS.items():
    result, expected = make()
    values = result.numpy()
    if expected is not None:
        np.testing.assert_allclose(values, expected, rtol=2e-3 if values.dtype == np.float16 else 1e-5, atol=1e-5)
    else:
        assert ((0 <= values) & (values < 1)).all() and len(set(values.tolist())) == values.size

assert Device.DEFAULT == "KERR"
with gzip.GzipFile(recorded.FOLDER / f"{sys.argv[1]}.jsonl.gz", "wb", mtime=0) as file:
    for kernel in kernels:
        file.write((json.dumps(kernel, separators=(",", ":")) + "\n").encode())
print(f"{len(kernels)} kernels of {len(PROGRAMS)} programs")
