// The hang programs: what their kernels and the test that runs them agree on.
#pragma once

#include <stdint.h>

namespace kerr::hangs {

// Runtime arguments: which program, then what it needs. No number of a program can be taken for a coordinate.
enum class Hang : uint32_t {
  None,
  Ring = 1024,        // each core waits for its left neighbour
  RectangleTooSmall,  // a multicast flag misses one core
  OtherTile,          // an increment goes to another core
  Overshot,           // two are added, one is waited for
  TooManyPages,       // nine pages of a buffer of eight are waited for
  TooFewPages,        // seven of eight are pushed
  LockedMutex,        // a kernel returns with a mutex
  Mailbox,            // nobody writes to it
  OneOfMany,          // one core of all waits for a flag
  Livelock,           // two harts count round each other
  Equal,              // all cores wait for pages that nobody pushes
  TooManyReserved,    // room for nine pages of eight
  Breakpoint,         // ebreak
  Acknowledgements,   // one more than there are receivers is waited for
  ResetTooLate,       // the receiver clears a flag that has been raised already
  Overwritten,        // a hart stores over a count on its way to 2
  Covered,            // a longer transfer covers a flag that has been raised
  TooFewIncrements,   // one sender of three sends nothing
  WrongOffset,        // an increment goes to the next word
  FewerThanTwins,     // the producer of one core pushes less than that of others
};

inline constexpr uint32_t kBuffer = 0, kPages = 8, kPageBytes = 64;

}  // namespace kerr::hangs
