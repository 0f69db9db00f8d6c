// Harts that do anything to the registers of their two NIUs, on a device with host memory pinned between pages that
// nobody may touch.   docs/hardware/noc.md 2 to 5
#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "arch/boards.hpp"
#include "arch/bytes.hpp"
#include "arch/noc_registers.hpp"
#include "arch/pcie.hpp"
#include "emu/machine/machine.hpp"
#include "host/device/emulated_device.hpp"
#include "oracle/device.hpp"
#include "oracle/program.hpp"
#include "oracle/run.hpp"
#include "tests/fuzz/guarded_memory.hpp"
#include "tests/fuzz/input.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/fuzz/targets.hpp"

namespace kerr::fuzz {
namespace {

using oracle::Hart;
using oracle::Program;
using oracle::TileXy;
namespace niu = arch::niu;

constexpr unsigned kStepsAtMost = 400;
constexpr uint64_t kCyclesAtMost = 16 * 1024;
constexpr TileXy kTiles[] = {{1, 2}, {2, 2}, {16, 11}};
constexpr uint8_t kUntouched = 0xA5;

class MachineChip final : public oracle::Chip {
 public:
  explicit MachineChip(host::EmulatedDevice& device) : device_(device) {}
  void write(TileXy tile, uint64_t at, std::span<const uint8_t> bytes) override {
    (void)device_.machine().write_coordinate(0, tile.x, tile.y, at, bytes);
  }
  std::vector<uint8_t> read(TileXy tile, uint64_t at, size_t bytes) override {
    std::vector<uint8_t> out(bytes);
    (void)device_.machine().read_coordinate(0, tile.x, tile.y, at, out);
    return out;
  }
  void clock(uint32_t cycles) override {
    (void)device_.wait([] { return false; }, {.cycles = cycles});
  }

