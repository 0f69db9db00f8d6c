# NCRISC waits for semaphore 0, then adds up the words.
# a0: their address, how many there are, and where their sum goes.
.globl sum
sum:    lw   t0, 0(a2)
        beqz t0, sum
        lw   t0, 0(a0)
        lw   t1, 4(a0)
        li   t3, 0
next:   lw   t2, 0(t0)
        add  t3, t3, t2
        addi t0, t0, 4
        addi t1, t1, -1
        bnez t1, next
        lw   t0, 8(a0)
        sw   t3, 0(t0)
        ret
