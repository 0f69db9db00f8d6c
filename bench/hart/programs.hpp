// What the benchmarks of harts run. All programs are endless.
#pragma once

#include <cstdint>
#include <vector>

namespace kerr::bench {

using Bytes = std::vector<uint8_t>;

/// Where the first hart's copy of the program goes; each of the others has its own, kHartStride further on.
inline constexpr uint32_t kCode = 0x8000;
inline constexpr uint32_t kHartStride = 0x4000;

Bytes update_word();
Bytes move_words();
Bytes count_down();
Bytes integer_mix();
/// Where integer_mix counts its turns, behind its first instruction (State::turns).
inline constexpr uint32_t kIntegerMixTurns = 0x2000 + 1568;
Bytes mixed_400();
Bytes poll_word();
/// The same loop over words and over floats, the last one with fmadd.
Bytes integer_dot();
Bytes float_dot();
Bytes float_fused_dot();
/// Float registers only.
Bytes float_polynomial();

/// The loops of update_word and mixed_400, which count their turns in the word at `counter`.
Bytes count_word(uint32_t counter);
Bytes count_mixed_400(uint32_t counter);

}  // namespace kerr::bench
