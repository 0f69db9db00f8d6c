// What tests/image reads back: two functions, initialised data and a .bss, linked at an L1 address.
volatile unsigned counter;
volatile unsigned table[4] = {1, 2, 3, 4};

__attribute__((noinline)) unsigned sum(unsigned n) {
  unsigned total = 0;
  for (unsigned i = 0; i < n; ++i) total += table[i & 3];
  return total;
}

void _start(void) {
  counter = sum(8);
  for (;;) {
  }
}
