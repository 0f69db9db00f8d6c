#include "tests/oracle/tile_case.hpp"

#include <stdexcept>

#include "tests/oracle/run.hpp"

namespace kerr::oracle {

std::vector<std::uint8_t> run_case(Device& device, const TileCase& c) {
  const TileXy tile;
  for (const TileCase::Memory& m : c.before) device.write(tile, m.address, m.bytes);
  const std::string waiting = run_harts(device, tile, c.programs, {}, 200000);
  if (!waiting.empty()) throw std::runtime_error("harts that did not finish: " + waiting);
  std::vector<std::uint8_t> out;
  for (const TileCase::Region& r : c.after) {
    const std::vector<std::uint8_t> bytes = device.read(tile, r.address, r.bytes);
    out.insert(out.end(), bytes.begin(), bytes.end());
  }
  return out;
}

}  // namespace kerr::oracle
