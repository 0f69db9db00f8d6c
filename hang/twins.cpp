#include "hang/twins.hpp"

#include <fmt/format.h>

#include <map>

#include "arch/firmware_layout.hpp"
#include "arch/stream_registers.hpp"

namespace kerr::hang {

std::vector<std::string> compare_with_twins(const Scene& scene, const Want& want) {
  const Thing& thing = want.thing;
  const bool pushed = thing.kind == Thing::Kind::Pushed;
  if (!pushed && thing.kind != Thing::Kind::Popped) return {};
  const TileAt& own = scene.tiles()[thing.tile];
  const auto count_on = [&](size_t tile) {
    return scene.stream(tile, static_cast<int>(arch::kFwB.first_cb_stream + thing.index),
                        pushed ? arch::stream::kRemoteDestBufSize : arch::stream::kRemoteDestBufStart);
  };
  const uint32_t here = count_on(thing.tile);
  std::map<uint32_t, size_t> others;  // count, and on how many cores
  for (size_t t = 0; t < scene.tiles().size(); ++t) {
    const TileAt& tile = scene.tiles()[t];
    if (t == thing.tile || tile.launch != own.launch) continue;
    bool same = true;
    for (size_t h = 0; h < arch::kHarts; ++h) {
      const Kernel *a = own.kernels[h], *b = tile.kernels[h];
      same = same && (a == nullptr) == (b == nullptr) && (a == nullptr || a->code.image == b->code.image);
    }
    if (same) ++others[count_on(t)];
  }
  if (others.empty() || others.rbegin()->first <= here) return {};
  return {fmt::format("{} here, and {} on {} that run the same",
                      fmt::format("{} of its pages were {}", here, pushed ? "pushed" : "popped"),
                      others.rbegin()->first, check::counted(others.rbegin()->second, "other core"))};
}

}  // namespace kerr::hang
