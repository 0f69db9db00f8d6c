#include "emu/riscv/fast/fast_loop.hpp"
#include "emu/riscv/step.hpp"

namespace kerr::emu {

template <bool kObserved>
void plain_step(HartState& hart, HartPort& port, CodeCache& lines) {
  if (!port.can_fetch(hart.pc)) return;
  const DecodedLine& line = *lines.line(hart.pc / L1::kLineBytes);
  AtOnce<kObserved> when;
  if (!step(hart, port, line.instructions[hart.pc % L1::kLineBytes / 4], when)) return;
  ++hart.cycle;
  ++hart.instructions;
}
template void plain_step<false>(HartState&, HartPort&, CodeCache&);
template void plain_step<true>(HartState&, HartPort&, CodeCache&);

}  // namespace kerr::emu
