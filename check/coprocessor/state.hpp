// What the checker knows of the state that the coprocessor's units and threads share.   docs/architecture.md "Checking"
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "check/clock.hpp"
#include "check/coprocessor/config_words.hpp"
#include "check/coprocessor/dst_rows.hpp"
#include "check/coprocessor/gprs.hpp"
#include "check/coprocessor/numbered_semaphore.hpp"
#include "check/coprocessor/vector_registers.hpp"
#include "check/stamp.hpp"

namespace kerr::check {

/// A hand-over of a bank: what came before, and the unit's instruction that did it.
struct HandOver {
  SnapshotPtr clock;
  Event event;
  uint32_t number = 0;  // of the hand-overs of the tile; 0: none
};

/// A bank of SrcA or SrcB.
struct SourceBank {
  Stamp unpacked;                           // the last write of an unpacker
  std::array<Stamp, 3> used;                // by thread: the last access of its matrix unit instructions
  HandOver given, released;                 // to the matrix unit, to the unpackers
  Stamp giver;                              // the instruction that gave it
  std::array<uint32_t, 3> given_taken{};    // by thread: the hand-overs that it has taken in
  std::array<uint32_t, 3> release_taken{};  // likewise
};

struct CoprocessorState {
  explicit CoprocessorState(Place place) : place_(place) {}

  DstRows dst;
  VectorRegisters vector;
  VectorUses vector_uses;
  std::array<SourceBank, 4> banks;  // two of SrcA, two of SrcB
  uint32_t hand_overs = 0;
  uint8_t banks_valid = 0;                           // that the matrix unit owns, one bit each
  bool knows_banks = false;                          // what is said here of pointers and owners
  std::array<uint8_t, 2> fpu_banks{1u, 4u};          // the bit of the bank that it uses next
  std::array<uint8_t, 2> next_banks{1u, 4u};         // likewise of the unpackers
  std::array<std::array<uint32_t, 2>, 3> flipped{};  // by thread: the last issue that turned to another bank
  ConfigWords config;
  std::array<TriscStores, 3> stores;
  std::array<Gprs, 3> gprs;  // of each thread
  struct Mutex {
    int holder = -1;  // thread
    Stamp taken;
  };
  std::array<Mutex, 8> mutexes;
  uint8_t started = 0, ended = 0;  // threads whose harts have begun, and ended, their kernel since the launch

  NumberedSemaphore& semaphore(size_t s) {
    if (!semaphores_[s]) semaphores_[s] = std::make_unique<NumberedSemaphore>(place_);
    return *semaphores_[s];
  }

 private:
  Place place_;
  std::array<std::unique_ptr<NumberedSemaphore>, 8> semaphores_;
};

}  // namespace kerr::check
