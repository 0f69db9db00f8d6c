// TRISC1: the expression, 32 elements at a time.   docs/hardware/kernels.md 3.8, 3.11
#include "kernels/elementwise/streams.hpp"
#include "kernels/emit/compute.hpp"
#include "kernels/emit/dst_section.hpp"
#include "kernels/emit/frame.hpp"
#include "kernels/emit/vector_unit.hpp"

namespace kerr::kernels::elementwise {

using namespace isa::reg;
namespace tx = isa::tensix;

namespace {

constexpr Windows kWindows{s0, s1, s2};
constexpr isa::Reg kTiles = a2, kGroups = a3;
constexpr DstSection kDst{kWindows, a4, a5};

constexpr std::uint32_t kReplaySlots = 32;

bool replays(const vector::Emitted& code) { return code.words.size() + 1 <= kReplaySlots; }

void compute_tile(Stream& a, const vector::Emitted& code) {
  if (replays(code)) {
    const auto words = static_cast<std::uint32_t>(code.words.size()) + 1;
    a.repeat(kGroups, kGroupsOfTile, [&] { a.tensix(tx::REPLAY{.len = words, .start_idx = 0}); });
  } else {
    a.repeat(kGroups, kGroupsOfTile, [&] { compute_group(a, code); });
  }
  a.tensix(tx::SETRWC{.bit_mask = kDstCounter});
}

}  // namespace

void configure_math(Stream& a, const Traffic& k, const DstSection& dst) {
  if (!k.dst32()) configure_copy(a, dst.windows);
  dst.configure(a, k.dst32());
  if (k.dst32()) configure_unpacked(a);
  configure_vector_unit(a);
  a.li(dst.base, 0);
}

void take_operands(Stream& a, const Traffic& k, const DstSection& dst) {
  if (k.dst32()) {
    take_unpacked(a, 0, k.inputs);
  } else {
    for (std::uint32_t input = 0; input < k.inputs; ++input) {
      dst.select_tile(a, input);
      copy_tile(a);
    }
  }
  dst.select_tile(a, 0);
  a.tensix(tx::STALLWAIT{.wait_res = until::kMath, .stall_res = stall::kSfpu});
}

Kernel math(const Traffic& k, const vector::Emitted& code) {
  Stream a;
  a.function("elementwise_math");
  enter(a);
  a.lw(kTiles, a0, kArgTiles);
  kWindows.open(a);
  configure_math(a, k, kDst);
  if (replays(code)) {
    a.tensix(tx::REPLAY{.load_mode = 1, .len = static_cast<std::uint32_t>(code.words.size()) + 1, .start_idx = 0});
    compute_group(a, code);
  }
  a.repeat_argument(kTiles, kArgTiles, [&] {
    kDst.acquire(a);
    take_operands(a, k, kDst);
    compute_tile(a, code);
    kDst.release(a);
  });
  leave(a);
  return Kernel::from(a);
}

}  // namespace kerr::kernels::elementwise
