// The Tensix and Ethernet tiles of a chip, made when somebody first touches them, and when each has something to do
// next.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "arch/grid.hpp"
#include "emu/noc/geometry.hpp"
#include "emu/options.hpp"
#include "emu/tile/tile.hpp"

namespace kerr::emu {

/// A tile that nobody has touched is in its power-on state and costs nothing. One that sleeps keeps the time at which
/// it fell asleep: it is brought to the present before anybody looks at it.
class TileTable {
 public:
  TileTable(int chip, const NocGeometry& geometry, const Options& options, std::shared_ptr<DecodedLines> lines);

  /// False: the node has no tile, or a harvested one, or one without harts.
  bool present(uint8_t node) const { return geometry_.has_harts(node); }
  /// The tile at `node` (present), if it was ever touched.
  Tile* find(uint8_t node) const { return tiles_[node].get(); }
  const std::vector<uint8_t>& nodes() const { return nodes_; }  // of the tiles that exist, ascending

  // --- from outside the window loop: the host, between windows -----------------------------------------------------

  /// The tile, made if need be, at the machine's time.
  Tile& at_present(uint8_t node);
  /// A debugger looks while the tile at `node` is in the middle of its window: at_present() takes it as it is, until
  /// nobody stands anywhere any more.
  void stand_in(std::optional<uint8_t> node) { stood_in_ = node; }
  /// At once, with all side effects; a refusal comes back, and is not in the tile's log.
  std::optional<Fault> host_read(uint8_t node, uint64_t address, std::span<uint8_t> out, HostWay way);
  std::optional<Fault> host_write(uint8_t node, uint64_t address, std::span<const uint8_t> bytes, HostWay way);
  /// Tiles on which the host acted since the last call, each once: they may have sent something.
  std::vector<uint8_t> take_changed();
  bool changed() const { return !changed_.empty(); }

  // --- the window loop ---------------------------------------------------------------------------------------------

  void set_time(Cycle now) { now_ = now; }
  /// Puts a message into the tile's inbox.
  void deliver(Message&& message);
  /// Calls visit(node, next_event) for each tile that has anything to do before something reaches it, in ascending
  /// order. After a tile has run, its runner stores its new next event there.
  template <class Visit>
  void for_each_awake(Visit visit) {
    for (size_t word = 0; word < awake_.size(); ++word) {
      for (uint64_t left = awake_[word]; left != 0; left &= left - 1) {
        const auto node = static_cast<uint8_t>(64 * word + static_cast<unsigned>(std::countr_zero(left)));
        Cycle& event = next_events_[node];
        if (event == kNever) {
          awake_[word] &= ~(left & -left);
        } else {
          visit(node, event);
        }
      }
    }
  }
  void set_next_event(uint8_t node, Cycle event) {
    next_events_[node] = event;
    awake_[node / 64] |= uint64_t{1} << node % 64;
  }

  /// Brings all tiles to the present first.
  void serialize(Archive& archive);

 private:
  Tile& make(uint8_t node);
  Tile& make_and_tell(uint8_t node);
  void load(Archive& archive);
  std::optional<Fault> after_host(uint8_t node, bool done);

  const int chip_;
  const NocGeometry& geometry_;
  const Options& options_;
  const std::shared_ptr<DecodedLines> lines_;
  Cycle now_ = 0;
  std::optional<uint8_t> stood_in_;
  std::array<std::unique_ptr<Tile>, arch::kGridTiles> tiles_;
  std::array<Cycle, arch::kGridTiles> next_events_;             // kNever where there is no tile
  std::array<uint64_t, (arch::kGridTiles + 63) / 64> awake_{};  // a bit that is not set: the next event is kNever
  std::array<bool, arch::kGridTiles> is_changed_{};
  std::vector<uint8_t> nodes_;
  std::vector<uint8_t> changed_;
};

}  // namespace kerr::emu
