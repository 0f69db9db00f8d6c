"""A perceptron of two layers, forward: weights stay on the device, and each layer is one expression."""

import math

import kerr


def numbers(rows, columns, seed):
    """Some numbers from -1 to 1 that are the same each time; with NumPy one would take numpy.random."""
    return [[math.sin(seed + 12.9898 * i + 78.233 * j) for j in range(columns)] for i in range(rows)]


images, hidden, classes = 64, 128, 10
with kerr.Device("p100a", threads=1) as device:
    x = device.tensor(numbers(images, 196, 1), format="bf16")
    w1, b1 = device.tensor(numbers(196, hidden, 2)), device.tensor(numbers(1, hidden, 3))
    w2, b2 = device.tensor(numbers(hidden, classes, 4)), device.tensor(numbers(1, classes, 5))
    print(x, "in", x.place.bytes // 2048, "tiles")

    h = device.eval("relu(x @ w1 + b1)", x=x, w1=w1, b1=b1, keep=True)  # stays on the device
    chances = device.eval("softmax(h @ w2 * 0.1 + b2)", h=h, w2=w2, b2=b2, check=True)  # compared with float64
    print(device.eval("softmax(h @ w2 * 0.1 + b2)", h=h, w2=w2, b2=b2, explain=True))

rows = memoryview(chances).tolist()
print(f"{len(rows)} images; the chances of the first add up to {sum(rows[0]):.2f}")
assert all(abs(sum(row) - 1) < 0.05 for row in rows)
print("verified")
