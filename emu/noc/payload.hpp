// Bytes under way on the NoC: copied when they leave or lent by their owner, shared by all receivers of a multicast.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <utility>

#include "emu/noc/payload_memory.hpp"

namespace kerr::emu {

class Archive;

/// A reference-counted block, immutable once filled. Receivers of one multicast may drop it on different threads.
class Payload {
 public:
  Payload() = default;
  explicit Payload(size_t bytes) : block_(make(bytes)) { block_->first = own_bytes(block_); }
  explicit Payload(std::span<const uint8_t> bytes) : Payload(bytes.size()) {
    if (!bytes.empty()) std::memcpy(data(), bytes.data(), bytes.size());
  }
  Payload(const Payload& other) : block_(other.block_) {
    if (block_) block_->references.fetch_add(1, std::memory_order_relaxed);
  }
  Payload(Payload&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  Payload& operator=(Payload other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~Payload() {
    if (block_ && block_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) drop();
  }

  /// Refers to memory of an owner that calls keep() before it changes or frees the memory (server/lending.hpp).
  static Payload lent(std::span<const uint8_t> bytes) {
    Payload payload;
    payload.block_ = make(0);
    payload.block_->bytes = bytes.size();
    payload.block_->first = bytes.data();
    return payload;
  }
  /// Gives a lent payload, for all that share it, a copy of its bytes. No thread may read them at the same time.
  void keep() {
    block_->copy = make(block_->bytes);
    std::memcpy(own_bytes(block_->copy), block_->first, block_->bytes);
    block_->first = own_bytes(block_->copy);
  }
  /// Nobody else has it.
  bool alone() const { return block_->references.load(std::memory_order_acquire) == 1; }

  /// To fill what is not lent.
  uint8_t* data() { return block_ ? own_bytes(block_) : nullptr; }
  size_t size() const { return block_ ? block_->bytes : 0; }
  std::span<const uint8_t> bytes() const {
    return block_ ? std::span(block_->first, block_->bytes) : std::span<const uint8_t>();
  }

  void serialize(Archive& archive);

 private:
  struct alignas(PayloadMemory::kLineBytes) Block {
    explicit Block(size_t count) : bytes(count), taken(sizeof(Block) + count) {}
    std::atomic<uint32_t> references{1};
    size_t bytes;
    size_t taken;  // of PayloadMemory
    const uint8_t* first = nullptr;
    Block* copy = nullptr;  // of what was lent
  };
  static Block* make(size_t bytes) { return new (PayloadMemory::take(sizeof(Block) + bytes)) Block(bytes); }
  static uint8_t* own_bytes(Block* block) { return reinterpret_cast<uint8_t*>(block + 1); }
  void drop() {
    if (block_->copy) PayloadMemory::give(block_->copy, block_->copy->taken);
    PayloadMemory::give(block_, block_->taken);
  }

  Block* block_ = nullptr;
};

}  // namespace kerr::emu
