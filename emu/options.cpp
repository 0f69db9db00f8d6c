#include "emu/options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "emu/agent.hpp"

namespace kerr::emu {

void Options::check() const {
  if (boards.empty()) throw std::invalid_argument("A machine needs at least one board.");
  if (boards.size() > size_t{kMostChips})
    throw std::invalid_argument(fmt::format("A machine has at most {} chips.", kMostChips));
  for (const timing::ParameterRow& row : timing::parameter_rows()) {
    if (const auto problem = timing::problem_with(row, parameters.*row.member))
      throw std::invalid_argument(fmt::format("Timing parameter {} {}.", row.name, *problem));
  }
  if (const Cycle most = timing::shortest_way(parameters); exact() && window_cycles > most)
    throw std::invalid_argument(fmt::format("In exact timing a window has at most {} cycles.", most));
  if (!exact() && (window_cycles % kQuantumCycles != 0 || window_cycles > kMostWindowCycles)) {
    throw std::invalid_argument(
        fmt::format("In relaxed timing a window is a multiple of {} cycles, at most {}; not {}.", kQuantumCycles,
                    kMostWindowCycles, window_cycles));
  }
}

// --- environment ---------------------------------------------------------------------------------------------------

namespace {

using Complain = Options::Complain;

// "" if it is not set.
std::string_view variable(const char* name) {
  const char* const text = std::getenv(name);
  return text ? text : "";
}

template <class T>
std::optional<T> choice_in_environment(const char* name, std::span<const std::pair<std::string_view, T>> choices,
                                       const Complain& complain) {
  const std::string_view text = variable(name);
  if (text.empty()) return std::nullopt;
  std::string known;
  for (const auto& [choice, value] : choices) {
    if (text == choice) return value;
    known += fmt::format("{}{}", known.empty() ? "" : choice == choices.back().first ? " or " : ", ", choice);
  }
  complain(fmt::format("{} is '{}', not {}", name, text, known));
  return std::nullopt;
}

}  // namespace

std::optional<uint64_t> number_in_environment(const char* name, uint64_t least, uint64_t most,
                                              const Complain& complain) {
  const std::string_view text = variable(name);
  if (text.empty()) return std::nullopt;
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  uint64_t value = 0;
  const auto [stop, error] =
      std::from_chars(text.data() + (hexadecimal ? 2 : 0), text.data() + text.size(), value, hexadecimal ? 16 : 10);
  if (error == std::errc{} && stop == text.data() + text.size() && value >= least && value <= most) return value;
  complain(fmt::format("{} is '{}', not a number from {} to {}", name, text, least, most));
  return std::nullopt;
}

Options Options::with_environment(const Complain& complain) const {
  static constexpr std::pair<std::string_view, bool> kSwitches[] = {{"0", false}, {"1", true}};
  static constexpr std::pair<std::string_view, InstructionCaching> kCaches[] = {
      {"coherent", InstructionCaching::Coherent},
      {"exact", InstructionCaching::Exact},
      {"check", InstructionCaching::Checked}};
  std::vector<std::pair<std::string_view, arch::Board>> known;
  for (const arch::Board& board : arch::kBoards) known.emplace_back(board.name, board);

  Options o = *this;
  if (o.boards.empty()) {
    if (const auto board = choice_in_environment<arch::Board>("KERR_BOARD", known, complain)) o.boards = {*board};
  }
  if (o.shards == 1) o.shards = static_cast<int>(number_in_environment("KERR_SHARDS", 1, 64, complain).value_or(1));
  if (!o.noc_reorder) o.noc_reorder = number_in_environment("KERR_NOC_REORDER", 0, ~uint64_t{0}, complain);
  if (o.icache == InstructionCaching::Coherent)
    o.icache = choice_in_environment<InstructionCaching>("KERR_ICACHE", kCaches, complain).value_or(o.icache);
  if (!o.strict) o.strict = choice_in_environment<bool>("KERR_STRICT", kSwitches, complain).value_or(false);
  return o;
}

}  // namespace kerr::emu
