// `monitor COMMAND`.
#include <fmt/format.h>

#include <algorithm>

#include "arch/noc_registers.hpp"
#include "debug/hex.hpp"
#include "debug/machine_target.hpp"
#include "emu/machine/waits.hpp"
#include "emu/tensix/coprocessor.hpp"
#include "isa/disassembler.hpp"

namespace kerr::debug {

namespace {

constexpr std::string_view kHelp =
    "Of the hart that is shown (info inferiors):\n"
    "  monitor where                   kernel, function and line; what it waits for\n"
    "  monitor waits                   what each agent of its tile waits for\n"
    "  monitor sem                     the coprocessor's semaphores: value and maximum\n"
    "  monitor noc                     counters of both NIUs of its tile\n"
    "  monitor dst [FIRST [COUNT]]     rows of Dst, 16 cells of 16 bits as they are stored; -: not valid\n"
    "  monitor disassemble [ADDRESS [COUNT]]   from pc, 8 words, with Tensix words in full\n"
    "  monitor who                     who made the write at which a watchpoint has just stopped\n"
    "Of the machine:\n"
    "  monitor waits all               what each agent of every tile waits for\n"
    "  monitor cycle                   device time\n"
    "Nothing of this changes the run.\n";

// A number, decimal or 0x...; nothing else.
std::optional<uint32_t> count_in(std::string_view text) {
  if (take_prefix(text, "0x")) return word_in(text);
  uint32_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9' || value > 100'000'000) return std::nullopt;
    value = value * 10 + static_cast<uint32_t>(c - '0');
  }
  return text.empty() ? std::nullopt : std::optional(value);
}

std::string_view next_word(std::string_view& text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  return take_until(text, ' ');
}

}  // namespace

std::string MachineTarget::monitor(Pid pid, std::string_view command) {
  if (machine_ == nullptr) return "There is no machine any more.\n";
  const auto place = place_of(pid);
  const std::string_view name = next_word(command);
  if (name == "help" || name.empty()) return std::string(kHelp);
  if (name == "cycle") return fmt::format("cycle {}\n", machine_->now());
  if (name == "who") return who();
  if (name == "waits") return waits(next_word(command) == "all" ? std::nullopt : place);
  if (!place) return "No hart is attached. 'info os processes' lists them, 'attach PID' takes one.\n";
  stops(*place).catch_up();
  if (name == "where") return where(*place);
  if (name == "disassemble") return disassemble(*place, command);
  if (name == "sem") return semaphores(*place);
  if (name == "noc") return noc(*place);
  if (name == "dst") return dst(*place, command);
  return fmt::format("There is no 'monitor {}'. 'monitor help' lists what there is.\n", name);
}

std::string MachineTarget::where(const Place& place) {
  const emu::Hart& of = hart(place);
  const Code* const code = code_of(place);
  const uint32_t pc = of.state().pc;
  std::string out = fmt::format("{}: {}\n", name(pid_of(place.tile, place.hart)), of.describe());
  if (code) {
    const std::string place_in_code = code->image->describe(pc);
    out += fmt::format("  {}: {}\n", code->image->name,
                       place_in_code.empty() ? "pc is not in it: the firmware runs" : place_in_code);
  }
  return out;
}

// Asking every tile would bring those to the present that are in the middle of their window.
std::string MachineTarget::who() {
  if (!write_) return "The run has not stopped at a watchpoint.\n";
  if (const Pid pid = pid_of(*write_); pid != 0) return where(*place_of(pid));
  const std::string agent(write_->agent == emu::Agent::Inbox ? "a packet, or the NoC's atomic"
                                                             : emu::name(write_->agent));
  return fmt::format("{}, in the tile of {}\n", agent, name(pid_of(write_->tile, arch::Hart::Brisc)));
}

std::string MachineTarget::waits(const std::optional<Place>& place) {
  if (!place) {
    if (running_) return "A hart is in the middle of a window: 'monitor waits' tells of its tile.\n";
    return emu::text(machine_->waits());
  }
  std::vector<emu::AgentWait> agents = tile(place->tile).describe_waits();
  if (agents.empty()) return "Nobody waits here.\n";
  const std::string of = machine_->chip(place->tile.chip).geometry.describe(place->tile);
  return emu::text({{place->tile, of, std::move(agents)}});
}

