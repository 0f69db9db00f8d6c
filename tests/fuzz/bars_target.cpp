// A hostile client of the libttsim C ABI: all entry points, in any order, with any address, size and value.
// docs/hardware/host-pcie.md 1, 6
#include <setjmp.h>

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "arch/pcie.hpp"
#include "tests/fuzz/guarded_memory.hpp"
#include "tests/fuzz/input.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/fuzz/targets.hpp"

extern "C" {
void libttsim_init();
void libttsim_exit();
void libttsim_set_pci_dma_mem_callbacks(void (*read)(uint64_t, void*, uint32_t),
                                        void (*write)(uint64_t, const void*, uint32_t));
uint32_t libttsim_pci_config_rd32(uint32_t bdf, uint32_t offset);
void libttsim_pci_config_wr32(uint32_t bdf, uint32_t offset, uint32_t data);
void libttsim_pci_mem_rd_bytes(uint64_t paddr, void* memory, uint32_t bytes);
void libttsim_pci_mem_wr_bytes(uint64_t paddr, const void* memory, uint32_t bytes);
void libttsim_clock(uint32_t cycles);
void libttsim_tile_rd_bytes(uint32_t x, uint32_t y, uint64_t address, void* memory, uint32_t bytes);
void libttsim_tile_wr_bytes(uint32_t x, uint32_t y, uint64_t address, const void* memory, uint32_t bytes);

// A fault of the device ends the process from within libttsim_clock. The linker sends that here (--wrap=_Exit).
[[noreturn]] void __real__Exit(int status);
[[noreturn]] void __wrap__Exit(int status);
}

namespace {
jmp_buf* device_stopped = nullptr;
}

void __wrap__Exit(int status) {
  if (device_stopped != nullptr) longjmp(*device_stopped, 1);
  __real__Exit(status);
}

namespace kerr::fuzz {
namespace {

namespace pcie = arch::pcie;

constexpr unsigned kStepsAtMost = 300, kLongClock = 4096;
constexpr size_t kAccessPages = 17;  // a piece of a window, and more than one packet or callback
constexpr uint64_t kPinned = 0x4000'0000;
constexpr size_t kPinnedPages = 2;

GuardedMemory& pinned() {
  static GuardedMemory memory(kPinnedPages);
  return memory;
}

// The embedder's part of the pinned memory that the device asks for, or nothing.
std::span<uint8_t> pinned_part(uint64_t bus, const void* memory, uint32_t bytes) {
  require(memory != nullptr && bytes != 0, "a callback gets memory");
  require(bytes <= GuardedMemory::kPageBytes && bus % GuardedMemory::kPageBytes + bytes <= GuardedMemory::kPageBytes,
          "a callback stays inside one page");
  if (bus < kPinned || bus - kPinned >= pinned().bytes().size()) return {};
  return pinned().bytes().subspan(bus - kPinned, bytes);
}

void read_host(uint64_t bus, void* memory, uint32_t bytes) {
  const auto from = pinned_part(bus, memory, bytes);
  if (from.empty()) {
    std::fill_n(static_cast<uint8_t*>(memory), bytes, uint8_t{0xEE});
  } else {
    std::copy(from.begin(), from.end(), static_cast<uint8_t*>(memory));
  }
}

void write_host(uint64_t bus, const void* memory, uint32_t bytes) {
  const auto to = pinned_part(bus, memory, bytes);
  const auto* from = static_cast<const uint8_t*>(memory);
  uint32_t sum = 0;  // all of it must be readable
  for (uint32_t n = 0; n < bytes; ++n) sum += from[n];
  if (!to.empty()) std::copy_n(from, bytes, to.begin());
  require(sum <= 255u * bytes, "bytes are bytes");
}

// The library's complaints, a hundred a run. A sanitizer's report does not go through stdio.
class Silence {
 public:
  Silence() {
    static std::FILE* const nowhere = std::fopen("/dev/null", "w");
    if (nowhere != nullptr) stderr = nowhere;
  }
  ~Silence() { stderr = shown_; }

