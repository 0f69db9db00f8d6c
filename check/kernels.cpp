#include "check/kernels.hpp"

#include <utility>

#include "check/frames.hpp"

namespace kerr::check {

void Kernels::booted(const arch::note::Booted& boot) {
  for (int h = 0; h < arch::kHarts; ++h)
    add(emu::agent_of(static_cast<arch::Hart>(h)), boot.firmware[static_cast<size_t>(h)]);
}

void Kernels::launched(const arch::note::Launched& launch) {
  for (const auto& group : launch.groups) {
    for (const auto& kernel : group.kernels) add(emu::agent_of(kernel.hart), kernel.code);
  }
}

void Kernels::add(emu::Agent hart, const arch::note::Code& code) {
  if (!code.image || code.bytes == 0) return;
  Kernel kernel{hart, code};
  // Programs are launched again and again.
  std::erase_if(kernels_, [&](const Kernel& k) {
    return k.hart == hart && k.code.image == code.image && k.code.address == code.address;
  });
  kernels_.push_front(std::move(kernel));
  if (kernels_.size() > kMost) kernels_.pop_back();
}

std::optional<Kernels::Found> Kernels::at(emu::Agent hart, uint32_t pc, uint32_t word) const {
  const Kernel* best = nullptr;
  for (const Kernel& k : kernels_) {
    if (k.hart != hart || pc - k.code.address >= k.code.bytes) continue;
    if (best == nullptr) best = &k;
    if (word == 0 || k.code.image->word_at(pc - k.code.address + k.code.image_address) == word) {
      best = &k;
      break;
    }
  }
  if (best == nullptr) return std::nullopt;
  const arch::note::Code& code = best->code;
  return Found{code.name, frames_at(*code.image, pc - code.address + code.image_address)};
}

}  // namespace kerr::check
