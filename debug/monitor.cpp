// `monitor COMMAND`.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <exception>

#include "arch/noc_registers.hpp"
#include "arch/tensix_config.hpp"
#include "check/report/places.hpp"
#include "debug/hex.hpp"
#include "debug/machine_target.hpp"
#include "debug/timeline.hpp"
#include "emu/machine/waits.hpp"
#include "emu/observe/agent_names.hpp"
#include "emu/tensix/coprocessor.hpp"
#include "hang/buffers.hpp"
#include "hang/report.hpp"
#include "isa/disassembler.hpp"

namespace kerr::debug {

namespace {

constexpr std::string_view kHelp =
    "Of the hart that is shown (info inferiors):\n"
    "  monitor where                   kernel, function and line; what it waits for\n"
    "  monitor waits                   what each agent of its tile waits for\n"
    "  monitor why                     what it waits for, who should bring that, and who is to blame in the end\n"
    "  monitor cb                      the circular buffers of its tile, and who waits at them\n"
    "  monitor timeline [CYCLES]       what the agents of its tile did in the last cycles (2000)\n"
    "  monitor events [COUNT]          waits that it has come through, what it changed that others wait for, packets "
    "(12)\n"
    "  monitor sem                     the coprocessor's semaphores: value and maximum\n"
    "  monitor noc                     counters of both NIUs of its tile\n"
    "  monitor dst [FIRST [COUNT]] [as bf16|fp16|fp32|int32]\n"
    "                                  rows of Dst: 16 cells of 16 bits as they are stored, or numbers; -: not valid\n"
    "  monitor srca|srcb [BANK [FIRST [COUNT]]]   rows of SrcA or SrcB: 16 cells of 19 bits as they are stored\n"
    "  monitor cfg WORDS               fields of the configuration that its thread sees whose names contain the words\n"
    "  monitor disassemble [ADDRESS [COUNT]]   from pc, 8 words, with Tensix words in full\n"
    "  monitor who                     who made the access at which a watchpoint has just stopped\n"
    "  monitor dram [BANK FIRST]       at which addresses gdb sees the banks of DRAM; shows a bank from byte FIRST on\n"
    "Of the machine:\n"
    "  monitor waits all               what each agent of every tile waits for\n"
    "  monitor cycle                   device time\n"
    "  monitor goto CYCLE              of a recorded run: the next 'continue' goes there, forwards or backwards\n"
    "Nothing of this changes the run.\n";

constexpr emu::Cycle kTimelineCycles = 2000, kMostTimelineCycles = 10'000'000;
constexpr size_t kTimelineLines = 80, kEvents = 12;
constexpr std::string_view kNoHistory =
    "This run keeps no history: 'kerr debug' does with --hang-history, and of recorded runs, a host of one's own with "
    "KERR_HANG_HISTORY=1.\n";

constexpr uint32_t kSrcRows = emu::math::kSrcRows;

// A cell of Dst, or two that are one number, as a number.
std::string number_of(std::string_view format, uint16_t cell, uint32_t both) {
  namespace math = emu::math;
  if (format == "int32") {
    const uint32_t bits = math::decode_32(both), magnitude = bits & 0x7FFF'FFFF;  // sign and magnitude
    return fmt::format("{}{}", bits >> 31 && magnitude ? "-" : "", magnitude);
  }
  if (format == "fp32") return fmt::format("{:g}", std::bit_cast<float>(math::decode_32(both)));
  if (format == "bf16") return fmt::format("{:g}", std::bit_cast<float>(uint32_t{math::decode_bf16(cell)} << 16));
  const uint16_t bits = math::decode_fp16(cell);
  const int exponent = bits >> 10 & 31, mantissa = bits & 0x3FF;
  const double size = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 0x400, exponent - 25);
  return fmt::format("{:g}", bits >> 15 ? -size : size);
}

std::optional<emu::Cycle> number_of_cycle(std::string_view text) {
  const int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  emu::Cycle out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, base);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(out) : std::nullopt;
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
  if (name == "goto") return go_to(command);
  if (!place) return "No hart is attached. 'info os processes' lists them, 'attach PID' takes one.\n";
  stops(*place).catch_up();
  if (name == "where") return where(*place);
  if (name == "disassemble") return disassemble(*place, command);
  if (name == "why") return why(*place);
  if (name == "cb") return hang::buffers(*machine_, launches_.question(*machine_), place->tile);
  if (name == "timeline") return timeline(*place, command);
  if (name == "events") return events(*place, command);
  if (name == "sem") return semaphores(*place);
  if (name == "noc") return noc(*place);
  if (name == "dst") return dst(*place, command);
  if (name == "srca" || name == "srcb") return source(*place, name == "srca", command);
  if (name == "cfg") return configuration(*place, command);
  if (name == "dram") return dram(*place, command);
  return fmt::format("There is no 'monitor {}'. 'monitor help' lists what there is.\n", name);
}

