#include "host/device/injection.hpp"

#include <algorithm>
#include <cstring>

namespace kerr::host {

// The injection that harms this access, if one does; the access is counted by all that it concerns.
Injection* Injector::struck(const std::byte* at, size_t bytes, bool is_write) {
  Injection* found = nullptr;
  for (Injection& i : injections_) {
    const std::byte* begin = i.where.data();
    const bool touches = at < begin + i.where.size() && begin < at + bytes;
    if (!touches || (i.kind != Injection::Kind::CorruptRead) != is_write || i.count == 0) continue;
    if (i.skip != 0) {
      --i.skip;
    } else if (found == nullptr) {
      --i.count;
      found = &i;
    }
  }
  return found;
}

void Injector::flip(const Injection& injection, const std::byte* at, std::span<std::byte> bytes) {
  const std::byte* begin = std::max(at, injection.where.data());
  const std::byte* end = std::min(at + bytes.size(), injection.where.data() + injection.where.size());
  const uint64_t bit = injection.bit % (8 * static_cast<uint64_t>(end - begin));
  bytes[static_cast<size_t>(begin - at) + bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
}

void Injector::write(std::byte* target, std::span<const std::byte> bytes, uint64_t now) {
  arrive(now);
  const Injection* injection = struck(target, bytes.size(), true);
  std::vector<std::byte> copy(bytes.begin(), bytes.end());
  uint64_t due = now;
  if (injection != nullptr) {
    switch (injection->kind) {
      case Injection::Kind::DropWrite: return;
      case Injection::Kind::DelayWrite: due = now + injection->delay_cycles; break;
      default: flip(*injection, target, copy);
    }
  }
  if (held_.empty() && due == now) {
    std::memcpy(target, copy.data(), copy.size());
  } else {
    if (!held_.empty()) due = std::max(due, held_.back().due);
    held_.push_back({target, std::move(copy), due});
  }
}

void Injector::read(const std::byte* source, std::span<std::byte> out) {
  std::memcpy(out.data(), source, out.size());
  if (const Injection* injection = struck(source, out.size(), false)) flip(*injection, source, out);
}

std::optional<uint64_t> Injector::next_arrival() const {
  if (held_.empty()) return std::nullopt;
  return held_.front().due;
}

void Injector::arrive(uint64_t now) {
  while (!held_.empty() && held_.front().due <= now) {
    std::memcpy(held_.front().target, held_.front().bytes.data(), held_.front().bytes.size());
    held_.pop_front();
  }
}

void Injector::forget_delayed(std::span<const std::byte> memory) {
  std::erase_if(held_, [&](const Held& h) {
    return h.target < memory.data() + memory.size() && memory.data() < h.target + h.bytes.size();
  });
}

}  // namespace kerr::host
