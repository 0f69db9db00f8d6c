// Functions, variables and frames for a debugger.
#include "dataflow_api.h"

volatile int calls = 0;  // in local memory

__attribute__((noinline)) int square(int number) {
  calls = calls + 1;
  return number * number;
}

__attribute__((noinline)) int sum_of_squares(const volatile int* numbers, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += square(numbers[i]);
  }
  return sum;
}

void kernel_main() {
  const auto* numbers = reinterpret_cast<const volatile int*>(get_arg_val<uint32_t>(0));
  auto* result = reinterpret_cast<volatile int*>(get_arg_val<uint32_t>(1));
  *result = sum_of_squares(numbers, 4);
}