std::string MachineTarget::where(const Place& place) {
  const emu::Hart& of = hart(place);
  const std::shared_ptr<const image::Image> code = image_of(place);
  const uint32_t pc = of.state().pc;
  std::string out = fmt::format("{}: {}\n", name(pid_of(place.tile, place.hart)), of.describe());
  if (code) {
    const std::string place_in_code = code->describe(pc);
    out += fmt::format("  {}: {}\n", code->name,
                       place_in_code.empty() ? "pc is not in it: the firmware runs" : place_in_code);
  }
  return out;
}

// What a window or a call of the host's has begun is not looked at as a whole: that would hand on what it has sent.
std::string MachineTarget::why(const Place& place) {
  const bool whole = !running_ && !access_;
  return hang::why(*machine_, launches_.question(*machine_), place.tile, place.hart, whole, history_);
}

// Asking every tile would bring those to the present that are in the middle of their window.
std::string MachineTarget::who() {
  if (!access_) return "The run has not stopped at a watchpoint.\n";
  if (const Pid pid = pid_of(*access_); pid != 0) return where(*place_of(pid));
  const std::string verb = access_->why == emu::Stop::Why::Read ? "reads" : "writes";
  const emu::NocGeometry& geometry = machine_->chip(access_->tile.chip).geometry;
  if (access_->agent == emu::Agent::Host)
    return fmt::format("the host {}, at {}\n", verb, geometry.describe(access_->tile));
  if (!access_->sender)
    return fmt::format("{} {}, in {}{}\n", emu::name(access_->agent), verb, machine_->name_of_chip(access_->tile.chip),
                       geometry.describe(access_->tile));
  const emu::NocGeometry& of_sender = machine_->chip(access_->sender->chip).geometry;
  return fmt::format("a packet of {}{} {}, at {}\n", machine_->name_of_chip(access_->sender->chip),
                     of_sender.describe(*access_->sender), verb, geometry.describe(access_->tile));
}

std::string MachineTarget::waits(const std::optional<Place>& place) {
  if (!place) return emu::text(machine_->waits());
  std::vector<emu::AgentWait> agents = tile(place->tile).describe_waits();
  if (agents.empty()) return "Nobody waits here.\n";
  const std::string of =
      machine_->name_of_chip(place->tile.chip) + machine_->chip(place->tile.chip).geometry.describe(place->tile);
  return emu::text({{place->tile, of, std::move(agents)}});
}

// In a recorded run on another machine, which has an observer; what the tile has yet to do there is left out.
std::string MachineTarget::timeline(const Place& place, std::string_view arguments) {
  const std::string_view length = next_word(arguments);
  const auto cycles = length.empty() ? std::optional(uint32_t{kTimelineCycles}) : count_in(length);
  if (!cycles || *cycles == 0 || *cycles > kMostTimelineCycles || !arguments.empty())
    return fmt::format("monitor timeline [CYCLES]: a number of cycles up to {}, decimal or 0x...\n",
                       kMostTimelineCycles);
  const check::Places places(machine_->options().boards);
  const arch::HangQuestion question = launches_.question(*machine_);
  const emu::Cycle end = position(place), begin = end - std::min<emu::Cycle>(end, *cycles);
  const auto text_of = [&](emu::Machine& machine, const report::Timeline& timeline, const hang::History& history) {
    std::vector<HartEvent> events;
    for (int i = 0; i < harts_of(place.tile); ++i) {
      const auto of = static_cast<arch::Hart>(i);
      const std::string who(emu::name(place.tile, emu::agent_of(of)));
      for (hang::Event& event : hang::events(machine, question, history, place.tile, of, kTimelineLines))
        events.push_back({who, std::move(event)});
    }
    return timeline_text(timeline, events, places, place.tile, begin, end, kTimelineLines);
  };
  std::string out =
      fmt::format("{}, cycles {} to {}\n", places.text(place.tile), check::grouped(begin), check::grouped(end));
  if (repetition_ != nullptr) {
    TileWatch watch(machine_->options(), place.tile, end);
    out += repeated(begin, watch,
                    [&](emu::Machine& machine) { return text_of(machine, watch.timeline(), watch.history()); });
  } else {
    out += history_ == nullptr ? std::string(kNoHistory) : text_of(*machine_, report::Timeline(), *history_);
    const std::string requests = hang::requests(*machine_, question, place.tile);
    if (!requests.empty()) out += "Last requests of each command buffer:\n" + requests;
  }
  return out + "Now:\n" + waits(place);
}

