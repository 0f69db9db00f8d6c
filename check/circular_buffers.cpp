#include "check/circular_buffers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace kerr::check {

namespace {

template <class T>
std::optional<T> read(std::span<const uint8_t> l1, uint64_t address) {
  if (address + sizeof(T) > l1.size()) return std::nullopt;
  T out;
  std::memcpy(&out, l1.data() + address, sizeof(T));
  return out;
}

}  // namespace

void CircularBuffers::launched(std::span<const uint8_t> l1, const arch::LaunchMessage& launch) {
  *this = {};
  mask_ = launch.local_cb_mask;
  first_remote_ = launch.min_remote_cb_start_index;
  uint64_t end = 0;
  begin_ = l1.size();
  uint64_t at = uint64_t{launch.kernel_config_base[0]} + launch.local_cb_offset;
  for (int id = 0; id < kBuffers && launch.local_cb_mask >> id != 0; ++id, at += sizeof(arch::CbConfig)) {
    if ((launch.local_cb_mask >> id & 1) == 0) continue;
    const auto config = read<arch::CbConfig>(l1, at);
    if (!config || config->num_pages == 0 || config->page_size == 0) continue;
    if (uint64_t{config->address} + uint64_t{config->num_pages} * config->page_size > l1.size()) continue;
    buffers_[static_cast<size_t>(id)] = {.address = config->address,
                                         .bytes = config->num_pages * config->page_size,
                                         .pages = config->num_pages,
                                         .page_bytes = config->page_size,
                                         .used = true};
    begin_ = std::min<uint64_t>(begin_, config->address);
    end = std::max(end, uint64_t{config->address} + config->num_pages * config->page_size);
  }
  bytes_ = end > begin_ ? end - begin_ : 0;
}

const CircularBuffers::Buffer* CircularBuffers::at(uint64_t address, int& id) const {
  if (!reach(address)) return nullptr;
  for (id = 0; id < kBuffers; ++id) {
    const Buffer& b = buffers_[static_cast<size_t>(id)];
    if (b.used && address >= b.address && address < b.address + b.bytes) return &b;
  }
  return nullptr;
}

bool CircularBuffers::has_all(uint64_t address, uint64_t bytes) const {
  return std::ranges::any_of(buffers_, [&](const Buffer& b) {
    return b.used && address >= b.address && address + bytes <= uint64_t{b.address} + b.bytes;
  });
}

std::string CircularBuffers::name_of(uint64_t address) const {
  int id = 0;
  const Buffer* const b = at(address, id);
  return b != nullptr ? fmt::format("CB {} page {}", id, b->page_at(address)) : std::string();
}

}  // namespace kerr::check
