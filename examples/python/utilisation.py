"""How busy the matrix unit is in products of several sizes: as text, and as a picture where there is matplotlib."""

import sys

import kerr

sizes = [int(size) for size in sys.argv[1:]] or [64, 128, 256]
shares = []
with kerr.Device("p100a", threads=1, timing="exact", watch="timeline") as device:
    for size in sizes:
        a = device.tensor([[1.0] * size] * size)
        with device.record() as run:
            device.matmul(a, a, keep=True)
        shares.append(run.utilisation().unit("FPU"))
        print(f"{size:5} {100 * shares[-1]:5.1f} %  {'#' * round(100 * shares[-1])}  {run.ns / 1000:.1f} us")

try:
    import matplotlib.pyplot as plot
except ImportError:
    print("for a picture install matplotlib")
else:
    plot.plot(sizes, [100 * share for share in shares], marker="o")
    plot.xlabel("M = N = K")
    plot.ylabel("FPU busy, %")
    plot.savefig("utilisation.svg")
    print("utilisation.svg")
