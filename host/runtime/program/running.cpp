#include "host/runtime/program/running.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "arch/hang_question.hpp"
#include "arch/sync.hpp"
#include "host/device/hang_explainer.hpp"
#include "isa/riscv/instructions.hpp"

namespace kerr::host {
namespace {

const PlacedKernel* kernel_at(const RunningProgram::Group& group, int hart, uint32_t pc) {
  for (const PlacedKernel& kernel : group.kernels) {
    if (static_cast<int>(kernel.hart) == hart && pc - kernel.text_address < kernel.image->segments[0].memory_bytes) {
      return &kernel;
    }
  }
  return nullptr;
}

// "f()+0x8  f.cpp:3", or as much of it as is known.
std::string place_in(const PlacedKernel& kernel, uint32_t pc) {
  return kernel.image->describe(pc - kernel.text_address + kernel.image->segments[0].address);
}

// What a thread of the coprocessor waits for at a hardware semaphore, as compute kernels use those.
// docs/hardware/kernels.md 2.7
struct SemaphoreUse {
  std::string_view thread;
  arch::Semaphore semaphore;
  const char* meaning;
};
constexpr SemaphoreUse kSemaphoreUses[] = {
    {"T0", arch::Semaphore::MathDone, "MATH_DONE: unpack waits for math to give it a tile of Dst"},
    {"T1", arch::Semaphore::MathPack, "MATH_PACK: math waits for pack to release a half of Dst (tile_regs_release)"},
    {"T1", arch::Semaphore::UnpackToDest, "UNPACK_TO_DEST: math waits for unpack to fill a tile of Dst"},
    {"T2", arch::Semaphore::MathPack, "MATH_PACK: pack waits for math to commit a half of Dst (tile_regs_commit)"},
};

std::string meaning_of_semaphores(const DeviceStatus::Waiting& waiting) {
  std::string text;
  for (const SemaphoreUse& use : kSemaphoreUses) {
    if (use.thread == waiting.agent && (waiting.semaphores >> static_cast<unsigned>(use.semaphore) & 1) != 0)
      text += fmt::format(" = {}", use.meaning);
  }
  return text;
}

// The line of one agent, or nothing if it is idle firmware.
std::string line_of(const RunningProgram& program, const RunningProgram::Group& group,
                    const DeviceStatus::Waiting& waiting) {
  if (waiting.hart < 0)
    return fmt::format("    {:<7} {}{}\n", waiting.agent, waiting.text, meaning_of_semaphores(waiting));
  const PlacedKernel* kernel = kernel_at(group, waiting.hart, waiting.pc);
  if (kernel == nullptr) return {};
  std::string line = fmt::format("    {:<7} kernel '{}' {}", waiting.agent, kernel->image->name, waiting.text);
  for (const uint32_t address : waiting.l1) {
    const uint32_t offset = address - program.semaphore_address;
    if (offset / RunningProgram::kSemaphoreStride < program.semaphores) {
      line += fmt::format(" = semaphore {} of the program", offset / RunningProgram::kSemaphoreStride);
    }
  }
  const std::string place = place_in(*kernel, waiting.pc);
  if (!place.empty()) line += "\n            at " + place;
  return line + "\n";
}

// "at f()+0x8  f.cpp:3" of the instruction that pushes `word`, if the kernel has it; of several the first. The kernel
// need not have it: an expander makes words, and a store pushes what was computed.
std::string pushed_at(const PlacedKernel& kernel, uint32_t word) {
  const image::Image& image = *kernel.image;
  const uint32_t wanted = isa::riscv::encode({.op = isa::riscv::Op::Ttinsn, .imm = static_cast<int32_t>(word)});
  std::string first;
  size_t places = 0;
  for (uint32_t at = 0; at + 4 <= image.segments[0].bytes.size(); at += 4) {
    uint32_t found;
    std::memcpy(&found, image.segments[0].bytes.data() + at, 4);
    if (found != wanted) continue;
    if (places++ == 0) first = image.describe(image.segments[0].address + at);
  }
  if (places == 0) return {};
  if (first.empty()) first = "an instruction of it";
  return places == 1 ? "pushed at " + first : fmt::format("pushed at one of {} places, the first {}", places, first);
}

bool has(const std::vector<arch::NocCoord>& cores, arch::NocCoord core) {
  return std::find(cores.begin(), cores.end(), core) != cores.end();
}

// Whose kernel it was and where in it.
struct Culprit {
  const PlacedKernel* kernel;
  bool certain;
  std::string place;
};

std::optional<Culprit> culprit(const RunningProgram& program, const DeviceStatus::Faulted& fault) {
  const int hart = fault.thread >= 0 ? static_cast<int>(arch::Hart::Trisc0) + fault.thread : fault.hart;
  for (const RunningProgram::Group& group : program.groups) {
    if (hart < 0 || !has(group.cores, fault.tile)) continue;
    if (const PlacedKernel* kernel = kernel_at(group, hart, fault.pc)) {
      if (fault.thread < 0) {
        const std::string place = place_in(*kernel, fault.pc);
        return Culprit{kernel, true, place.empty() ? "" : "at " + place};
      }
      const std::string pushed = pushed_at(*kernel, fault.word);
      const std::string by_now = place_in(*kernel, fault.pc);
      if (!pushed.empty() || by_now.empty()) return Culprit{kernel, true, pushed};
      return Culprit{kernel, true, "which is by now at " + by_now};
    }
    for (const PlacedKernel& kernel : group.kernels) {
      if (static_cast<int>(kernel.hart) != hart) continue;
      if (fault.thread < 0) return Culprit{&kernel, false, fmt::format("which has left its code: pc {:#x}", fault.pc)};
      const std::string pushed = pushed_at(kernel, fault.word);
      return Culprit{&kernel, !pushed.empty(), pushed};
    }
  }
  return {};
}

}  // namespace

RunningProgram::RunningProgram(const Program& program, const LaunchPlan& plan) : name(program.name()) {
  for (const KernelGroup& group : plan.groups) groups.push_back({group.cores, group.kernels, group.launch});
  for (const auto& [id, buffer] : program.circular_buffers()) circular_buffers.push_back(buffer.config);
  if (plan.groups.empty()) return;
  const arch::LaunchMessage& launch = plan.groups.front().launch;
  semaphores = static_cast<uint32_t>(program.semaphores().size());
  semaphore_address = launch.kernel_config_base[0] + launch.sem_offset[0];
}

namespace {

// Sections of the kernel-config area, which all have the length of the longest of any core.
uint32_t words_behind(const arch::LaunchMessage& launch, uint32_t offset) {
  uint32_t end = launch.sem_offset[0];
  for (const arch::RtaOffset& of : launch.rta_offset) {
    if (of.rta > offset) end = std::min<uint32_t>(end, of.rta);
    if (of.crta > offset) end = std::min<uint32_t>(end, of.crta);
  }
  return end > offset ? (end - offset) / 4 : 0;
}

}  // namespace

arch::note::Launched RunningProgram::note() const {
  arch::note::Launched note;
  note.program = name;
  for (const Group& group : groups) {
    arch::note::Launched::Group& out = note.groups.emplace_back();
    out.cores = group.cores;
    const uint32_t base = group.launch.kernel_config_base[0];
    for (const PlacedKernel& placed : group.kernels) {
      const image::Segment& text = placed.image->segments[0];
      const arch::RtaOffset args = group.launch.rta_offset[static_cast<size_t>(placed.hart)];
      out.kernels.push_back(
          {.hart = placed.hart,
           .code = {placed.image->name, placed.text_address, text.memory_bytes, placed.image, text.address},
           .args_address = base + args.rta,
           .common_args_address = base + args.crta,
           .args_words = std::vector<uint32_t>(group.cores.size(), words_behind(group.launch, args.rta)),
           .common_args_words = words_behind(group.launch, args.crta)});
    }
  }
  for (const CircularBuffer& c : circular_buffers)
    note.circular_buffers.push_back({c.id, 0, c.pages * c.page_bytes, c.pages, c.page_bytes});
  for (uint32_t i = 0; i < semaphores; ++i) note.semaphores.push_back({semaphore_address + kSemaphoreStride * i, 0});
  return note;
}

std::string why_nothing_moves(PcieDevice& device, const RunningProgram& program,
                              const std::function<bool(arch::NocCoord)>& is_done) {
  HangExplainer* const explainer = HangExplainer::of(device);
  if (explainer == nullptr) return {};
  std::vector<arch::NocCoord> unfinished;
  for (const RunningProgram::Group& group : program.groups)
    std::ranges::copy_if(group.cores, std::back_inserter(unfinished),
                         [&](arch::NocCoord core) { return !is_done(core); });
  if (unfinished.empty()) return {};
  arch::HangQuestion question;
  question.programs.push_back({program.note(), std::move(unfinished)});
  return explainer->why_nothing_moves(question);
}

std::string explain(const RunningProgram& program, const std::function<bool(arch::NocCoord)>& is_done,
                    const DeviceStatus& status) {
  std::map<arch::NocCoord, std::vector<const DeviceStatus::Waiting*>> by_tile;
  for (const DeviceStatus::Waiting& waiting : status.waiting) by_tile[waiting.tile].push_back(&waiting);
  std::vector<std::pair<std::string, std::vector<arch::NocCoord>>> alike;  // lines, and the cores they are true of
  for (const RunningProgram::Group& group : program.groups) {
    for (arch::NocCoord core : group.cores) {
      if (is_done(core)) continue;
      std::string lines;
      for (const DeviceStatus::Waiting* waiting : by_tile[core]) lines += line_of(program, group, *waiting);
      if (lines.empty()) continue;
      auto same = std::find_if(alike.begin(), alike.end(), [&](const auto& a) { return a.first == lines; });
      if (same == alike.end()) same = alike.insert(alike.end(), {lines, {}});
      same->second.push_back(core);
    }
  }
  std::string out;
  for (const auto& [lines, cores] : alike) {
    out += fmt::format("  core ({},{})", cores[0].x, cores[0].y);
    if (cores.size() > 1) out += fmt::format(" and {} more alike", cores.size() - 1);
    out += "\n" + lines;
  }
  return out.empty() ? out : fmt::format("program '{}' is stuck:\n{}", program.name, out);
}

std::optional<ProgramFault> explain_fault(const RunningProgram& program, const DeviceStatus& status) {
  std::optional<ProgramFault> out;
  for (const DeviceStatus::Faulted& fault : status.faults) {
    const std::optional<Culprit> found = culprit(program, fault);
    if (!found) continue;
    const std::string& kernel = found->kernel->image->name;
    const std::string who = fault.thread < 0 ? fmt::format("kernel '{}'", kernel)
                                             : fmt::format("fed by kernel '{}' of TRISC{}", kernel, fault.thread);
    const std::string instruction = fault.instruction.empty() ? "" : ", " + fault.instruction;
    if (!out) {
      out = {found->certain,
             fmt::format("program '{}': core ({},{}) {}, {}{}{}{}: {}", program.name, fault.tile.x, fault.tile.y,
                         fault.agent, who, found->place.empty() ? "" : " ", found->place, instruction, fault.cause),
             fmt::format("program '{}' has faulted:\n", program.name)};
    }
    out->lines +=
        fmt::format("  core ({},{})\n    {:<7} {}{}\n", fault.tile.x, fault.tile.y, fault.agent, who, instruction);
    if (!found->place.empty()) out->lines += "            " + found->place + "\n";
    out->lines += "            " + fault.cause + "\n";
  }
  return out;
}

}  // namespace kerr::host
