// Bytes under way on the NoC: copied once when they leave, shared by all receivers of a multicast.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <utility>

namespace kerr::emu {

class Archive;

/// A reference-counted, immutable-after-fill block. Receivers of one multicast may drop their references on different threads.
class Payload {
 public:
  Payload() = default;
  explicit Payload(std::size_t bytes) {
    block_ = static_cast<Block*>(std::malloc(sizeof(Block) + bytes));
    if (!block_) throw std::bad_alloc();
    new (&block_->references) std::atomic<std::uint32_t>(1);
    block_->bytes = bytes;
  }
  explicit Payload(std::span<const std::uint8_t> bytes) : Payload(bytes.size()) {
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
    if (block_ && block_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) std::free(block_);
  }

  std::uint8_t* data() { return block_ ? reinterpret_cast<std::uint8_t*>(block_ + 1) : nullptr; }
  std::size_t size() const { return block_ ? block_->bytes : 0; }
  std::span<const std::uint8_t> bytes() const {
    return block_ ? std::span(reinterpret_cast<const std::uint8_t*>(block_ + 1), block_->bytes) : std::span<const std::uint8_t>();
  }

  void serialize(Archive& archive);

 private:
  struct alignas(16) Block {
    std::atomic<std::uint32_t> references;
    std::size_t bytes;
  };
  Block* block_ = nullptr;
};

}  // namespace kerr::emu
