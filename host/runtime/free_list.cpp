#include "host/runtime/free_list.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "host/error.hpp"

namespace kerr::host {

FreeList::FreeList(std::string what, uint64_t begin, uint64_t end, uint64_t align)
    : what_(std::move(what)), align_(align) {
  begin_ = round_up(begin);
  end_ = std::max(begin_, end & ~(align - 1));
}

uint64_t FreeList::allocate(uint64_t bytes) {
  if (bytes == 0 || bytes > end_ - begin_) refuse(bytes);
  const uint64_t rounded = round_up(bytes);
  uint64_t address = begin_;
  for (const auto& [base, size] : used_) {
    if (base - address >= rounded) break;
    address = base + size;
  }
  if (rounded > end_ - address) refuse(bytes);
  used_.emplace(address, rounded);
  return address;
}

uint64_t FreeList::allocate_high(uint64_t bytes) {
  if (bytes == 0 || bytes > end_ - begin_) refuse(bytes);
  const uint64_t rounded = round_up(bytes);
  uint64_t top = end_;
  for (auto used = used_.rbegin(); used != used_.rend(); ++used) {
    if (top - (used->first + used->second) >= rounded) break;
    top = used->first;
  }
  if (rounded > top - begin_) refuse(bytes);
  used_.emplace(top - rounded, rounded);
  return top - rounded;
}

void FreeList::refuse(uint64_t bytes) const {
  if (bytes == 0) host_error("an allocation of 0 bytes of " + what_);
  host_error(
      fmt::format("out of memory: {} bytes of {} wanted, the largest free block has {}", bytes, what_, largest_free()));
}

void FreeList::release(uint64_t address) {
  if (used_.erase(address) == 0) host_error(fmt::format("{:#x} of {} is not allocated", address, what_));
}

uint64_t FreeList::largest_free() const {
  uint64_t largest = 0;
  uint64_t address = begin_;
  for (const auto& [base, size] : used_) {
    largest = std::max(largest, base - address);
    address = base + size;
  }
  return std::max(largest, end_ - address);
}

}  // namespace kerr::host
