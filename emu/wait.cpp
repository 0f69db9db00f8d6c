#include "emu/wait.hpp"

#include <array>
#include <string_view>

namespace kerr::emu {

std::string names(WaitMask mask) {
  // clang-format off
  static constexpr std::array<std::string_view, 32> kNames{
      "L1",       "",          "NIU register", "mailbox",   "PCBuf",     "",          "",        "config",
      "GPR",      "debug register",  "TDMA",         "SrcA",      "SrcB",      "unit idle", "Dst",     "",
      "T0 FIFO",  "T1 FIFO",         "T2 FIFO",      "",          "T0 idle",   "T1 idle",   "T2 idle", "",
      "T0 MOP idle", "T1 MOP idle",  "T2 MOP idle",  "",          "nothing but a reset",
      "T0 instruction", "T1 instruction", "T2 instruction"};
  // clang-format on
  std::string out;
  const auto add = [&out](std::string_view name) {
    if (!out.empty()) out += ", ";
    out += name;
  };
  for (size_t bit = 0; bit < kNames.size(); ++bit) {
    if (mask >> bit & 1) add(kNames[bit]);
  }
  for (unsigned i = 0; i < 8; ++i) {
    if (mask & wait::semaphore(i)) add("semaphore " + std::to_string(i));
  }
  for (unsigned i = 0; i < 8; ++i) {
    if (mask & wait::mutex(i)) add("mutex " + std::to_string(i));
  }
  for (unsigned i = 0; i < 8; ++i) {
    if (mask & wait::stream(i)) add("registers of stream " + std::to_string(i) + " modulo 8");
  }
  return out;
}

}  // namespace kerr::emu
