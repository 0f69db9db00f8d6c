#include <map>

#include "arch/boards.hpp"
#include "emu/tile/tile.hpp"
#include "oracle/run.hpp"
#include "tests/fuzz/input.hpp"
#include "tests/fuzz/targets.hpp"

namespace kerr::fuzz {
namespace {

using oracle::Hart;
using oracle::Program;

constexpr unsigned kStepsAtMost = 1500;  // of one hart: its code area holds them
constexpr emu::Cycle kWindow = 256, kCyclesAtMost = 16 * 1024;

// Where something is to be found: L1, local memory, and the windows of docs/hardware/tile.md.
constexpr uint32_t kPlaces[] = {0x00000000, 0x00040000, 0x0017FF00, 0xFFB00000, 0xFFB11000, 0xFFB12000,
                                0xFFB13000, 0xFFB14000, 0xFFB20000, 0xFFB30000, 0xFFB40000, 0xFFB48000,
                                0xFFB80000, 0xFFBD8000, 0xFFC00000, 0xFFE00000, 0xFFE40000, 0xFFE50000,
                                0xFFE60000, 0xFFE80000, 0xFFEC0000, 0xFFEF0000, 0xFFEF0380, 0xFFEF0A80};

uint32_t address(Input& in) {
  const uint32_t kind = in.byte();
  if (kind == 0) return in.word();
  return kPlaces[kind % std::size(kPlaces)] + (kind & 0x80 ? in.half() : in.byte() * 4);
}

void step(Program& p, Input& in) {
  switch (in.below(12)) {
    case 0:
    case 1: {
      const uint32_t at = address(in);
      p.store(at, in.below(2) ? in.word() : in.byte());
      break;
    }
    case 2: p.load(address(in)); break;
    case 3: p.raw(in.word()); break;
    case 4: p.drain(); break;
    case 5: {
      const uint32_t index = in.below(9);
      p.mop_config(index, in.below(2) ? in.any_instruction() : in.byte());
      break;
    }
    case 6: {
      const uint32_t index = in.below(224);
      p.config(index, in.word());
      break;
    }
    case 7: {  // inline: the word rotated left by two
      const uint32_t w = in.any_instruction();
      p.raw(w << 2 | w >> 30);
      break;
    }
    case 8: {
      const uint32_t from = address(in);
      p.copy(address(in), from);
      break;
    }
    default: p.push(in.any_instruction()); break;
  }
}

void set(emu::Tile& tile, uint64_t at, std::span<const uint8_t> bytes) { (void)tile.host_write(at, bytes); }

// Loads and starts programs as oracle::run_harts does.
class TileChip final : public oracle::Chip {
 public:
  explicit TileChip(emu::Tile& tile) : tile_(tile) {}
  void write(oracle::TileXy, uint64_t at, std::span<const uint8_t> bytes) override { set(tile_, at, bytes); }
  std::vector<uint8_t> read(oracle::TileXy, uint64_t at, size_t bytes) override {
    std::vector<uint8_t> out(bytes);
    (void)tile_.host_read(at, out);
    return out;
  }
  void clock(uint32_t cycles) override {
    tile_.run(tile_.time() + (cycles + kWindow - 1) / kWindow * kWindow);
    tile_.outbox().messages().clear();
  }

 private:
  emu::Tile& tile_;
};

}  // namespace

uint64_t fuzz_tile(std::span<const uint8_t> bytes) {
  static const emu::NocGeometry geometry(arch::kP100a.harvesting);
  const auto raw = arch::raw_of(geometry.translation(0), 0, {1, 2});
  emu::Tile tile(emu::TileId::at(0, raw.x, raw.y), geometry);
  Input in(bytes);
  std::map<Hart, Program> programs;
  Hart hart = Hart::Trisc0;
  for (unsigned n = 0; n < kStepsAtMost && !in.empty(); ++n) {
    if (in.below(8) == 0) hart = static_cast<Hart>(in.below(5));
    step(programs[hart], in);
  }
  TileChip chip(tile);
  oracle::run_harts(chip, {}, programs, {}, kCyclesAtMost);
  uint64_t hash = hash_of(tile);
  for (const emu::AgentWait& wait : tile.describe_waits()) hash = hash * 31 + wait.text.size();
  for (const emu::Fault& fault : tile.faults().take()) hash = hash * 31 + fault.text().size();
  return hash;
}

}  // namespace kerr::fuzz
