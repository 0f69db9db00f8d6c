# BRISC clears a flag, which may have been raised by then, and waits for it.
# a0: its address.
.globl late_reset
late_reset:
        lw   t0, 0(a0)
        li   t1, 1000
delay:  addi t1, t1, -1
        bnez t1, delay
        sw   zero, 0(t0)
poll:   lw   t1, 0(t0)
        beqz t1, poll
        ret
