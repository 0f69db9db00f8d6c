// Harm on the way between an emulated device and pinned memory, on request: what proves that the host stack survives
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace kerr::host {

/// One harm. Accesses of the device that touch `where` are counted; after `skip` of them, `count` are harmed.
struct Injection {
  enum class Kind : uint8_t {
    DropWrite,     ///< the write is lost
    DelayWrite,    ///< it arrives `delay_cycles` later, and with it all writes behind it: they keep their order
    CorruptWrite,  ///< one bit of what it writes into `where` is flipped
    CorruptRead,   ///< one bit of what it reads there is flipped; the memory stays as it is
  };
  Kind kind = Kind::DropWrite;
  std::span<const std::byte> where;  ///< pinned memory
  uint32_t skip = 0;
  uint32_t count = 1;
  uint64_t delay_cycles = 0;
  uint64_t bit = 0;  ///< counted from the access's first byte inside `where`, modulo the bits there
};

/// All injections of a device. Not thread-safe.
class Injector {
 public:
  void add(const Injection& injection) { injections_.push_back(injection); }
  void clear() { injections_.clear(); }
  bool idle() const { return injections_.empty() && held_.empty(); }

  /// Writes `bytes` to `target`, or does to them what the injections say. `now`: the device's time.
  void write(std::byte* target, std::span<const std::byte> bytes, uint64_t now);
  /// The same for a read of `source`.
  void read(const std::byte* source, std::span<std::byte> out);

  /// When the next delayed write arrives; nothing: none is under way.
  std::optional<uint64_t> next_arrival() const;
  /// Writes what has arrived by `now`.
  void arrive(uint64_t now);
  /// Delayed writes never arrive: the device was reset, or [begin, begin + bytes) is not pinned any more.
  void forget_delayed() { held_.clear(); }
  void forget_delayed(std::span<const std::byte> memory);

 private:
  struct Held {
    std::byte* target;
    std::vector<std::byte> bytes;
    uint64_t due;
  };
  Injection* struck(const std::byte* at, size_t bytes, bool is_write);
  static void flip(const Injection& injection, const std::byte* at, std::span<std::byte> bytes);

  std::vector<Injection> injections_;
  std::deque<Held> held_;
};

}  // namespace kerr::host
