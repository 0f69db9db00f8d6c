// What the code of a hart, its routines and the host agree on: arguments, and the hart's working memory in L1.
#pragma once

#include <cstdint>

namespace kerr::loops::scalar {

inline constexpr uint32_t kLineBytes = 1024;  // that a hart reads at once
inline constexpr uint32_t kLineShift = 10;
inline constexpr uint32_t kPageShift = 12;  // what is read whole is read in pages

/// Words of the arguments common to all harts of a kind. Behind them: for each object the address in its banks; for
/// each parameter the offset of its view; for each variable two words.
struct Arguments {
  enum : uint32_t { WorkArea, CommandBuffers, BankTable, Iterations, Harts, First };
};

/// The working memory begins with these words. `gp` points to it.
struct Work {
  enum : uint32_t {
    Arguments = 0,       // where the common ones are
    Hart = 4,            // which of Harts this is
    CommandBuffers = 8,  // address of the NIU's command buffer 0
    BankTable = 12,      // address of the banks' coordinates for this NoC
    ReadsExpected = 16,  // the counters when all that was issued has completed
    WritesExpected = 20,
    Saved = 24,  // ten words of routines
    Stack = 64,  // sp at entry
    First = 68,  // address of an object, then their offsets ...
  };
};

/// Words that the routines keep of an object.
struct ObjectWords {
  enum : uint32_t {
    Base = 0,     // address in each bank
    Tags = 4,     // of its cache: pairs of a line's number and what an offset needs to become an address in L1
    LastSet = 8,  // sets - 1, unless they are folded
    Lines = 12,   // the sets' lines in L1
    DirtyLow = 16,
    DirtyHigh = 20,  // stored, and not sent: offsets
    WriteLine = 24,  // where in L1: one of two lines that lie together
    LineShift = 28,  // of its cache's lines, if they are folded
    Bytes = 32,
  };
};

}  // namespace kerr::loops::scalar