 private:
  std::FILE* const shown_ = stderr;
};

constexpr uint64_t kTilePlaces[] = {0,
                                    0x40000,
                                    0x17FF00,
                                    0x180000,
                                    0xFFB00000,
                                    0xFFB11000,
                                    0xFFB12000,
                                    0xFFB13000,
                                    0xFFB14000,
                                    0xFFB20000,
                                    0xFFB30000,
                                    0xFFB40000,
                                    0xFFB80000,
                                    0xFFBD8000,
                                    0xFFC00000,
                                    0xFFE00000,
                                    0xFFE40000,
                                    0xFFE80000,
                                    0xFFEC0000,
                                    0xFFEF0000,
                                    pcie::kNocHostBase | kPinned,
                                    pcie::kNocHostBase | (kPinned + 0x1FF0),
                                    pcie::kNocDbiBase,
                                    pcie::kNocNiuBase,
                                    0x8'0000'0000,
                                    0x8003'0000};
constexpr uint32_t kRegisterPlaces[] = {pcie::kTlbConfigBase,
                                        pcie::kTlbConfigEnd - 64,
                                        pcie::kStridedConfigBase,
                                        pcie::kNiu0Base,
                                        pcie::kNiu1Base,
                                        0x1FE80000,
                                        0x1FF00000,
                                        0x1FF30000,
                                        0x1FFFFFF0,
                                        201 * 0x200000 + 0x1FFFF0,
                                        202 * 0x200000};

class Client {
 public:
  explicit Client(Input in) : in_(in) {}

  uint64_t run() {
    std::fill(pinned().bytes().begin(), pinned().bytes().end(), uint8_t{0x5A});
    libttsim_set_pci_dma_mem_callbacks(read_host, write_host);
    libttsim_init();
    jmp_buf stopped;
    device_stopped = &stopped;
    if (setjmp(stopped) == 0) {
      all_steps();
    } else {
      note(1);
    }
    device_stopped = nullptr;
    libttsim_exit();
    for (const uint8_t byte : pinned().bytes()) note(byte);
    return hash_;
  }

 private:
  // Not part of run(): what a jump back finds must be in memory.
  [[gnu::noinline]] void all_steps() {
    for (unsigned n = 0; n < kStepsAtMost && !in_.empty(); ++n) step();
    libttsim_clock(kLongClock);
  }
  void note(uint64_t value) { hash_ = (hash_ ^ value) * 0x100000001B3; }

  uint32_t size() {
    switch (in_.below(8)) {
      case 0: return in_.byte();
      case 1: return in_.half() % (kAccessPages * GuardedMemory::kPageBytes);
      case 2: return 16384;
      case 3: return 1u << in_.below(4);
      default: return 4;
    }
  }
  // Each value in a statement of its own: all compilers must read the bytes in the same order.
  uint64_t double_word() {
    const uint64_t high = in_.word();
    return high << 32 | in_.word();
  }
  uint64_t tile_address() {
    const uint32_t kind = in_.byte();
    if (kind == 0) return double_word();
    return kTilePlaces[kind % std::size(kTilePlaces)] + (kind & 0x80 ? in_.half() : in_.byte() * 4);
  }
  uint64_t bar_address() {
    switch (in_.below(8)) {
      case 0: return double_word();
      case 1: return pcie::kBar0Base + in_.word() % (pcie::kBar0Bytes + 64);
      case 2: return pcie::kBar2Base + in_.word() % (pcie::kBar2Bytes + 64);
      case 3: return pcie::kBar4Base + double_word() % (pcie::kBar4Bytes + 64);
      case 4: {
        const uint64_t chip = in_.byte();
        return (chip << pcie::kChipAddressShift) + pcie::kBar0Base + in_.half();
      }
      case 5: return pcie::kBar2Base + in_.half() % 0x4000 / 4 * 4;
      case 6: {
        const uint32_t window = in_.byte() % pcie::kWindows;
        return window_base(window) + in_.word() % pcie::window_bytes(static_cast<int>(window));
      }
      default: {
        const uint32_t place = kRegisterPlaces[in_.below(std::size(kRegisterPlaces))];
        return pcie::kBar0Base + place + in_.byte() * 4;
      }
    }
  }
  static uint64_t window_base(uint32_t window) {
    return window < pcie::kSmallWindows ? pcie::kBar0Base + window * pcie::kSmallWindowBytes
                                        : pcie::kBar4Base + (window - pcie::kSmallWindows) * pcie::kLargeWindowBytes;
  }

  void read(uint64_t paddr, uint32_t bytes) {
    const auto into = access_.last(bytes);
    libttsim_pci_mem_rd_bytes(paddr, into.data(), bytes);
    note_all(into);
  }
  void write(uint64_t paddr, uint32_t bytes) { libttsim_pci_mem_wr_bytes(paddr, filled(bytes).data(), bytes); }
  void write32(uint64_t paddr, uint32_t value) { libttsim_pci_mem_wr_bytes(paddr, &value, 4); }
  std::span<uint8_t> filled(uint32_t bytes) {
    const auto from = access_.last(bytes);
    const uint32_t seed = in_.word();
    for (uint32_t n = 0; n < bytes; ++n) from[n] = static_cast<uint8_t>(seed >> 8 * (n % 4));
    return from;
  }
  void note_all(std::span<const uint8_t> bytes) {
    for (const uint8_t byte : bytes) note(byte);
  }

  // A window as drivers set it up, mostly; any tile, any noc, a rectangle now and then.
  void aim_window() {
    const int window = static_cast<int>(in_.byte() % pcie::kWindows);
    const uint32_t shape = in_.byte();
    pcie::TlbEntry entry;
    entry.local_offset = tile_address() >> pcie::tlb_format(window).offset_shift;
    entry.x_end = static_cast<uint8_t>(in_.below(64));
    entry.y_end = static_cast<uint8_t>(in_.below(64));
    entry.noc = shape & 1;
    entry.multicast = (shape & 6) == 6;
    entry.x_start = static_cast<uint8_t>(shape & 8 ? in_.below(64) : entry.x_end);
    entry.y_start = static_cast<uint8_t>(shape & 8 ? in_.below(64) : entry.y_end);
    entry.ordering = static_cast<pcie::Ordering>(shape >> 4 & 3);
    const pcie::TlbWords words = encode(pcie::tlb_format(window), entry);
    const uint64_t at = pcie::kBar0Base + pcie::tlb_config_address(window);
    write32(at, words.low);
    write32(at + 4, words.mid);
    write32(at + 8, words.high);
    last_window_ = static_cast<uint32_t>(window);
  }

  void region() {
    const uint64_t at = pcie::kBar2Base + pcie::kIatuBase + in_.below(16) * pcie::kIatuRegionStride;
    const uint32_t base = static_cast<uint32_t>(kPinned) + in_.half() * 16;
    write32(at + pcie::kIatuLowerBase, base);
    write32(at + pcie::kIatuUpperBase, in_.below(8) == 0 ? in_.word() : 0);
    write32(at + pcie::kIatuLowerLimit, base + in_.half());
    write32(at + pcie::kIatuLowerTarget, in_.below(2) ? in_.word() : static_cast<uint32_t>(kPinned));
    write32(at + pcie::kIatuUpperTarget, in_.below(8) == 0 ? in_.word() : 0);
    write32(at + pcie::kIatuCtrl1, in_.below(4) == 0 ? in_.word() : 0);
    write32(at + pcie::kIatuCtrl2, pcie::kIatuCtrl2Enable);
  }

  void dma() {
    constexpr uint64_t kEngine = pcie::kBar2Base + 0x100;
    write32(kEngine + 0x1C, in_.below(4) == 0 ? in_.word() % 0x40000 : in_.half() & 0xFFFC);
    write32(kEngine + 0x20, in_.below(4) == 0 ? in_.word() : static_cast<uint32_t>(kPinned) + in_.half() % 0x2000);
    write32(kEngine + 0x24, in_.below(8) == 0 ? in_.word() : 0);
    write32(kEngine + 0x28, in_.word() % 0x20000000 & ~3u);
    write32(kEngine + 0x2C, in_.below(8) == 0 ? in_.word() : 0);
    write32(kEngine + 0x04, in_.byte());  // the doorbell
  }

  // Words for BRISC of some tile, and out of reset.
  void start_hart() {
    const uint32_t x = 1 + in_.below(16), y = 2 + in_.below(10), words = in_.below(24);
    for (uint32_t n = 0; n < words; ++n) {
      const uint32_t word = in_.word();
      libttsim_tile_wr_bytes(x, y, 4 * n, &word, 4);
    }
    const uint32_t out_of_reset = in_.below(2) ? 0x47000 : in_.word();
    libttsim_tile_wr_bytes(x, y, 0xFFB121B0, &out_of_reset, 4);
  }

  void step() {
    const uint32_t action = in_.below(20);
    switch (action) {
      case 0: {
        const uint32_t bdf = in_.below(4) == 0 ? in_.word() : 0;
        note(libttsim_pci_config_rd32(bdf, in_.below(4) == 0 ? in_.word() : in_.byte()));
        break;
      }
      case 1: {
        const uint32_t bdf = in_.below(4) == 0 ? in_.word() : 0;
        const uint32_t offset = in_.below(4) == 0 ? in_.half() : in_.byte() & ~3u;
        libttsim_pci_config_wr32(bdf, offset, in_.word());
        break;
      }
      case 2: {
        const uint64_t at = bar_address();
        read(at, size());
        break;
      }
      case 3: {
        const uint64_t at = bar_address();
        write(at, size());
        break;
      }
      case 4: {
        const uint64_t at = pcie::kBar0Base + pcie::kTlbConfigBase + in_.half() % 2700 / 4 * 4;
        write32(at, in_.word());
        break;
      }
      case 5:
      case 6: aim_window(); break;
      case 7:
      case 8:
      case 9: {
        const uint64_t at = window_base(last_window_) + in_.word() % pcie::kSmallWindowBytes;
        if (action == 7) {
          read(at, size());
        } else {
          write(at, size());
        }
        break;
      }
      case 10: region(); break;
      case 11: dma(); break;
      case 12:
      case 13: {
        const uint32_t where = in_.byte(), x = where % 32, y = where >> 5 | (in_.below(4) << 2);
        const uint64_t at = tile_address();
        const uint32_t bytes = size();
        if (action == 12) {
          libttsim_tile_wr_bytes(x, y, at, filled(bytes).data(), bytes);
        } else {
          const auto into = access_.last(bytes);
          libttsim_tile_rd_bytes(x, y, at, into.data(), bytes);
          note_all(into);
        }
        break;
      }
      case 14: start_hart(); break;
      case 15: {
        const uint32_t kind = in_.byte();
        libttsim_set_pci_dma_mem_callbacks(kind & 1 ? read_host : nullptr, kind & 2 ? write_host : nullptr);
        break;
      }
      case 16: {  // no memory, no bytes, no simulator
        const uint64_t at = bar_address();
        switch (in_.below(8)) {
          case 0: libttsim_pci_mem_rd_bytes(at, nullptr, in_.word()); break;
          case 1: libttsim_pci_mem_wr_bytes(at, nullptr, in_.word()); break;
          case 2: libttsim_pci_mem_rd_bytes(at, access_.last(1).data(), 0); break;
          case 3: libttsim_tile_rd_bytes(in_.word(), 2, at, nullptr, 4); break;
          case 4: libttsim_tile_wr_bytes(1, in_.word(), at, access_.last(4).data(), 4); break;
          case 5: libttsim_init(); break;
          default: libttsim_exit(); break;
        }
        break;
      }
      case 17: libttsim_init(); break;
      case 18: libttsim_clock(in_.half() % kLongClock); break;
      default: libttsim_clock(in_.byte()); break;
    }
  }

  Input in_;
  GuardedMemory access_{kAccessPages};
  uint32_t last_window_ = 0;
  uint64_t hash_ = 0xCBF29CE484222325;
};

}  // namespace

uint64_t fuzz_bars(std::span<const uint8_t> bytes) {
  const Silence silence;
  return Client(Input(bytes)).run();
}

}  // namespace kerr::fuzz
