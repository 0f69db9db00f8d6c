// Tensix tiles as people write them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/grid.hpp"

namespace kerr::jobs {

/// "1,2" (column, row; translated), "1-4,2-3" (a rectangle; columns 8 and 9 hold no Tensix tile and are left out of
/// it), or "all": those that fast dispatch leaves to programs. Sums of these, in the order of add().
class Cores {
 public:
  Cores() = default;
  explicit Cores(std::string_view text) { add(text); }

  /// Throws std::invalid_argument with a sentence for a text that is none of these, and for a column or a row beyond
  /// the grid.
  void add(std::string_view text);
  bool empty() const { return !all_ && tiles_.empty(); }
  /// Sorted, each once. `workers`: what "all" means. Tiles that a board does not have are found by check_cores().
  std::vector<arch::NocCoord> among(std::span<const arch::NocCoord> workers) const;

 private:
  bool all_ = false;
  std::vector<arch::NocCoord> tiles_;
};

/// Throws std::invalid_argument for a core that is none of `tiles`, and says which there are. `board`: its name.
void check_cores(std::span<const arch::NocCoord> cores, std::span<const arch::NocCoord> tiles, std::string_view board);

/// "1,2". Throws std::invalid_argument.
arch::NocCoord parse_core(std::string_view text);

}  // namespace kerr::jobs
