#include "kernels/shards.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace kerr::kernels {

Shards shards_of(const host::Buffer& buffer) {
  if (!buffer.is_sharded()) return {};
  Shards all{buffer.pages_in_a_row(0), {}};
  for (uint32_t page = 0; page < buffer.pages(); page += all.pages) all.tiles.push_back(buffer.page(page).tile);
  return all;
}

void check_shards(const Shards& shards, uint64_t tiles, const char* what) {
  const uint64_t there = uint64_t{shards.pages} * shards.tiles.size();
  if (shards.pages == 0 || there >= tiles) return;
  throw std::invalid_argument(fmt::format("{} has {} tiles, and {} shards of {} hold {}", what, tiles,
                                          shards.tiles.size(), shards.pages, there));
}

ShardTable append(std::vector<uint32_t>& common_arguments, const Shards& shards, isa::Reg arguments) {
  constexpr size_t kReach = 2048;  // of an offset
  if (shards.pages == 0) return {};
  const auto offset = static_cast<int32_t>(4 * common_arguments.size());
  for (size_t i = 0; i < shards.tiles.size(); i += 2) {
    const uint32_t second = i + 1 < shards.tiles.size() ? shards.tiles[i + 1].packed() : 0;
    common_arguments.push_back(shards.tiles[i].packed() | second << 16);
  }
  if (4 * common_arguments.size() > kReach) {
    throw std::invalid_argument(fmt::format("the coordinates of shards take {} bytes of arguments, and {} are possible",
                                            4 * common_arguments.size(), kReach));
  }
  return {shards.pages, arguments, offset};
}

}  // namespace kerr::kernels
