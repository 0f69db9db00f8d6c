// Start-up of a compiled kernel: base firmware calls _start (arch/kernel_abi.hpp), which prepares variables in local RAM, calls
// constructors and then kernel_main(). The code may be anywhere in L1; variables are where the linker put them.
    .section .start, "ax"
    .globl _start
    .type _start, @function
_start:
    addi sp, sp, -16
    sw ra, 12(sp)
    sw s0, 8(sp)
    sw s1, 4(sp)

    // .data: its initial values are behind the code.
    lla t0, kerr_initial_values
    lui t1, %hi(kerr_data_begin)
    addi t1, t1, %lo(kerr_data_begin)
    lui t2, %hi(kerr_data_end)
    addi t2, t2, %lo(kerr_data_end)
    j 2f
1:  lw t3, 0(t0)
    sw t3, 0(t1)
    addi t0, t0, 4
    addi t1, t1, 4
2:  bltu t1, t2, 1b

    // .bss follows.
    lui t2, %hi(kerr_bss_end)
    addi t2, t2, %lo(kerr_bss_end)
    j 4f
3:  sw zero, 0(t1)
    addi t1, t1, 4
4:  bltu t1, t2, 3b

    // What firmware passes, for device/entry.hpp.
    lui t0, %hi(kerr_entry)
    addi t0, t0, %lo(kerr_entry)
    sw a0, 0(t0)
    sw a1, 4(t0)
    sw a2, 8(t0)
    sw a3, 12(t0)
    sw a4, 16(t0)
    sw a5, 20(t0)

    lla s0, kerr_constructors
    lla s1, kerr_constructors_end
    j 6f
5:  lw t0, 0(s0)
    addi s0, s0, 4
    jalr t0
6:  bltu s0, s1, 5b

    call kerr_kernel_main
    lw ra, 12(sp)
    lw s0, 8(sp)
    lw s1, 4(sp)
    addi sp, sp, 16
    ret
    .size _start, . - _start

    .section .bss.kerr_entry, "aw", @nobits
    .balign 4
    .globl kerr_entry
    .type kerr_entry, @object
    .size kerr_entry, 24
kerr_entry:
    .skip 24

    .section .kerr.uses, "", @progbits
    .word 0, 0  // image::Use::Kind::StartUp
