// What tests/image reads back: a kernel with variables, a pointer to a function among them, linked as kerr_add_kernel does.
#include "kernel_inline.h"

volatile unsigned counter;
volatile unsigned table[4] = {1, 2, 3, 4};

unsigned sum(unsigned n) { return n + table[n & 3]; }
unsigned (*volatile function)(unsigned) = sum;

asm(".pushsection .kerr.uses,\"\",@progbits\n\t.word 2, 5\n\t.popsection");

void kernel_main(void) {
  counter = function(8);
  counter += polled(&table[1]);
}
