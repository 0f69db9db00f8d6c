#include "check/regions/known_launch.hpp"

#include <algorithm>
#include <cstring>

#include "arch/firmware_layout.hpp"

namespace kerr::check {

namespace {

using Launched = arch::note::Launched;

// The message, and the table that it points to, are those of the note.
bool is_of(const Names::Launch& launch, std::span<const uint8_t> l1, const arch::LaunchMessage& message,
           uint32_t slot) {
  const Launched& note = *launch.note;
  const uint64_t base = message.kernel_config_base[0];
  const std::vector<uint32_t>& slots = launch.group->slots;
  if (launch.core >= slots.size() || slots[launch.core] != slot || note.config_begin != base) return false;
  uint32_t mask = 0;
  for (const Launched::CircularBuffer& buffer : note.circular_buffers) {
    mask |= 1u << buffer.id;
    const uint64_t at = base + message.local_cb_offset + sizeof(arch::CbConfig) * buffer.id;
    arch::CbConfig config;
    if (at + sizeof config > l1.size()) return false;
    std::memcpy(&config, l1.data() + at, sizeof config);
    if (config.address != buffer.address || config.size != buffer.bytes || config.page_size != buffer.page_bytes)
      return false;
  }
  return mask == message.local_cb_mask && std::ranges::all_of(launch.group->kernels, [&](const Launched::Kernel& k) {
           const auto hart = static_cast<size_t>(k.hart);
           return (message.enables & arch::enable_bit(k.hart)) != 0 &&
                  static_cast<uint32_t>(base) + message.kernel_text_offset[hart] - k.code.address < k.code.bytes;
         });
}

}  // namespace

void KnownLaunch::begin(const Names& names, TileId tile, std::span<const uint8_t> l1,
                        const arch::LaunchMessage& message, uint32_t slot) {
  known_ = {};
  // Each launch was told of, in this order. Those before the last one that was found are over.
  const auto is = [&](const Names::Launch& launch) {
    return launch.note->id > last_id_ && is_of(launch, l1, message, slot);
  };
  const Names::Launch* const found = names.first_launch(tile, last_id_, is);
  if (found == nullptr) return;
  last_id_ = found->note->id;
  if (found->note->l1_end == 0) return;
  known_ = *found;
  end_ = found->note->l1_end;
  is_resident_ = std::ranges::any_of(found->group->kernels, [&](const auto& k) { return k.code.address >= end_; });
  find_gaps(message);
}

const Launched::Kernel* KnownLaunch::kernel_of(arch::Hart hart) const {
  const auto found = std::ranges::find(known_.group->kernels, hart, &Launched::Kernel::hart);
  return found == known_.group->kernels.end() ? nullptr : &*found;
}

bool KnownLaunch::in_kernel(uint64_t address) const {
  return std::ranges::any_of(known_.group->kernels, [&](const Launched::Kernel& k) {
    return address >= k.code.address && address - k.code.address < k.code.bytes;
  });
}

void KnownLaunch::find_gaps(const arch::LaunchMessage& message) {
  config_begin_ = known_.note->config_begin;
  is_gap_.clear();
  const auto used = [&](uint32_t address, uint32_t words) {
    if (words == 0 || address < config_begin_ || address + 4 * words > arch::kL1Bytes) return;
    const size_t first = (address - config_begin_) / 4, end = first + words;
    if (is_gap_.size() < end) is_gap_.resize(end, true);
    std::fill(is_gap_.begin() + static_cast<ptrdiff_t>(first), is_gap_.begin() + static_cast<ptrdiff_t>(end), false);
  };
  for (const Launched::Kernel& k : known_.group->kernels) {
    if (known_.core < k.args_words.size()) used(k.args_address, k.args_words[known_.core]);
    used(k.common_args_address, k.common_args_words);
  }
  for (const Launched::Semaphore& semaphore : known_.note->semaphores) used(semaphore.address, 1);
  const std::vector<Launched::CircularBuffer>& buffers = known_.note->circular_buffers;
  if (buffers.empty()) return;
  const auto last = std::ranges::max_element(buffers, {}, &Launched::CircularBuffer::id);
  used(message.kernel_config_base[0] + message.local_cb_offset, (last->id + 1u) * sizeof(arch::CbConfig) / 4);
}

}  // namespace kerr::check
