// The 1,536 KiB of L1, one attribute byte for each of its 64-byte lines, and the memories of the harts beside it.
// docs/hardware/tile.md 5, 6
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include "arch/memory_map.hpp"
#include "emu/access.hpp"
#include "emu/memory/in_large_pages.hpp"
#include "emu/memory/pages.hpp"

namespace kerr::emu {

/// L1 comes zeroed from the operating system, page by page as it is touched. What every firmware touches (its code and
/// mailboxes) is there from the start: a call costs less than a fault for each page.
///
/// Every writer goes through write()/store() (or, in a hot loop, tests attributes()[line] itself and calls touch()): a
/// line whose attribute byte is zero is just written; otherwise the listener hears of it before the bytes change.
class L1 {
 public:
  static constexpr uint32_t kBytes = arch::kL1Bytes;
  static constexpr uint32_t kLineBytes = 64;
  static constexpr uint32_t kLines = kBytes / kLineBytes;

  enum Attribute : uint8_t {
    kDecoded = 1,  // decoded instructions of this line exist
    kWatched = 2,  // a parked hart polls this line
    kChecked = 4,  // an observer is told of writes
  };

  /// Some bytes of a line, one bit each.
  using LineBytes = uint64_t;
  static constexpr LineBytes kAllBytes = ~LineBytes{0};
  /// Those of [address, address + bytes) that lie in `line`; there is at least one.
  static constexpr LineBytes bytes_of_line(uint32_t line, uint32_t address, uint32_t bytes) {
    const uint32_t begin = line * kLineBytes;
    const uint32_t from = address > begin ? address - begin : 0;
    const uint32_t to = address + bytes - begin < kLineBytes ? address + bytes - begin : kLineBytes;
    return kAllBytes >> (kLineBytes - (to - from)) << from;
  }

  /// Hears of a write to a line with a non-zero attribute byte, before the bytes change: of those in `written`, as far
  /// as it is known that others stay as they are.
  class Listener {
   public:
    virtual void before_write(uint32_t line, uint8_t attributes, LineBytes written) = 0;
    /// While check() is on: a write, before the bytes change, or what a reader announces. `value`: of up to 4 bytes.
    virtual void accessed(AccessKind, [[maybe_unused]] uint32_t address, [[maybe_unused]] uint32_t bytes,
                          [[maybe_unused]] uint32_t value) {}

   protected:
    ~Listener() = default;
  };

  L1();

  void listen(Listener* listener) { listener_ = listener; }
  /// From now on the listener hears of all accesses: every line is kChecked. Or of none.
  void check(bool all = true);
  bool checked() const { return checked_; }

  static constexpr bool contains(uint64_t address, uint64_t bytes) {
    return address <= kBytes && bytes <= kBytes - address;
  }

  uint8_t* data() { return data_; }
  const uint8_t* data() const { return data_; }
  uint8_t* attributes() { return beside_->attributes.data(); }
  /// Local memory of hart 0 to 4: 8 KiB each for the first two, 4 KiB for the others. Not L1, but stored beside it.
  uint8_t* local_memory(unsigned hart) {
    return beside_->local.data() + (hart < 2 ? 0x2000 * hart : 0x2000 + 0x1000 * hart);
  }

  /// Caller has checked contains().
  template <class T>
  T load(uint32_t address) const {
    T value;
    std::memcpy(&value, data_ + address, sizeof(T));
    return value;
  }
  template <class T>
  void store(uint32_t address, T value) {
    touch(address, sizeof(T), reinterpret_cast<const uint8_t*>(&value));
    std::memcpy(data_ + address, &value, sizeof(T));
  }
  void read(uint32_t address, std::span<uint8_t> out) const {
    will_read(address, static_cast<uint32_t>(out.size()));
    std::memcpy(out.data(), data_ + address, out.size());
  }
  void write(uint32_t address, std::span<const uint8_t> bytes) {
    if (bytes.empty()) return;
    touch(address, static_cast<uint32_t>(bytes.size()), bytes.data());
    std::memcpy(data_ + address, bytes.data(), bytes.size());
  }

  /// All readers but harts, which tell their observer themselves, call this before a read by load() or data().
  void will_read(uint32_t address, uint32_t bytes) const {
    if (checked_) [[unlikely]]
      tell(AccessKind::Load, address, bytes, data_ + address);
  }
  /// The write of an atomic: a write() of which the listener hears as an atomic. bytes.size() >= 1.
  void update(uint32_t address, std::span<const uint8_t> bytes) {
    if (checked_) [[unlikely]]
      tell(AccessKind::Atomic, address, static_cast<uint32_t>(bytes.size()), bytes.data());
    write_told(address, bytes);
  }
  /// A write() by one who has told the observer. bytes.size() >= 1.
  void write_told(uint32_t address, std::span<const uint8_t> bytes);

  template <class Archive>
  void serialize(Archive& a) {
    a.pages(data_, kBytes);
  }  // attributes are set again by the parts that use them

  /// Tells the listener of every line of [address, address + bytes) that somebody cares about. bytes >= 1. `written`:
  /// what will be there, if the caller knows; what stays as it is concerns nobody.
  void touch(uint32_t address, uint32_t bytes, const uint8_t* written = nullptr) {
    const uint32_t last = (address + bytes - 1) / kLineBytes;
    for (uint32_t line = address / kLineBytes; line <= last; ++line) {
      if (beside_->attributes[line] != 0) [[unlikely]]
        notify(line, address, bytes, written);
    }
  }

 private:
  struct Beside : InLargePages {
    std::array<uint8_t, 2 * 0x2000 + 3 * 0x1000> local{};
    std::array<uint8_t, kLines> attributes{};
  };

  void notify(uint32_t line, uint32_t address, uint32_t bytes, const uint8_t* written);
  void changes_line(uint32_t line, uint32_t address, uint32_t bytes, const uint8_t* written);
  void tell(AccessKind kind, uint32_t address, uint32_t bytes, const uint8_t* contents) const;

  ZeroedPages pages_{kBytes};
  uint8_t* const data_ = pages_.data();
  const std::unique_ptr<Beside> beside_;
  Listener* listener_ = nullptr;
  bool checked_ = false;
};

}  // namespace kerr::emu
