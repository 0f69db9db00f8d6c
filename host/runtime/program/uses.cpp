#include "host/runtime/program/uses.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "host/error.hpp"

namespace kerr::host {
namespace {

using image::Use;

const Use* noc_use(const Program::Kernel& kernel) {
  const auto& uses = kernel.image->uses;
  const auto found = std::find_if(uses.begin(), uses.end(), [](const Use& u) { return u.kind == Use::Kind::Noc; });
  return found == uses.end() ? nullptr : &*found;
}

void check_arguments(const Program::Kernel& kernel, uint32_t index) {
  for (const arch::NocCoord core : kernel.cores) {
    const auto given = kernel.args.find(core);
    const size_t words = given == kernel.args.end() ? 0 : given->second.size();
    if (index < words) continue;
    host_error(fmt::format("kernel '{}' reads runtime argument {}, and set_args() gives core ({},{}) {}",
                           kernel.image->name, index, core.x, core.y, words));
  }
}

void check_use(const Program& program, const Program::Kernel& kernel, const Use& use) {
  const std::string& name = kernel.image->name;
  const auto buffer = [&](uint32_t id) -> const CircularBuffer& {
    const auto found = program.circular_buffers().find(static_cast<uint8_t>(id));
    if (id > 0xFF || found == program.circular_buffers().end()) {
      host_error(
          fmt::format("kernel '{}' uses circular buffer {}, which program '{}' does not have: add_circular_buffer()",
                      name, id, program.name()));
    }
    return found->second.config;
  };
  switch (use.kind) {
    case Use::Kind::CircularBuffer: buffer(use.value); return;
    case Use::Kind::TileBytes: {
      const uint32_t id = use.value & 0xFF, bytes = use.value >> 8;
      const uint32_t page_bytes = buffer(id).page_bytes;
      if (bytes != 0 && page_bytes % bytes != 0) {
        host_error(fmt::format(
            "kernel '{}' takes the tiles of circular buffer {} for {} bytes (FORMATS of kerr_add_kernel), and its "
            "pages have {}",
            name, id, bytes, page_bytes));
      }
      return;
    }
    case Use::Kind::Argument: check_arguments(kernel, use.value); return;
    case Use::Kind::CommonArgument:
      if (use.value >= kernel.common_args.size()) {
        host_error(fmt::format("kernel '{}' reads common argument {}, and set_common_args() gives it {}", name,
                               use.value, kernel.common_args.size()));
      }
      return;
    case Use::Kind::Semaphore:
      if (use.value >= program.semaphores().size()) {
        host_error(fmt::format("kernel '{}' uses semaphore {}, and program '{}' has {}: add_semaphore()", name,
                               use.value, program.name(), program.semaphores().size()));
      }
      return;
    case Use::Kind::StartUp:
    case Use::Kind::Noc:
    case Use::Kind::Hart: return;  // Program::add_kernel()
  }
}

// The two harts that move data must not share command buffers.
void check_nocs(const Program& program) {
  std::map<arch::NocCoord, const Program::Kernel*> first;
  for (const Program::Kernel& kernel : program.kernels()) {
    if (!says_noc(kernel) || kernel.hart > arch::Hart::Ncrisc) continue;
    for (const arch::NocCoord core : kernel.cores) {
      const auto [other, is_first] = first.try_emplace(core, &kernel);
      if (is_first || noc_of(*other->second) != noc_of(kernel)) continue;
      host_error(fmt::format(
          "kernels '{}' and '{}' of core ({},{}) were both compiled for NoC {}: give one of them NOC {} "
          "(kerr_add_kernel)",
          other->second->image->name, kernel.image->name, core.x, core.y, noc_of(kernel), 1 - noc_of(kernel)));
    }
  }
}

}  // namespace

bool says_noc(const Program::Kernel& kernel) { return noc_use(kernel) != nullptr; }

uint8_t noc_of(const Program::Kernel& kernel) {
  const Use* use = noc_use(kernel);
  return use ? static_cast<uint8_t>(use->value & 1) : kernel.options.noc;
}

void check_uses(const Program& program) {
  for (const Program::Kernel& kernel : program.kernels()) {
    for (const Use& use : kernel.image->uses) check_use(program, kernel, use);
  }
  check_nocs(program);
}

}  // namespace kerr::host
