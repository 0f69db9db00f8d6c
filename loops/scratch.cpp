#include "loops/scratch.hpp"

#include <algorithm>

#include "loops/executable.hpp"

namespace kerr::loops {

const host::Buffer& Scratch::get(host::Chip& chip, uint32_t number, uint64_t bytes) {
  if (buffers_.size() <= number) buffers_.resize(number + 1);
  std::optional<host::Buffer>& buffer = buffers_[number];
  if (buffer && buffer->bytes() >= bytes) return *buffer;
  buffer.reset();
  buffer = chip.allocate(host::Memory::Dram, std::max<uint64_t>(bytes, 1), kPageBytes);
  return *buffer;
}

void Scratch::release_above(uint64_t keep) {
  while (bytes() > keep) {
    const auto largest =
        std::ranges::max_element(buffers_, {}, [](const std::optional<host::Buffer>& b) { return b ? b->bytes() : 0; });
    largest->reset();
  }
}

uint64_t Scratch::bytes() const {
  uint64_t sum = 0;
  for (const auto& buffer : buffers_) sum += buffer ? buffer->bytes() : 0;
  return sum;
}

}  // namespace kerr::loops
