#include "emu/memory/sparse_memory.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "arch/bytes.hpp"
#include "emu/hash.hpp"

namespace kerr::emu {

namespace {

constexpr size_t kLeastData = 1024;  // who brings so much at once brings more
constexpr uint64_t kBlocksOfLargePage = kLargePageBytes / SparseMemory::kBlockBytes;
static_assert(kBlocksOfLargePage == 32);

}  // namespace

SparseMemory::SparseMemory(uint64_t bytes) : bytes_(bytes), parts_((bytes + kPartBytes - 1) / kPartBytes) {}

uint8_t* SparseMemory::provide(uint64_t offset) {
  const size_t n = offset / kPartBytes;
  if (!parts_[n]) parts_[n] = ZeroedPages(std::min(kPartBytes, bytes_ - n * kPartBytes), kLargePageBytes);
  return parts_[n].data() + offset % kPartBytes;
}

void SparseMemory::read(uint64_t offset, std::span<uint8_t> out) const {
  while (!out.empty()) {
    const uint64_t room = kBlockBytes - offset % kBlockBytes;
    const size_t part = std::min<uint64_t>(room, out.size());
    if (written(offset / kBlockBytes)) {
      std::memcpy(out.data(), at(offset), part);
    } else {
      std::memset(out.data(), 0, part);
    }
    out = out.subspan(part);
    offset += part;
  }
}

std::span<const uint8_t> SparseMemory::written_bytes(uint64_t offset, size_t count) const {
  if (offset / kPartBytes != (offset + count - 1) / kPartBytes) return {};
  for (uint64_t block = offset / kBlockBytes; block <= (offset + count - 1) / kBlockBytes; ++block) {
    if (!written(block)) return {};
  }
  return {at(offset), count};
}

void SparseMemory::write(uint64_t offset, std::span<const uint8_t> in) {
  while (!in.empty()) {
    const size_t part = std::min<uint64_t>(in.size(), kPartBytes - offset % kPartBytes);
    write_part(offset, in.first(part));
    offset += part;
    in = in.subspan(part);
  }
}

void SparseMemory::write_part(uint64_t offset, std::span<const uint8_t> in) {
  uint8_t* const target = provide(offset);
  if (blocks_.empty()) blocks_.resize((bytes_ / kBlockBytes + 63) / 64);
  for (uint64_t block = offset / kBlockBytes; block <= (offset + in.size() - 1) / kBlockBytes; ++block) {
    if (written(block)) continue;
    const uint64_t page = block / kBlocksOfLargePage * kBlocksOfLargePage;  // its first block
    if (in.size() >= kLeastData && (page + kBlocksOfLargePage) * kBlockBytes <= bytes_) {
      const int others = std::popcount(static_cast<uint32_t>(blocks_[block / 64] >> page % 64));
      uint8_t* const first = provide(page * kBlockBytes);
      if (others == 0) prefer_large_pages(first, kLargePageBytes);
      if (others == 1) make_large_page(first);  // unless it is one
    }
    blocks_[block / 64] |= uint64_t{1} << (block % 64);
  }
  std::memcpy(target, in.data(), in.size());
}

uint32_t SparseMemory::load32(uint64_t offset) const {
  uint32_t value;
  read(offset, arch::as_uint8(value));
  return value;
}

void SparseMemory::store32(uint64_t offset, uint32_t value) { write(offset, arch::as_uint8(value)); }

uint64_t SparseMemory::state_hash() const {
  uint64_t hash = 0;
  for (uint64_t block = 0; block < bytes_ / kBlockBytes; ++block) {
    if (!written(block)) continue;
    if (all_zero(block)) continue;
    hash = mix(hash, block);
    hash = mix_bytes(hash, {at(block * kBlockBytes), kBlockBytes});
  }
  return hash;
}

uint64_t SparseMemory::touched_bytes() const {
  uint64_t blocks = 0;
  for (uint64_t word : blocks_) blocks += static_cast<uint64_t>(std::popcount(word));
  return blocks * kBlockBytes;
}

bool SparseMemory::all_zero(uint64_t block) const {
  const uint8_t* const data = at(block * kBlockBytes);
  if (data == nullptr) return true;
  return data[0] == 0 && std::memcmp(data, data + 1, kBlockBytes - 1) == 0;
}

}  // namespace kerr::emu
