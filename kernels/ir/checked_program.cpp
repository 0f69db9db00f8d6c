#include "kernels/ir/checked_program.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "image/image.hpp"

namespace kerr::kernels {

namespace {

using Kind = Effect::Kind;

std::uint64_t total(const Effect& e, const std::vector<std::uint32_t>& arguments) {
  std::uint64_t times = e.times.constant;
  for (const int offset : e.times.arguments) times *= arguments.at(static_cast<std::size_t>(offset) / 4);
  return times * (e.kind == Kind::DstTile || e.kind == Kind::Dst32 || e.kind == Kind::Signal ? 1 : e.amount);
}

// The tiles of a coordinate, or of a rectangle with either corner first (kernels/emit/multicast.hpp).
std::vector<arch::NocCoord> tiles_of(std::uint32_t packed) {
  const arch::NocCoord end = arch::NocCoord::unpack(packed);
  const arch::NocCoord start = packed >> 12 == 0 ? end : arch::NocCoord::unpack(packed >> 12);
  std::vector<arch::NocCoord> all;
  for (std::uint8_t y = std::min(start.y, end.y); y <= std::max(start.y, end.y); ++y) {
    for (std::uint8_t x = std::min(start.x, end.x); x <= std::max(start.x, end.x); ++x) all.push_back({x, y});
  }
  return all;
}

// How often one core's streams together do what belongs together, and who.
struct Sum {
  std::uint64_t gives = 0, takes = 0;
  std::string givers, takers;
  void add(bool gives_it, std::uint64_t count, const std::string& who) {
    (gives_it ? gives : takes) += count;
    std::string& names = gives_it ? givers : takers;
    if (names.find(who) == std::string::npos) names += (names.empty() ? "" : ", ") + who;
  }
};

}  // namespace

host::Program::KernelId CheckedProgram::add_kernel(arch::Hart hart, const Kernel& kernel, const std::string& name,
                                                   std::span<const arch::NocCoord> cores, host::KernelOptions options) {
  effects_.push_back(kernel.effects);
  return program_.add_kernel(hart, image::Image::from(kernel.code, name), cores, options);
}

host::Program CheckedProgram::finish() && {
  OnCores cores;
  static const std::vector<std::uint32_t> kNoArguments;
  for (std::size_t i = 0; i < program_.kernels().size(); ++i) {
    const host::Program::Kernel& kernel = program_.kernels()[i];
    for (const arch::NocCoord core : kernel.cores) {
      const auto args = kernel.args.find(core);
      cores[core].push_back({&kernel, &effects_[i], args == kernel.args.end() ? &kNoArguments : &args->second});
    }
  }
  for (const auto& [core, kernels] : cores) verify(core, kernels);
  verify_signals(cores);
  return std::move(program_);
}

void CheckedProgram::refuse(arch::NocCoord core, const std::string& what) const {
  throw std::invalid_argument(
      fmt::format("program '{}' would hang or corrupt core ({},{}): {}", program_.name(), core.x, core.y, what));
}

void CheckedProgram::verify_signals(const OnCores& cores) const {
  std::map<std::pair<arch::NocCoord, std::uint32_t>, Sum> semaphores;
  for (const auto& [core, kernels] : cores) {
    for (const OnCore& k : kernels) {
      const std::string& who = k.kernel->image->name;
      for (const Effect& e : *k.effects) {
        if (e.kind != Kind::Signal && e.kind != Kind::Await) continue;
        if (e.id >= program_.semaphores().size()) {
          refuse(core, fmt::format("{} uses semaphore {} of the program, which has {}", who, e.id,
                                   program_.semaphores().size()));
        }
        const std::uint64_t count = total(e, *k.arguments);
        if (e.kind == Kind::Await) {
          semaphores[{core, e.id}].add(false, count, who);
          continue;
        }
        const std::vector<arch::NocCoord> targets = tiles_of(k.arguments->at(static_cast<std::size_t>(e.argument) / 4));
        if (targets.size() != e.amount) {
          refuse(core, fmt::format("{} waits for {} tiles to take semaphore {} of the program, and sends it to {}", who,
                                   e.amount, e.id, targets.size()));
        }
        for (const arch::NocCoord target : targets) {
          semaphores[{target, e.id}].add(true, count, fmt::format("{} on ({},{})", who, core.x, core.y));
        }
      }
    }
  }
  for (const auto& [where, sum] : semaphores) {
    if (sum.gives == sum.takes) continue;
    refuse(where.first, fmt::format("semaphore {} of the program is raised {} times ({}) and waited for {} times ({})",
                                    where.second, sum.gives, sum.givers.empty() ? "by nobody" : sum.givers, sum.takes,
                                    sum.takers.empty() ? "by nobody" : sum.takers));
  }
}

void CheckedProgram::verify(arch::NocCoord core, std::span<const OnCore> kernels) const {
  const auto refuse = [&](const std::string& what) { this->refuse(core, what); };
  std::map<std::uint32_t, Sum> buffers, semaphores;
  for (const OnCore& k : kernels) {
    const std::string& who = k.kernel->image->name;
    std::map<std::uint32_t, Sum> room, content;  // reserved and pushed; waited for and popped
    std::map<std::uint32_t, std::uint64_t> bytes, moved;
    std::uint32_t tiles = 8;
    for (const Effect& e : *k.effects) {
      if (e.kind == Kind::Dst32) tiles = 4;
      if (e.kind == Kind::DstTile && e.amount >= tiles)
        refuse(fmt::format("{} uses tile {} of a section of Dst, which has {}", who, e.amount, tiles));
      if (e.kind > Kind::Bytes || e.kind == Kind::Signal || e.kind == Kind::Await) continue;
      const std::uint64_t count = total(e, *k.arguments);
      if (e.kind == Kind::Post || e.kind == Kind::Get) {
        semaphores[e.id].add(e.kind == Kind::Post, count, who);
        continue;
      }
      const auto buffer = program_.circular_buffers().find(static_cast<std::uint8_t>(e.id));
      if (buffer == program_.circular_buffers().end())
        refuse(fmt::format("{} uses circular buffer {}, which there is not", who, e.id));
      if (e.kind == Kind::Bytes) {
        bytes[e.id] += count;
        continue;
      }
      const std::uint32_t pages = buffer->second.config.pages;
      if (e.kind == Kind::Pages) {
        if (e.amount == pages) continue;
        refuse(
            fmt::format("{} takes circular buffer {} for one of {} pages, and it has {}", who, e.id, e.amount, pages));
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
    for (const auto& [id, through] : bytes) {
      const std::uint64_t there =
          moved[id] * program_.circular_buffers().at(static_cast<std::uint8_t>(id)).config.page_bytes;
      if (through > there) {
        refuse(fmt::format(
            "{} moves {} bytes through pages of circular buffer {} that have {}: the rest lies in others' L1", who,
            through, id, there));
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
    if (sum.gives != sum.takes) {
      refuse(fmt::format("circular buffer {} gets {} pages ({}) and loses {} ({})", id, sum.gives,
                         sum.givers.empty() ? "from nobody" : sum.givers, sum.takes,
                         sum.takers.empty() ? "to nobody" : sum.takers));
    }
  }
  for (const auto& [id, sum] : semaphores) {
    if (sum.gives != sum.takes) {
      refuse(fmt::format("semaphore {} is posted {} times ({}) and got {} times ({})", id, sum.gives,
                         sum.givers.empty() ? "by nobody" : sum.givers, sum.takes,
                         sum.takers.empty() ? "by nobody" : sum.takers));
    }
  }
}

}  // namespace kerr::kernels
