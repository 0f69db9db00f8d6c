# Counts down from the word that a0 points to.
        lw     t0, 0(a0)
        .print "from {:d}", t0
loop:   addi   t0, t0, -1
        .print "{:d} left, {:#010x}", t0, t0
        bnez   t0, loop
        ret
