#include "host/runtime/free_list.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "host/error.hpp"

namespace kerr::host {

FreeList::FreeList(std::string what, uint64_t begin, uint64_t end, uint64_t align)
    : what_(std::move(what)), align_(align) {
  begin_ = round_up(begin);
  end_ = std::max(begin_, end & ~(align - 1));
  if (begin_ != end_) free_.emplace(begin_, end_ - begin_);
}

uint64_t FreeList::allocate(uint64_t bytes) {
  if (bytes == 0 || bytes > end_ - begin_) refuse(bytes);
  const uint64_t rounded = round_up(bytes);
  const auto block = std::ranges::find_if(free_, [&](const auto& b) { return b.second >= rounded; });
  if (block == free_.end()) refuse(bytes);
  const uint64_t address = block->first;
  take_from(block, address, rounded);
  return address;
}

uint64_t FreeList::allocate_high(uint64_t bytes) {
  if (bytes == 0 || bytes > end_ - begin_) refuse(bytes);
  const uint64_t rounded = round_up(bytes);
  const auto found = std::find_if(free_.rbegin(), free_.rend(), [&](const auto& b) { return b.second >= rounded; });
  if (found == free_.rend()) refuse(bytes);
  const auto block = std::prev(found.base());
  const uint64_t address = block->first + block->second - rounded;
  take_from(block, address, rounded);
  return address;
}

// `bytes` at the begin or the end of a free block. What may fail for lack of memory comes first.
void FreeList::take_from(Blocks::iterator block, uint64_t address, uint64_t bytes) {
  used_.emplace(address, bytes);
  used_bytes_ += bytes;
  const auto [first, size] = *block;
  if (size == bytes) {
    free_.erase(block);
  } else if (address == first) {
    auto node = free_.extract(block);
    node.key() = address + bytes;
    node.mapped() = size - bytes;
    free_.insert(std::move(node));
  } else {
    block->second = size - bytes;
  }
}

void FreeList::refuse(uint64_t bytes) const {
  if (bytes == 0) host_error("an allocation of 0 bytes of " + what_);
  throw OutOfDeviceMemory(
      fmt::format("out of memory: {} bytes of {} wanted, the largest free block has {}", bytes, what_, largest_free()));
}

void FreeList::release(uint64_t address) {
  const auto found = used_.find(address);
  if (found == used_.end()) host_error(fmt::format("{:#x} of {} is not allocated", address, what_));
  auto node = used_.extract(found);  // becomes the free block: to give back takes no memory
  used_bytes_ -= node.mapped();
  const auto after = free_.upper_bound(address);
  const auto before = after == free_.begin() ? free_.end() : std::prev(after);
  if (after != free_.end() && address + node.mapped() == after->first) {
    node.mapped() += after->second;
    free_.erase(after);
  }
  if (before != free_.end() && before->first + before->second == address) {
    before->second += node.mapped();
  } else {
    free_.insert(std::move(node));
  }
}

uint64_t FreeList::largest_free() const {
  uint64_t largest = 0;
  for (const auto& [address, bytes] : free_) largest = std::max(largest, bytes);
  return largest;
}

}  // namespace kerr::host
