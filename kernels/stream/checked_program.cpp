#include "kernels/stream/checked_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "image/image.hpp"
#include "kernels/stream/effects.hpp"
#include "kernels/stream/waiting_loads.hpp"

namespace kerr::kernels {

using Kind = Effect::Kind;

host::Program::KernelId CheckedProgram::add_kernel(arch::Hart hart, const Kernel& kernel, const std::string& name,
                                                   std::span<const arch::NocCoord> cores, host::KernelOptions options) {
  effects_.push_back(kernel.effects);
  return program_.add_kernel(hart, image::Image::from(kernel.code, name), cores, options);
}

host::Program CheckedProgram::finish() && {
  OnCores cores;
  static const std::vector<uint32_t> kNoArguments;
  for (size_t i = 0; i < program_.kernels().size(); ++i) {
    const host::Program::Kernel& kernel = program_.kernels()[i];
    verify_waits(kernel);
    verify_hart(kernel, effects_[i]);
    for (const arch::NocCoord core : kernel.cores) {
      const auto args = kernel.args.find(core);
      cores[core].push_back({&kernel, &effects_[i], args == kernel.args.end() ? &kNoArguments : &args->second});
    }
  }
  for (const auto& [core, kernels] : cores) verify(core, kernels);
  verify_signals(cores);
  verify_multicasts(cores);
  return std::move(program_);
}

void CheckedProgram::refuse(arch::NocCoord core, const std::string& what) const {
  throw std::invalid_argument(
      fmt::format("program '{}' would hang or corrupt core ({},{}): {}", program_.name(), core.x, core.y, what));
}

uint32_t CheckedProgram::argument(arch::NocCoord core, const OnCore& k, int offset, bool common) const {
  const std::vector<uint32_t>& words = common ? k.kernel->common_args : *k.arguments;
  const auto index = static_cast<size_t>(offset) / 4;
  if (index < words.size()) return words[index];
  refuse(core, fmt::format("{} wants {} argument {}, and has {}", k.kernel->image->name, common ? "common" : "runtime",
                           index, words.size()));
}

uint64_t CheckedProgram::total(arch::NocCoord core, const OnCore& k, const Effect& e) const {
  uint64_t times = e.times.constant;
  for (const int offset : e.times.arguments) times *= argument(core, k, offset);
  return times * (e.kind == Kind::DstTile || e.kind == Kind::Dst32 || e.kind == Kind::Signal ? 1 : e.amount);
}

const host::Program::PlacedBuffer& CheckedProgram::buffer(arch::NocCoord core, const OnCore& k, uint32_t id) const {
  const auto found = program_.circular_buffers().find(static_cast<uint8_t>(id));
  if (found == program_.circular_buffers().end())
    refuse(core, fmt::format("{} uses circular buffer {}, which there is not", k.kernel->image->name, id));
  return found->second;
}

void CheckedProgram::verify_waits(const host::Program::Kernel& kernel) const {
  if (kernel.cores.empty()) return;
  for (const image::Segment& segment : kernel.image->segments) {
    std::vector<uint32_t> words(segment.bytes.size() / 4);
    std::memcpy(words.data(), segment.bytes.data(), 4 * words.size());
    for (const UselessWait& wait : useless_waits(words, segment.address)) {
      refuse(kernel.cores.front(),
             fmt::format("{} at {}: {}", kernel.image->name, kernel.image->describe(wait.address), wait.what));
    }
  }
}

void CheckedProgram::verify_hart(const host::Program::Kernel& kernel, std::span<const Effect> effects) const {
  for (const Effect& e : effects) {
    if (e.kind != Kind::OnHart || e.id == static_cast<uint32_t>(kernel.hart) || kernel.cores.empty()) continue;
    refuse(kernel.cores.front(),
           fmt::format("{} reads the DRAM tables of {} (the hart of its DramTiles) and runs on {}", kernel.image->name,
                       arch::kHartNames[e.id], arch::kHartNames[static_cast<size_t>(kernel.hart)]));
  }
}

// Where pages lie, what is stored beside them, and the other ends of their transfers.
void CheckedProgram::verify_addresses(arch::NocCoord core, const OnCore& k) const {
  const std::string& who = k.kernel->image->name;
  std::map<uint32_t, uint32_t> at_once;  // pages
  for (const Effect& e : *k.effects) {
    if (e.kind == Kind::Reserve || e.kind == Kind::Wait) at_once[e.id] = std::max(at_once[e.id], e.amount);
  }
  for (const Effect& e : *k.effects) {
    if (e.kind == Kind::Store) {
      const uint64_t bytes = uint64_t{at_once[e.id]} * buffer(core, k, e.id).config.page_bytes;
      if (e.amount > bytes) {
        refuse(core,
               fmt::format("{} stores {} bytes from its place in circular buffer {}, of which it holds {} at once", who,
                           e.amount, e.id, bytes));
      }
    }
    if (e.kind != Kind::Aligned) continue;
    const host::Program::PlacedBuffer& pages = buffer(core, k, e.id);
    const uint32_t other = argument(core, k, e.argument, e.common);
    const uint32_t size = pages.config.pages * pages.config.page_bytes;
    if ((pages.address - other) % e.amount != 0 || size % e.amount != 0) {
      refuse(core, fmt::format("{} moves pages between {:#x} ({} argument {}) and circular buffer {} at {:#x}, of {} "
                               "bytes: the NoC wants both ends equal modulo {}",
                               who, other, e.common ? "common" : "runtime", e.argument / 4, e.id, pages.address, size,
                               e.amount));
    }
  }
}

void CheckedProgram::verify(arch::NocCoord core, std::span<const OnCore> kernels) const {
  const auto refuse = [&](const std::string& what) { this->refuse(core, what); };
  std::map<uint32_t, EffectSum> buffers, semaphores;
  for (const OnCore& k : kernels) {
    const std::string& who = k.kernel->image->name;
    std::map<uint32_t, EffectSum> room, content;  // reserved and pushed; waited for and popped
    std::map<uint32_t, uint64_t> bytes, moved, straight;
    uint32_t tiles = 8;
    for (const Effect& e : *k.effects) {
      if (e.kind == Kind::Dst32) tiles = 4;
      if (e.kind == Kind::DstTile && e.amount >= tiles)
        refuse(fmt::format("{} uses tile {} of a section of Dst, which has {}", who, e.amount, tiles));
      if (e.kind > Kind::Bytes || e.kind == Kind::Signal || e.kind == Kind::Await) continue;
      const uint64_t count = total(core, k, e);
      if (e.kind == Kind::Post || e.kind == Kind::Get) {
        semaphores[e.id].add(e.kind == Kind::Post, count, who);
        continue;
      }
      const uint32_t pages = buffer(core, k, e.id).config.pages;
      if (e.kind == Kind::Bytes) {
        bytes[e.id] += count;
        continue;
      }
      if (e.kind == Kind::Pages) {
        if (e.amount == pages) continue;
        refuse(
            fmt::format("{} takes circular buffer {} for one of {} pages, and it has {}", who, e.id, e.amount, pages));
      }
      if (e.kind == Kind::Straight) {
        straight[e.id] = e.amount;
        continue;
      }
      if (e.amount > pages)
        refuse(
            fmt::format("{} wants {} pages of circular buffer {} at once, which has {}", who, e.amount, e.id, pages));
      if (pages % e.amount != 0) {
        refuse(fmt::format("{} moves blocks of {} pages through circular buffer {} of {}: a block would wrap inside",
                           who, e.amount, e.id, pages));
      }
      if (e.kind == Kind::Reserve || e.kind == Kind::Push) room[e.id].add(e.kind == Kind::Reserve, count, who);
      if (e.kind == Kind::Wait || e.kind == Kind::Pop) content[e.id].add(e.kind == Kind::Wait, count, who);
      if (e.kind == Kind::Push || e.kind == Kind::Pop) moved[e.id] += count;
      if (e.kind == Kind::Push || e.kind == Kind::Pop) buffers[e.id].add(e.kind == Kind::Push, count, who);
    }
    verify_addresses(core, k);
    for (const auto& [id, through] : bytes) {
      const uint64_t there = moved[id] * buffer(core, k, id).config.page_bytes;
      if (through > there) {
        refuse(fmt::format(
            "{} moves {} bytes through pages of circular buffer {} that have {}: the rest lies in others' L1", who,
            through, id, there));
      }
    }
    for (const auto& [id, most] : straight) {
      if (moved[id] > most) {
        refuse(fmt::format("{} moves {} pages through circular buffer {} of {}, and does not go round", who, moved[id],
                           id, most));
      }
    }
    for (const auto& [id, sum] : room) {
      if (sum.gives < sum.takes)
        refuse(fmt::format("{} pushes {} pages to circular buffer {}, but reserves {}", who, sum.takes, id, sum.gives));
    }
    for (const auto& [id, sum] : content) {
      if (sum.gives < sum.takes)
        refuse(
            fmt::format("{} pops {} pages from circular buffer {}, but waits for {}", who, sum.takes, id, sum.gives));
    }
  }
  for (const auto& [id, sum] : buffers) {
    if (!sum.even()) {
      refuse(fmt::format("circular buffer {} gets {} pages ({}) and loses {} ({})", id, sum.gives,
                         sum.givers.empty() ? "from nobody" : sum.givers, sum.takes,
                         sum.takers.empty() ? "to nobody" : sum.takers));
    }
  }
  for (const auto& [id, sum] : semaphores) {
    if (!sum.even()) {
      refuse(fmt::format("semaphore {} is posted {} times ({}) and got {} times ({})", id, sum.gives,
                         sum.givers.empty() ? "by nobody" : sum.givers, sum.takes,
                         sum.takers.empty() ? "by nobody" : sum.takers));
    }
  }
}

}  // namespace kerr::kernels
