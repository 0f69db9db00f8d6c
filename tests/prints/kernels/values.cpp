// Prints a value of each type, and one print where a loop is unrolled and another in a template.
#include "kerr/device/print.hpp"

template <class T>
__attribute__((noinline)) void show(T value) {
  KERR_PRINT("100% {}\n", value);
}

void kernel_main() {
  const uint32_t n = get_arg_val<uint32_t>(0);
  KERR_PRINT("no values, a {{brace}}, a \"quote\", a \\");
  KERR_PRINT("{} {} {:.2f} {} {}", n, -3, 1.5f, 'x', true);
  KERR_PRINT("{} {} {}", "text", uint64_t{n} << 40, int64_t{-1});
  KERR_PRINT("{}", reinterpret_cast<uint32_t*>(n));
#pragma GCC unroll 4
  for (uint32_t i = 0; i < 2; ++i) KERR_PRINT("two\nlines {:3}|{:<3}|{:03}|{:#x}", i, i, i, i + 10);
  show(n);
  show(0.5f);
  const char word[] = {'n', '=', static_cast<char>('0' + n), 0};
  KERR_PRINT("{}", word);
}
