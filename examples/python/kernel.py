"""A kernel written by hand: RISC-V in assembler text, on the data-movement hart BRISC of two cores."""

import array

import kerr

SUM_OF_SQUARES = """
# a0: three words: the address of numbers, how many there are, and where their sum of squares goes
        lw   t0, 0(a0)
        lw   t1, 4(a0)
        lw   t2, 8(a0)
        li   t3, 0
loop:   lw   t4, 0(t0)
        mul  t4, t4, t4
        add  t3, t3, t4
        addi t0, t0, 4
        addi t1, t1, -1
        bnez t1, loop
        sw   t3, 0(t2)
        ret
"""

numbers = array.array("i", range(1, 101))
with kerr.Device("p100a", threads=1) as device:
    done = device.run(SUM_OF_SQUARES, args=["numbers", 100, "total"], cores="1-2,2",
                      l1={"numbers": numbers, "total": array.array("i", [0])})
    for core, total in zip(done.cores, memoryview(done["total"]).tolist()):
        print(f"core {core}: {total[0]}")
    assert memoryview(done["total"]).tolist() == [[338350], [338350]]

    try:  # a mistake is an exception that says where, and the device goes on
        device.run("        lw   t0, 0(a0)\n        lw   t1, 2(t0)\n        ret\n", args=["x"], l1={"x": 16}, name="wrong")
    except kerr.Fault as problem:
        print(problem)
        print("wrong.s:2" in problem.report)

    again = device.run(SUM_OF_SQUARES, args=["numbers", 3, "total"], l1={"numbers": numbers, "total": array.array("i", [0])})
    print("1 + 4 + 9 =", again["total"][0])
print("verified")
