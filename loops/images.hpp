// The bytes of a launch's views on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "host/runtime/chip.hpp"
#include "loops/executable.hpp"

namespace kerr::loops {

/// Bytes that lie in several views have one place here, too.
class Images {
 public:
  /// Reads them. `views` must live as long as this does.
  Images(host::Chip& chip, std::span<const View> views);

  /// The bytes of the k-th view; empty if it has none.
  std::span<std::byte> view(size_t k);
  std::vector<std::span<std::byte>> all();
  /// Reads them again from the device; forgets what was changed here.
  void read(host::Chip& chip);
  /// Writes the pages that were changed here to the device.
  void write_changes(host::Chip& chip) const;

 private:
  // Bytes of one buffer that a view, or several that overlap, cover.
  struct Piece {
    const host::Buffer* buffer;
    uint64_t begin, end;
    std::vector<std::byte> before, now;
  };
  std::span<const View> views_;
  std::vector<Piece> pieces_;  // sorted, and none overlaps another
};

}  // namespace kerr::loops
