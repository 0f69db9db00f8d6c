#include "emu/server/sparse_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "emu/observe/hash.hpp"

namespace kerr::emu {

SparseMemory::SparseMemory(std::uint64_t bytes) : bytes_(bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<std::uint8_t*>(memory);
}

SparseMemory::~SparseMemory() { ::munmap(data_, bytes_); }

void SparseMemory::read(std::uint64_t offset, std::span<std::uint8_t> out) const {
  while (!out.empty()) {
    const std::uint64_t room = kBlockBytes - offset % kBlockBytes;
    const std::size_t part = std::min<std::uint64_t>(room, out.size());
    if (written(offset / kBlockBytes)) {
      std::memcpy(out.data(), data_ + offset, part);
    } else {
      std::memset(out.data(), 0, part);
    }
    out = out.subspan(part);
    offset += part;
  }
}

void SparseMemory::write(std::uint64_t offset, std::span<const std::uint8_t> in) {
  if (in.empty()) return;
  if (blocks_.empty()) blocks_.resize((bytes_ / kBlockBytes + 63) / 64);
  for (std::uint64_t block = offset / kBlockBytes; block <= (offset + in.size() - 1) / kBlockBytes; ++block) {
    blocks_[block / 64] |= std::uint64_t{1} << (block % 64);
  }
  std::memcpy(data_ + offset, in.data(), in.size());
}

std::uint32_t SparseMemory::load32(std::uint64_t offset) const {
  std::uint32_t value;
  std::memcpy(&value, data_ + offset, 4);
  return value;
}

void SparseMemory::store32(std::uint64_t offset, std::uint32_t value) {
  std::uint8_t bytes[4];
  std::memcpy(bytes, &value, 4);
  write(offset, bytes);
}

std::uint64_t SparseMemory::state_hash() const {
  std::uint64_t hash = 0;
  for (std::uint64_t block = 0; block < bytes_ / kBlockBytes; ++block) {
    if (!written(block)) continue;
    const std::span<const std::uint8_t> bytes(data_ + block * kBlockBytes, kBlockBytes);
    if (std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; })) continue;
    hash = mix(hash, block);
    hash = mix_bytes(hash, bytes);
  }
  return hash;
}

std::uint64_t SparseMemory::touched_bytes() const {
  std::uint64_t blocks = 0;
  for (std::uint64_t word : blocks_) blocks += static_cast<std::uint64_t>(std::popcount(word));
  return blocks * kBlockBytes;
}

}  // namespace kerr::emu
