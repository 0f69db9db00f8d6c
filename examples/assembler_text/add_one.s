# Adds 1 to words of L1.
# a0: two words: the address of the numbers, and how many there are
        lw   t0, 0(a0)
        lw   t1, 4(a0)
loop:   lw   t2, 0(t0)
        addi t2, t2, 1
        sw   t2, 0(t0)
        addi t0, t0, 4
        addi t1, t1, -1
        bnez t1, loop
        ret
