// Programs with one wait, or one signal, taken out: what may be changed in an image.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "image/image.hpp"

namespace kerr::mutation {

/// What is changed.
enum class Kind : uint8_t {
  Loop,       // the branch back of a loop that waits is a nop
  Bound,      // ... waits for one less
  Noc,        // ... looks at the counter of the other NoC
  Drain,      // a load of FFE80004 is a nop
  Stallwait,  // the Tensix word is a NOP
  Condition,  // of several conditions of a STALLWAIT one is missing
  Semwait,
  Semget,
  Sempost,
  Mutex,  // ATGETM
  Block,  // of several blocks of a STALLWAIT one is missing
  Fence,  // a nop
  Swap,   // what stands behind a wait comes before it: a store, or the Tensix word that a wait holds back
  Id,     // another semaphore, stream of a circular buffer, or transaction id
  Word,   // a word of the MOP expander that hands a bank over, or gives one back, is a NOP
};
inline constexpr int kKinds = 15;

std::string_view name(Kind kind);
/// Without it, or in another place, two accesses may come in any order. The others are signals: without them somebody
/// waits for ever.
constexpr bool is_wait(Kind kind) {
  return kind != Kind::Sempost && kind != Kind::Semget && kind != Kind::Mutex && kind != Kind::Id && kind != Kind::Word;
}

struct Mutant {
  Kind kind{};
  uint32_t address = 0;                                // of the site, as the image has it
  uint32_t first = 0;                                  // of the loop that it is in, or the site
  bool is_known = true;                                // what it orders the checker looks at, at least in part
  std::vector<uint32_t> semaphores{};                  // of the coprocessor: that it is about
  std::vector<std::pair<uint32_t, uint32_t>> words{};  // addresses and what they hold instead
  std::string text{};                                  // "run()+0x1c brisc.cpp:57: bne t0, s1, -8"
};

/// All of an image's executable segments, in the order of addresses.
std::vector<Mutant> mutants_of(const image::Image& image);

}  // namespace kerr::mutation
