#include "diff/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kerr::diff {

namespace {

using emu::Input;

const Input* next_input(emu::LogReader& log, emu::Cycle& end) {
  const Input* input = log.next();
  while (input != nullptr && input->kind == Input::Kind::Note) input = log.next();
  if (input != nullptr) end = input->cycle;
  return input;
}

bool same(const Input& a, const Input& b) {
  return a.kind == b.kind && a.outcome == b.outcome && a.chip == b.chip && a.bar == b.bar && a.x == b.x && a.y == b.y &&
         a.length == b.length && a.address == b.address && a.hash == b.hash && a.bytes == b.bytes;
}

std::string detail_of(const Input& a, const Input& b) {
  if (a.kind != b.kind || a.address != b.address || a.bytes.size() != b.bytes.size()) return "";
  const auto [at, other] = std::ranges::mismatch(a.bytes, b.bytes);
  if (at == a.bytes.end()) return "";
  return fmt::format("byte {} is {:#04x} in A and {:#04x} in B", at - a.bytes.begin(), *at, *other);
}

}  // namespace

Inputs compare_inputs(const std::string& a, const std::string& b) {
  emu::LogReader logs[2] = {{a, emu::is_unfinished_log(a)}, {b, emu::is_unfinished_log(b)}};
  Inputs out;
  for (const int i : {0, 1}) out.of[i] = logs[i].info();
  bool equal = true;
  const Input* inputs[2] = {};
  for (;;) {
    for (const int i : {0, 1}) {
      inputs[i] = next_input(logs[i], out.end[i]);
      out.count[i] += inputs[i] != nullptr;
    }
    if (inputs[0] == nullptr && inputs[1] == nullptr) return out;
    if (!equal) continue;
    if (inputs[0] != nullptr && inputs[1] != nullptr && same(*inputs[0], *inputs[1])) {
      ++out.equal;
      continue;
    }
    equal = false;
    for (const int i : {0, 1}) out.differ[i] = inputs[i] == nullptr ? "" : inputs[i]->describe();
    if (inputs[0] != nullptr && inputs[1] != nullptr) out.detail = detail_of(*inputs[0], *inputs[1]);
  }
}

}  // namespace kerr::diff
