#include "oracle/tile_case.hpp"

#include <stdexcept>

#include "oracle/run.hpp"

namespace kerr::oracle {

std::vector<uint8_t> run_case(Chip& device, const TileCase& c) {
  const TileXy tile;
  for (const TileCase::Memory& m : c.before) device.write(tile, m.address, m.bytes);
  const std::string waiting = run_harts(device, tile, c.programs, {}, 200000);
  if (!waiting.empty()) throw std::runtime_error("harts that did not finish: " + waiting);
  std::vector<uint8_t> out;
  for (const TileCase::Region& r : c.after) {
    const std::vector<uint8_t> bytes = device.read(tile, r.address, r.bytes);
    out.insert(out.end(), bytes.begin(), bytes.end());
  }
  return out;
}

uint32_t checksum(const TileCase& c) {
  std::vector<uint8_t> all;
  for (const TileCase::Memory& m : c.before) all.insert(all.end(), m.bytes.begin(), m.bytes.end());
  for (const std::string& line : c.text) all.insert(all.end(), line.begin(), line.end());
  for (const auto& [hart, program] : c.programs) all.push_back(static_cast<uint8_t>(place_of(hart)));
  return crc32(all);
}

MakeCase case_generator(std::string_view name) {
  if (name == "tensix") return random_tensix_case;
  if (name == "rv32") return random_rv32_case;
  if (name == "rv32f") return random_rv32_float_case;
  return nullptr;
}

}  // namespace kerr::oracle
