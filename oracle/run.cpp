#include "oracle/run.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "arch/bytes.hpp"

namespace kerr::oracle {
namespace {

constexpr size_t kCodeBytes = 0x10000;
constexpr const char* kNames[] = {"B", "T0", "T1", "T2", "NC"};

std::string unfinished(Chip& device, TileXy tile, std::span<const Chip::Start> starts) {
  std::string names;
  for (const Chip::Start& s : starts)
    if (device.read32(tile, done_address(s.hart)) != 1) names += std::string(kNames[place_of(s.hart)]) + " ";
  return names;
}

}  // namespace

std::string run_harts(Chip& device, TileXy tile, const std::map<Hart, Program>& programs,
                      const std::map<Hart, uint32_t>& entries, uint32_t limit) {
  std::vector<Chip::Start> starts;
  for (const auto& [hart, program] : programs) {
    const std::vector<uint32_t> code = program.finish(done_address(hart), 1);
    if (4 * code.size() > kCodeBytes) throw std::runtime_error("a program is longer than 64 KiB");
    device.write(tile, code_address(hart), arch::as_uint8(code));
    starts.push_back({hart, code_address(hart)});
  }
  for (const auto& [hart, pc] : entries) starts.push_back({hart, pc});
  for (const Chip::Start& s : starts) device.write32(tile, done_address(s.hart), 0);

  device.start(tile, starts);
  std::string waiting = unfinished(device, tile, starts);
  for (uint32_t clocked = 0, step = 64; !waiting.empty() && clocked < limit; clocked += step, step *= 2) {
    step = std::min(step, limit - clocked);
    device.clock(step);
    waiting = unfinished(device, tile, starts);
  }
  device.stop(tile);
  return waiting;
}

uint32_t crc32(std::span<const uint8_t> bytes) {
  static constexpr std::array<uint32_t, 256> kTable = [] {
    std::array<uint32_t, 256> table{};
    for (uint32_t n = 0; n < 256; ++n) {
      uint32_t v = n;
      for (int bit = 0; bit < 8; ++bit) v = v >> 1 ^ (v & 1 ? 0xEDB88320 : 0);
      table[n] = v;
    }
    return table;
  }();
  uint32_t crc = 0xFFFFFFFF;
  for (const uint8_t byte : bytes) crc = crc >> 8 ^ kTable[(crc ^ byte) & 0xFF];
  return ~crc;
}

}  // namespace kerr::oracle