std::string MachineTarget::disassemble(const Place& place, std::string_view arguments) {
  const std::string_view begin = next_word(arguments), length = next_word(arguments);
  const auto address = begin.empty() || begin == "pc" ? std::optional(hart(place).state().pc) : count_in(begin);
  const auto count = length.empty() ? std::optional(8u) : count_in(length);
  if (!address || !count) return "monitor disassemble [ADDRESS [COUNT]]: numbers, decimal or 0x...\n";
  const Code* const code = code_of(place);
  const emu::L1& l1 = tile(place.tile).l1();
  std::string out;
  for (uint32_t i = 0; i < std::min(*count, 1024u); ++i) {
    const uint32_t at = (*address & ~3u) + 4 * i;
    if (!emu::L1::contains(at, 4)) break;
    const auto word = l1.load<uint32_t>(at);
    const std::string source = code ? code->image->describe(at) : "";
    out += fmt::format("{} {:#010x}  {:08x}  {:<40} {}\n", at == hart(place).state().pc ? "=>" : "  ", at, word,
                       isa::disassemble(word, at), source);
  }
  return out.empty() ? "Code lies in L1 only.\n" : out;
}

std::string MachineTarget::semaphores(const Place& place) {
  std::string out;
  for (unsigned i = 0; i < emu::tensix::Semaphores::kCount; ++i) {
    const emu::tensix::Semaphore& semaphore = tile(place.tile).coprocessor().state.semaphores[i];
    out += fmt::format("semaphore {}  value {:2}  maximum {:2}\n", i, semaphore.value, semaphore.max);
  }
  return out;
}

std::string MachineTarget::noc(const Place& place) {
  namespace niu = arch::niu;
  constexpr std::pair<niu::Counter, const char*> kShown[] = {
      {niu::kMstRdReqSent, "reads sent"},
      {niu::kMstRdRespReceived, "read responses received"},
      {niu::kMstNonpostedWrReqSent, "writes sent"},
      {niu::kMstWrAckReceived, "write acknowledgements received"},
      {niu::kMstPostedWrReqSent, "posted writes sent"},
      {niu::kMstNonpostedAtomicSent, "atomics sent"},
      {niu::kMstAtomicRespReceived, "atomic responses received"},
  };
  std::string out;
  for (int noc = 0; noc < arch::kNocs; ++noc) {
    const emu::Niu& of = tile(place.tile).niu(noc);
    out += fmt::format("NoC {}\n", noc);
    for (const auto& [counter, what] : kShown) out += fmt::format("  {:<32} {:10}\n", what, of.counter(counter));
    const std::string outstanding = of.describe();
    out += fmt::format("  {}\n", outstanding.empty() ? "nothing outstanding" : outstanding);
  }
  return out;
}

std::string MachineTarget::dst(const Place& place, std::string_view arguments) {
  const std::string_view begin = next_word(arguments), length = next_word(arguments);
  const auto first = begin.empty() ? std::optional(0u) : count_in(begin);
  const auto count = length.empty() ? std::optional(8u) : count_in(length);
  if (!first || !count) return "monitor dst [FIRST [COUNT]]: numbers of rows, decimal or 0x...\n";
  const emu::tensix::Dst& rows = tile(place.tile).coprocessor().state.dst;
  std::string out;
  for (uint32_t row = *first; row < std::min<uint64_t>(uint64_t{*first} + *count, emu::tensix::Dst::kRows); ++row) {
    out += fmt::format("{:4}{}", row, rows.valid(row) ? " " : "-");
    for (unsigned i = 0; i < emu::tensix::Dst::kColumns; ++i) out += fmt::format(" {:04x}", rows.row(row)[i]);
    out += '\n';
  }
  return out.empty() ? fmt::format("Dst has rows 0 to {}.\n", emu::tensix::Dst::kRows - 1) : out;
}

}  // namespace kerr::debug
