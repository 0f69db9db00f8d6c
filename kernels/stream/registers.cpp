#include "kernels/stream/registers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace kerr::kernels {

using namespace isa::reg;

Registers::Registers()
    : free_{s11, s10, s9, s8, s7, s6, s5, s4, s3, s2, s1, s0, a7, a6, a5, a4, a2},
      taken_{{a0, "runtime arguments"}, {a1, "common arguments"}, {a3, "circular buffers"}} {}

isa::Reg Registers::take(std::string_view value) {
  if (free_.empty()) {
    std::string all;
    for (const Value& v : taken_) all += fmt::format("{}{}", all.empty() ? "" : ", ", v.name);
    throw std::length_error(fmt::format("no register is left for {}; {} have values: {}", value, taken_.size(), all));
  }
  taken_.push_back({free_.back(), value});
  free_.pop_back();
  return taken_.back().reg;
}

void Registers::release(isa::Reg reg) {
  const auto found = std::ranges::find_if(taken_, [&](const Value& v) { return v.reg == reg; });
  if (found == taken_.end()) throw std::logic_error("a register is released that nobody has taken");
  taken_.erase(found);
  free_.push_back(reg);
}

}  // namespace kerr::kernels
