// Entry of every image: a jump, the 16 bytes of the build id, then the C++ entry point.
// docs/hardware/tile.md 1.4 (cfg0), 7.6
#include "build_id.h"

    .section .start, "ax"
    .globl _start
_start:
    j 1f
    .word KERR_BUILD_ID_0, KERR_BUILD_ID_1, KERR_BUILD_ID_2, KERR_BUILD_ID_3
1:
#ifdef KERR_BASE_FIRMWARE
    // Branch predictor off while instruction fusion is switched off, then the L0 data cache off.
    li t0, 1 << 1
    csrs 0x7C0, t0
    fence
    li t1, 1 << 18
    csrs 0x7C0, t1
    csrc 0x7C0, t0
    fence
    fence
    li t0, 1 << 3
    csrs 0x7C0, t0
    li sp, KERR_STACK_TOP
    call firmware_main
2:  j 2b
#else
    // A kernel: the base firmware's stack goes on, `ret` of kernel_main returns to it.
    tail kernel_main
#endif
