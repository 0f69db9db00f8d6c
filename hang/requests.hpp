// The last requests of each tile: what its command buffers still hold.   docs/hardware/noc.md 2.2
#pragma once

#include <string>
#include <vector>

#include "hang/things.hpp"

namespace kerr::hang {

/// A request that a command buffer was last used for, if it was to tiles of the chip.
struct LastRequest {
  enum class Kind : uint8_t { Read, Write, InlineWrite, Atomic };
  Kind kind = Kind::Write;
  size_t tile = 0;  // whose NIU
  int noc = 0;
  bool multicast = false;
  arch::NocCoord first, last;  // the receivers, or where a read reads; equal unless it is a multicast
  uint64_t address = 0;        // there
  uint32_t bytes = 0;

  bool reaches(arch::NocCoord core) const {
    return core.x >= first.x && core.x <= last.x && core.y >= first.y && core.y <= last.y;
  }
};

/// Those of all tiles of the scene.
std::vector<LastRequest> last_requests(const Scene& scene);
/// "multicast write of 4 bytes to (2,2)-(3,2) L1 0x86c0"
std::string text(const LastRequest& request);

/// Whether the loop would end if the word had this value.
bool satisfies(const Want& want, uint32_t value);

/// Lines about a word that did not get its value: who has it instead, and what went nearly there.
std::vector<std::string> near_misses(const Scene& scene, const Want& want, const std::vector<LastRequest>& requests);

}  // namespace kerr::hang
