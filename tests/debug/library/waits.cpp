// Waits for a word that is not zero, and stores it behind it.
#include "dataflow_api.h"

void kernel_main() {
  volatile uint32_t* const words = reinterpret_cast<volatile uint32_t*>(get_arg_val<uint32_t>(0));
  while (words[0] == 0) {
  }
  words[1] = words[0];
}
