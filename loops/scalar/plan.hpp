// Where everything lies in the working memory of a hart, and how each parameter is reached.
#pragma once

#include <cstdint>
#include <vector>

#include "loops/executable.hpp"
#include "loops/program.hpp"
#include "loops/scalar/compile.hpp"
#include "loops/scalar/nest.hpp"
#include "loops/scalar/work_area.hpp"

namespace kerr::loops::scalar {

/// One or several parameters that may have bytes in common.
struct Object {
  enum class Reads : uint8_t {
    None,
    Whole,    // read at the beginning
    Cached,   // lines, as they are needed
    InOrder,  // the same, and what is stored is seen
  };
  Reads reads = Reads::None;
  bool stored = false;
  uint64_t bytes = 0;
  uint32_t words = 0;  // ObjectWords; all of these are offsets in the working memory
  uint32_t sets = 0, tags = 0, lines = 0;
  uint32_t line_shift = kLineShift;  // of a cached line's bytes
  bool folded = false;               // more lines than sets: the number of a line's set depends on all of its bits
  uint32_t write_lines = 0;
};

struct Plan {
  std::vector<Object> objects;
  std::vector<uint32_t> object_of;     // of each parameter
  std::vector<uint32_t> array_offset;  // of registers that are no scalars
  std::vector<bool> is_array;          // registers that are indexed by what is not known, or in pieces
  uint32_t whole_pages = 0;            // that every hart reads at the beginning
  uint32_t fetch_line = 0;             // for loads that are never cached; 0: there are none
  uint32_t windows = 0;                // loads that go through a parameter from front to back
  uint32_t lines_of_window = 0;        // each of them keeps so many: a power of two
  uint32_t window_lines = 0, window_tags = 0;
  std::vector<bool> alone;  // of each line: a store that no other of its object stands beside in the innermost loop
  uint32_t more_slots = 0;  // slots of registers that do not fit local RAM: the end
  Nest nest;
};

/// Working memory of a hart: two harts and the largest code fit into L1.
inline constexpr uint32_t kMostWork = 448 * 1024;

/// Throws std::invalid_argument for registers that do not fit. `places`: as of compile().
/// `uses_cache`: of each object, from code for an earlier plan; empty: not known, each may.
Plan make_plan(const Program& program, const Facts& facts, uint64_t places, const std::vector<bool>& uses_cache = {});

}  // namespace kerr::loops::scalar