 private:
  host::EmulatedDevice& device_;
};

// Where packets go: Tensix, DRAM, PCIe, ARC and Ethernet tiles, and anywhere.
uint32_t coordinate(Input& in) {
  constexpr uint32_t kPlaces[] = {1 | 2 << 6,   2 | 2 << 6, 16 | 11 << 6, 17 | 12 << 6, 18 | 23 << 6,
                                  19 | 24 << 6, 8,          20 | 25 << 6};
  const uint32_t kind = in.byte();
  return kind < 4 ? in.half() & 0xFFF : kPlaces[kind % std::size(kPlaces)];
}
uint32_t place(Input& in, bool rectangle) {
  const uint32_t end = coordinate(in);
  if (!rectangle) return end;
  constexpr uint32_t kAll = (16 | 11 << 6) | (1 | 2 << 6) << 12;
  return in.below(4) != 0 ? kAll : end | coordinate(in) << 12;
}
uint32_t any_register(Input& in) {
  const uint32_t base = arch::niu_base(static_cast<int>(in.below(2)));
  return base + (in.half() & (niu::kBlockBytes - 4));
}

uint32_t counter(Input& in) {
  const int noc = static_cast<int>(in.below(2));
  return arch::niu_counter_address(noc, static_cast<int>(in.below(niu::kCounters)));
}

// The same low four bits mostly, as a packet wants it.
uint32_t offset(Input& in) {
  constexpr uint32_t kOffsets[] = {0x100000, 0x20000,    0x17FFF0,   0x17C000,   0xFFB20000, 0xFFB30000,
                                   0x30000,  0xFFB40000, 0x40000000, 0x40000FF0, 0x40001000, 0x40001FF0};
  const uint32_t at = kOffsets[in.below(std::size(kOffsets))], kind = in.byte();
  return at + (kind < 16 ? in.half() : kind & ~15u);
}

// A request as firmware makes it, with one word now and then that it would not write.
void request(Program& p, Input& in) {
  const uint32_t shape = in.byte(), base = arch::niu_base(shape & 1) + (shape >> 1 & 3) * niu::kCommandBufferStride;
  constexpr uint32_t kControls[] = {
      niu::kCtrlWordRead,         niu::kCtrlWordWrite,
      niu::kCtrlWordWritePosted,  niu::kCtrlWordInline,
      niu::kCtrlWordInlinePosted, niu::kCtrlWordAtomic,
      niu::kCtrlWordMulticast,    niu::kCtrlWordMulticast | niu::kCtrlBroadcastSrcInclude};
  uint32_t control = kControls[shape >> 3 & 7];
  if (shape >> 6 == 3 && in.below(4) == 0) control ^= 1u << in.below(32);
  const bool rectangle = (control & niu::kCtrlBroadcast) != 0;
  const auto put_address = [&](uint32_t lo, uint32_t hi) {
    const uint32_t at = offset(in);
    const bool host = at >= 0x40000000 && at < 0x40010000;  // pinned memory, behind the PCIe tile
    p.store(base + lo, at);
    const uint32_t kind = in.byte();
    p.store(base + lo + 4, kind < 8 ? in.word() : host || kind < 16 ? arch::pcie::kNocHostMid : 0);
    p.store(base + hi, host && kind >= 16 ? 19 | 24 << 6 : place(in, rectangle && hi == niu::kRetAddrHi));
  };
  put_address(niu::kTargAddrLo, niu::kTargAddrHi);
  put_address(niu::kRetAddrLo, niu::kRetAddrHi);
  p.store(base + niu::kPacketTag, in.below(16) == 0 ? in.half() : in.below(16) << 10);
  p.store(base + niu::kCtrl, control);
  const uint32_t length = in.byte();
  p.store(base + niu::kAtLenBe, length < 16 ? in.half() : (control & 3) == niu::kCtrlAtomic ? 0x107C : length * 16);
  if (in.below(16) == 0) p.store(base + niu::kAtLenBe1, in.word());
  p.store(base + niu::kAtData, in.word());
  if (in.below(16) == 0) p.store(base + niu::kBrcstExclude, in.word());
  p.store(base + niu::kCmdCtrl, in.below(32) == 0 ? in.word() : niu::kCmdCtrlIssue);
}

void step(Program& p, Input& in) {
  switch (in.below(64)) {
    case 0: {
      const uint32_t at = any_register(in);
      p.store(at, in.below(2) ? in.word() : in.byte());
      break;
    }
    case 1: p.load(any_register(in)); break;
    case 4:
    case 5:
    case 6:
    case 7: p.load(counter(in)); break;
    case 2: {
      const uint32_t base = arch::niu_base(static_cast<int>(in.below(2)));
      const uint32_t at = base + niu::kConfigBase + in.below(32) * 4;
      p.store(at, in.word());
      break;
    }
    case 3: {
      const uint32_t at = 0xFFB40000 + (in.half() << 4 & 0x3FFFC);
      p.store(at, in.word());
      break;
    }
    default: request(p, in); break;
  }
}

}  // namespace

uint64_t fuzz_niu(std::span<const uint8_t> bytes) {
  // Pages 0 and 2 are pinned, one behind the other for the device; page 1 lies between them here.
  static GuardedMemory memory(3);
  std::fill(memory.bytes().begin(), memory.bytes().end(), kUntouched);
  Input in(bytes);
  host::EmulatedDevice device(
      {.chip = {.boards = {arch::kP150}, .timing = in.below(4) == 0 ? emu::Timing::Exact : emu::Timing::Relaxed}});
  (void)device.pin(std::as_writable_bytes(memory.page(0)));
  (void)device.pin(std::as_writable_bytes(memory.page(2)));
  MachineChip chip(device);

  std::map<std::pair<unsigned, Hart>, Program> programs;
  std::pair<unsigned, Hart> who{0, Hart::Brisc};
  for (unsigned n = 0; n < kStepsAtMost && !in.empty(); ++n) {
    if (in.below(6) == 0) who = {in.below(std::size(kTiles)), static_cast<Hart>(in.below(5))};
    step(programs[who], in);
  }
  for (const auto& [key, program] : programs) {
    const auto words = program.finish(oracle::done_address(key.second), 1);
    chip.write(kTiles[key.first], oracle::code_address(key.second), arch::as_uint8(words));
  }
  for (unsigned t = 0; t < std::size(kTiles); ++t) {
    std::vector<oracle::Chip::Start> starts;
    for (const auto& [key, program] : programs)
      if (key.first == t) starts.push_back({key.second, oracle::code_address(key.second)});
    if (!starts.empty()) chip.start(kTiles[t], starts);
  }
  chip.clock(kCyclesAtMost);

  const auto between = memory.page(1);
  require(std::all_of(between.begin(), between.end(), [](uint8_t b) { return b == kUntouched; }),
          "only pinned pages are written");
  uint64_t hash = device.state_hash();
  const host::DeviceStatus status = device.status();
  hash = hash * 31 + device.cycles();
  hash = hash * 31 + status.report.size();
  for (const uint8_t byte : memory.bytes()) hash = hash * 31 + byte;
  return hash;
}

}  // namespace kerr::fuzz
