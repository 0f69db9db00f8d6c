#include "tests/oracle/run.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace kerr::oracle {
namespace {

constexpr std::size_t kCodeBytes = 0x10000;
constexpr const char* kNames[] = {"B", "T0", "T1", "T2", "NC"};

std::string unfinished(Device& device, TileXy tile, std::span<const Device::Start> starts) {
  std::string names;
  for (const Device::Start& s : starts)
    if (device.read32(tile, done_address(s.hart)) != 1)
      names += std::string(kNames[static_cast<unsigned>(s.hart)]) + " ";
  return names;
}

}  // namespace

std::string run_harts(Device& device, TileXy tile, const std::map<Hart, Program>& programs,
                      const std::map<Hart, std::uint32_t>& entries, std::uint32_t limit) {
  std::vector<Device::Start> starts;
  for (const auto& [hart, program] : programs) {
    const std::vector<std::uint32_t> code = program.finish(done_address(hart), 1);
    if (4 * code.size() > kCodeBytes) throw std::runtime_error("a program is longer than 64 KiB");
    device.write(tile, code_address(hart), {reinterpret_cast<const std::uint8_t*>(code.data()), 4 * code.size()});
    starts.push_back({hart, code_address(hart)});
  }
  for (const auto& [hart, pc] : entries) starts.push_back({hart, pc});
  for (const Device::Start& s : starts) device.write32(tile, done_address(s.hart), 0);

  device.start(tile, starts);
  std::string waiting = unfinished(device, tile, starts);
  for (std::uint32_t clocked = 0, step = 64; !waiting.empty() && clocked < limit; clocked += step, step *= 2) {
    step = std::min(step, limit - clocked);
    device.clock(step);
    waiting = unfinished(device, tile, starts);
  }
  device.stop(tile);
  return waiting;
}

std::uint32_t crc32(std::span<const std::uint8_t> bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const std::uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
  }
  return ~crc;
}

}  // namespace kerr::oracle
