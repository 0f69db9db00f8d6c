// Numbers of 16 bits that scalar code copies two at a time.
#pragma once

#include "loops/tiles/maker.hpp"

namespace kerr::loops::tiles {

/// Makes innermost loops copy words that do nothing but copy neighbours of 16 bits out of scratch memory to neighbours,
/// where an even number of them lies together.
void copy_in_pairs(Made& made);

}  // namespace kerr::loops::tiles
