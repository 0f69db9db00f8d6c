// Reads `pages` pages of 64 bytes from L1 of another tile into circular buffer 0.
#include <kerr/device/dataflow.hpp>

namespace {

uint32_t steps = 3;  // .data
uint32_t seen[4];    // .bss
uint32_t doubled(uint32_t x) { return 2 * x; }
uint32_t (*function)(uint32_t) = doubled;  // .data that holds an address of code
struct Constructed {
  uint32_t value;
  Constructed() : value(kerr_entry.xy + 1) {}
} constructed;
const char* const kWords[] = {"alpha", "beta"};

}  // namespace

void kernel_main() {
  const auto x = get_arg_val<uint32_t>(0), y = get_arg_val<uint32_t>(1), from = get_arg_val<uint32_t>(2);
  const auto result = get_common_arg_val<uint32_t>(0);
  constexpr uint32_t pages = get_named_compile_time_arg_val("pages");
  for (uint32_t page = 0; page < pages; ++page) {
    cb_reserve_back(0, 1);
    noc_async_read(get_noc_addr(x, y, from + 64 * page), get_write_ptr(0), 64);
    noc_async_read_barrier();
    cb_push_back(0, 1);
    seen[page & 3] += steps;
  }
  auto* out = reinterpret_cast<volatile uint32_t*>(result);
  out[0] = get_compile_time_arg_val(0) * 100 + get_compile_time_arg_val(1);
  out[1] = seen[0] + seen[1] + seen[2];
  out[2] = function(steps);
  out[3] = constructed.value;
  out[4] = static_cast<uint32_t>(kWords[pages & 1][0]);
  ++steps;  // the next launch begins with 3 again
}
