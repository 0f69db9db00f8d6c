# BRISC squares words of L1 in place, then raises semaphore 0.
# a0: its arguments, the address of the words and how many there are; a2: the program's semaphores.
.globl square
square: lw   t0, 0(a0)
        lw   t1, 4(a0)
next:   lw   t2, 0(t0)
        mul  t2, t2, t2
        sw   t2, 0(t0)
        addi t0, t0, 4
        addi t1, t1, -1
        bnez t1, next
        fence              # the squares are in L1 before the semaphore is
        li   t0, 1
        sw   t0, 0(a2)
        ret
