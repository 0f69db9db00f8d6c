# BRISC waits for a flag, and counts how often it has looked.
# a0: the flag's address, and where the count goes.
.globl heartbeat
heartbeat:
        lw   t0, 0(a0)
        lw   t1, 4(a0)
        li   t2, 0
look:   addi t2, t2, 1
        sw   t2, 0(t1)
        lw   t3, 0(t0)
        beqz t3, look
        ret
