// Has a variable, which lies elsewhere on each hart.
#include <kerr/device/dataflow.hpp>

volatile uint32_t variable = 7;

void kernel_main() { variable = variable + 1; }