std::string MachineTarget::events(const Place& place, std::string_view arguments) {
  const std::string_view most = next_word(arguments);
  const auto count = most.empty() ? std::optional(uint32_t{kEvents}) : count_in(most);
  if (!count || !arguments.empty()) return "monitor events [COUNT]: how many, decimal or 0x...\n";
  const arch::HangQuestion question = launches_.question(*machine_);
  const auto text_of = [&](emu::Machine& machine, const hang::History& history) {
    std::string out;
    for (const hang::Event& event : hang::events(machine, question, history, place.tile, place.hart, *count))
      out += hang::text(event) + "\n";
    return out.empty() ? "Nothing of what it runs is known.\n" : out;
  };
  if (repetition_ != nullptr) {
    TileWatch watch(machine_->options(), place.tile, position(place));
    return repeated(position(place), watch, [&](emu::Machine& machine) { return text_of(machine, watch.history()); });
  }
  return history_ == nullptr ? std::string(kNoHistory) : text_of(*machine_, *history_);
}

emu::Cycle MachineTarget::position(const Place& place) {
  return running_ == place.tile ? std::max(machine_->now(), hart(place).state().cycle) : machine_->now();
}

// To the end of the window in which the machine stands.
std::string MachineTarget::repeated(emu::Cycle begin, emu::Observer& observer,
                                    const std::function<std::string(emu::Machine&)>& text_of) {
  const emu::Cycle now = machine_->now();
  std::string out;
  try {
    repetition_->repeat(std::min(begin, now), running_ ? now + machine_->options().window() : now, observer,
                        [&](emu::Machine& machine) { out = text_of(machine); });
  } catch (const std::exception& error) {
    return fmt::format("The run cannot be repeated: {}\n", error.what());
  }
  return out;
}

std::string MachineTarget::go_to(std::string_view arguments) {
  const auto cycle = number_of_cycle(next_word(arguments));
  if (!is_recorded_) return "Only a recorded run can be gone through: kerr debug LOG, or --record.\n";
  if (!cycle || !arguments.empty()) return "monitor goto CYCLE: a number, decimal or 0x...\n";
  goes_to_ = *cycle;
  return fmt::format("The next 'continue' goes to cycle {}, past all breakpoints.\n", check::grouped(*cycle));
}

