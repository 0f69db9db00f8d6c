#include "host/runtime/buffer.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "host/error.hpp"

namespace kerr::host {

Buffer::Place Buffer::page(uint32_t index) const {
  const auto banks = static_cast<uint32_t>(state_->banks.size());
  const uint32_t bank = is_sharded() ? index / state_->pages_per_shard : index % banks;
  const uint64_t row = is_sharded() ? index % state_->pages_per_shard : index / banks;
  return {state_->banks[bank], state_->address + row * state_->stride};
}

uint32_t Buffer::pages_in_a_row(uint32_t index) const {
  if (!is_sharded()) return 1;
  const uint32_t end = (index / state_->pages_per_shard + 1) * state_->pages_per_shard;
  return std::min(end, state_->pages) - index;
}

void Buffer::require_range(uint64_t bytes, uint64_t offset) const {
  if (offset > this->bytes() || bytes > this->bytes() - offset) {
    host_error(fmt::format("{} bytes at offset {} do not fit a buffer of {} bytes", bytes, offset, this->bytes()));
  }
}

}  // namespace kerr::host
