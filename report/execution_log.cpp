#include "report/execution_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include "isa/disassembler.hpp"
#include "isa/riscv/instructions.hpp"
#include "isa/riscv/registers.hpp"

namespace kerr::report {

namespace {

constexpr size_t kLinesBytes = 1 << 16;  // that are collected before they are written
constexpr size_t kMostTexts = 1 << 16;   // code that overwrites itself could have any number

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

}  // namespace

void ExecutionLog::follow(emu::Tile& tile, HartCode code) {
  index_[place_of(tile.id().node, code.hart)] = static_cast<uint16_t>(followed_.size());
  const std::string core = fmt::format("core {},{} ", code.core.x, code.core.y);
  const int thread = emu::thread_of(code.hart);
  Followed& followed = followed_.emplace_back(
      Followed{.state = tile.hart(code.hart).state(),
               .code = std::move(code),
               .hart_prefix = {},
               .thread_prefix = thread < 0 ? "" : core + lower_case(emu::name(emu::agent_of_thread(thread))),
               .run = {}});
  followed.hart_prefix = core + lower_case(emu::name(emu::agent_of(followed.code.hart)));
}

const HartRun* ExecutionLog::run(arch::NocCoord core, arch::Hart hart) const {
  for (const Followed& f : followed_)
    if (f.code.core == core && f.code.hart == hart) return f.run.instructions == 0 ? nullptr : &f.run;
  return nullptr;
}

void ExecutionLog::flush() {
  if (write_ && !lines_.empty()) write_(lines_);
  lines_.clear();
}

ExecutionLog::Followed* ExecutionLog::find(emu::TileId tile, arch::Hart hart) {
  if (tile.chip != 0) return nullptr;
  const uint16_t at = index_[place_of(tile.node, hart)];
  return at == kNobody ? nullptr : &followed_[at];
}

const ExecutionLog::Text& ExecutionLog::text_of(uint32_t pc, uint32_t word) {
  const uint64_t key = uint64_t{pc} << 32 | word;
  if (const auto found = texts_.find(key); found != texts_.end()) return found->second;
  if (texts_.size() >= kMostTexts) texts_.clear();
  Text text{isa::disassemble(word, pc)};
  const isa::riscv::Instruction i = isa::riscv::decode(word);
  for (const isa::riscv::Operand operand : isa::riscv::syntax(isa::riscv::row(i.op).format)) {
    if (operand == isa::riscv::Operand::Rd && i.rd != 0) text.integer = static_cast<int8_t>(i.rd);
    if (operand == isa::riscv::Operand::Fd) text.floating = static_cast<int8_t>(i.rd);
  }
  return texts_.emplace(key, std::move(text)).first->second;
}

void ExecutionLog::add_line(const Followed& hart, emu::Cycle cycle, uint32_t pc, uint32_t word) {
  auto out = std::back_inserter(lines_);
  if (const auto label = hart.code.labels.find(pc); label != hart.code.labels.end())
    fmt::format_to(out, "{}: >>>>  {}\n", hart.hart_prefix, label->second);
  const Text& text = text_of(pc, word);
  fmt::format_to(out, "{}: {:#010x} ({:#010x}) {:<32} # {}", hart.hart_prefix, pc, word, text.text, cycle);
  if (text.integer >= 0) {
    const auto number = static_cast<uint8_t>(text.integer);
    fmt::format_to(out, " {} = {:#010x}", isa::name(isa::Reg{number}), hart.state.x[number]);
  } else if (text.floating >= 0) {
    const auto number = static_cast<uint8_t>(text.floating);
    fmt::format_to(out, " {} = {:#010x}", isa::name(isa::FReg{number}), hart.state.f[number]);
  }
  lines_ += '\n';
  if (lines_.size() >= kLinesBytes) flush();
}

void ExecutionLog::retired(const emu::Actor& who, uint32_t pc, uint32_t word) {
  const auto hart = static_cast<arch::Hart>(static_cast<int>(who.agent) - static_cast<int>(emu::Agent::Brisc));
  Followed* const followed = find(who.tile, hart);
  if (followed == nullptr || pc - followed->code.begin >= followed->code.end - followed->code.begin) return;
  HartRun& run = followed->run;
  if (run.instructions++ == 0) run.first = who.cycle;
  run.last = who.cycle;
  run.pc = pc;
  run.x = followed->state.x;
  run.f = followed->state.f;
  if (write_) add_line(*followed, who.cycle, pc, word);
}

void ExecutionLog::issued(const emu::Actor& who, uint32_t word) {
  if (!write_) return;
  const int thread = static_cast<int>(who.agent) - static_cast<int>(emu::Agent::Thread0);
  const Followed* const followed =
      find(who.tile, static_cast<arch::Hart>(static_cast<int>(arch::Hart::Trisc0) + thread));
  if (followed == nullptr) return;
  fmt::format_to(std::back_inserter(lines_), "{}: {:>12} ({:#010x}) {:<32} # {}\n", followed->thread_prefix, "", word,
                 isa::disassemble_tensix(word), who.cycle);
  if (lines_.size() >= kLinesBytes) flush();
}

}  // namespace kerr::report