std::string MachineTarget::disassemble(const Place& place, std::string_view arguments) {
  const std::string_view begin = next_word(arguments), length = next_word(arguments);
  const auto address = begin.empty() || begin == "pc" ? std::optional(hart(place).state().pc) : count_in(begin);
  const auto count = length.empty() ? std::optional(8u) : count_in(length);
  if (!address || !count) return "monitor disassemble [ADDRESS [COUNT]]: numbers, decimal or 0x...\n";
  const std::shared_ptr<const image::Image> code = image_of(place);
  const emu::L1& l1 = tile(place.tile).l1();
  std::string out;
  for (uint32_t i = 0; i < std::min(*count, 1024u); ++i) {
    const uint32_t at = (*address & ~3u) + 4 * i;
    if (!emu::L1::contains(at, 4)) break;
    const auto word = l1.load<uint32_t>(at);
    const std::string source = code ? code->describe(at) : "";
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
  constexpr std::string_view kUsage =
      "monitor dst [FIRST [COUNT]] [as bf16|fp16|fp32|int32]: numbers of rows, decimal or 0x...\n";
  uint32_t numbers[2] = {0, 8};
  size_t given = 0;
  std::string_view word = next_word(arguments);
  for (; !word.empty() && word != "as"; word = next_word(arguments)) {
    const auto number = count_in(word);
    if (!number || given == 2) return std::string(kUsage);
    numbers[given++] = *number;
  }
  const std::string_view format = word.empty() ? "" : next_word(arguments);
  constexpr std::string_view kFormats[] = {"", "bf16", "fp16", "fp32", "int32"};
  if ((!word.empty() && format.empty()) || std::ranges::find(kFormats, format) == std::end(kFormats) ||
      !next_word(arguments).empty())
    return std::string(kUsage);
  const bool wide = format == "fp32" || format == "int32";
  const emu::tensix::State& state = tile(place.tile).coprocessor().state;
  const emu::tensix::Dst& dst = state.dst;
  const uint32_t rows = wide ? emu::tensix::Dst::kRows / 2 : emu::tensix::Dst::kRows;
  const int thread = std::max(0, emu::thread_of(place.hart));
  const emu::tensix::DstAddressing addressing = dst.addressing(state.config.seen_by(thread));
  std::string out;
  for (uint32_t row = numbers[0]; row < std::min<uint64_t>(uint64_t{numbers[0]} + numbers[1], rows); ++row) {
    const unsigned at = wide ? addressing.row_32(row) : format.empty() ? row : addressing.row_16(row);
    out += fmt::format("{:4}{}", row, dst.valid(at) ? " " : "-");
    for (unsigned i = 0; i < emu::tensix::Dst::kColumns; ++i) {
      const uint16_t cell = dst.row(at)[i];
      const uint32_t both = uint32_t{cell} << 16 | dst.row(at + emu::tensix::Dst::kLowHalf)[i];
      out += format.empty() ? fmt::format(" {:04x}", cell) : " " + number_of(format, cell, both);
    }
    out += '\n';
  }
  return out.empty() ? fmt::format("Dst has rows 0 to {}.\n", rows - 1) : out;
}

std::string MachineTarget::source(const Place& place, bool is_a, std::string_view arguments) {
  uint32_t numbers[3] = {0, 0, 8};
  emu::tensix::State& state = tile(place.tile).coprocessor().state;
  emu::tensix::SrcRegister& of = is_a ? state.src_a : state.src_b;
  numbers[0] = of.fpu_index();
  for (size_t given = 0; !arguments.empty(); ++given) {
    const auto number = count_in(next_word(arguments));
    if (!number || given == 3 || (given == 0 && *number > 1))
      return "monitor srca|srcb [BANK [FIRST [COUNT]]]: a bank, 0 or 1, and rows, decimal or 0x...\n";
    numbers[given] = *number;
  }
  const bool is_fpus = of.owner(numbers[0]) == emu::tensix::SrcRegister::Owner::Fpu;
  std::string out;
  for (uint32_t row = numbers[1]; row < std::min<uint64_t>(uint64_t{numbers[1]} + numbers[2], kSrcRows); ++row) {
    out += fmt::format("{:4} ", row);
    for (const auto cell : of.bank(numbers[0]).cells[row]) out += fmt::format(" {:05x}", static_cast<uint32_t>(cell));
    out += '\n';
  }
  if (out.empty()) return fmt::format("A bank has rows 0 to {}.\n", kSrcRows - 1);
  return fmt::format("bank {}, which belongs to {}\n{}", numbers[0], is_fpus ? "the matrix unit" : "the unpackers",
                     out);
}

std::string MachineTarget::configuration(const Place& place, std::string_view words) {
  if (words.empty()) return "monitor cfg WORDS: parts of names of fields, such as ALU_FORMAT\n";
  const emu::tensix::Config& config = tile(place.tile).coprocessor().state.config;
  const int thread = std::max(0, emu::thread_of(place.hart));
  std::vector<std::string_view> wanted;
  while (!words.empty()) wanted.push_back(next_word(words));
  std::string out;
  const auto show = [&](const arch::NamedConfigField& field, uint32_t value, const char* which) {
    const std::string_view name = field.name;
    if (!std::ranges::all_of(wanted, [&](std::string_view part) { return name.find(part) != name.npos; })) return;
    out += fmt::format("{:<52} {:#10x}   {} word {}\n", name, value, which, field.field.word);
  };
  for (const auto& field : arch::kGlobalConfigFields) show(field, config.seen_by(thread).get(field.field), "cfg");
  for (const auto& field : arch::kThreadConfigFields) show(field, config.thread(thread).get(field.field), "thcfg");
  return out.empty() ? "No field has such a name.\n" : out;
}

}  // namespace kerr::debug
