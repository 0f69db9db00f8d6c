// When the coprocessor's instructions start, and when their results are there.
// docs/hardware/timing.md 3-5, 13.3, 13.4
#pragma once

#include <array>
#include <cstdint>

#include "emu/agent.hpp"
#include "emu/cycle.hpp"
#include "emu/observe/unit_work.hpp"
#include "emu/snapshot/archive.hpp"
#include "emu/timing/parameters.hpp"
#include "isa/tensix/table.hpp"

namespace kerr::emu::timing {

/// Which banks of SrcA (0) and SrcB (1) unpackers and matrix unit use next.
struct BankPointers {
  std::array<uint8_t, 2> unpack{}, fpu{};
};

/// What an executed instruction touched, as far as its row cannot tell.
struct Touched {
  BankPointers before, after;
  unsigned dst_first = 0, dst_count = 0;  // logical rows
  bool reads_dst = false;                 // those rows (of an instruction that may)
  uint32_t moved_bytes = 0;               // between L1 and unpacker or packer
};

/// The three threads share the units. An instruction takes effect when it is executed; what is kept here is when it
/// really starts - its unit free, its source bank handed over, its Dst rows written - and when it is done, which others
/// wait for.
class CoprocessorTimer {
 public:
  explicit CoprocessorTimer(const Parameters& parameters) : p_(&parameters) {}

  /// The thread's instruction came to the wait gate at `work.came` and has been executed; fills in the rest of `work`.
  /// Returns when the thread's next one can come, at least `work.came` + 1.
  Cycle executed(int thread, const isa::tensix::Row& row, uint32_t word, const Touched& touched, UnitWork& work);

  /// When a vector instruction can begin that came to the wait gate at `came`.
  Cycle vector_start(int thread, const isa::tensix::Row& row, uint32_t word, Cycle came) const;

  void serialize(Archive& a);

  /// When a hart sees that everything is done that the thread has issued so far.
  Cycle finished(int thread) const;

 private:
  Cycle charge(int thread, const isa::tensix::Row& row, uint32_t word, const Touched& touched, UnitWork& work);

  static constexpr unsigned kBlockRows = 8, kBlocks = 128;

  void stall(int thread, uint32_t word, Cycle start, const Touched& touched);
  void hold(int thread, unsigned block_mask, Cycle until);
  void finish(int thread, size_t unit, Cycle done);
  Cycle vector_start(const isa::tensix::Row& row, uint32_t word, Cycle start) const;
  void vector_done(const isa::tensix::Row& row, uint32_t word, Cycle start);
  Cycle dst_ready(const Touched& touched) const;
  Cycle dst_turn(int thread, isa::tensix::Unit unit, Cycle start) const;
  void note_dst_access(int thread, isa::tensix::Unit unit, Cycle start);
  Cycle move_in(const Touched& touched);

  const Parameters* p_;
  std::array<Cycle, kUnits> busy_{};                        // until when the unit takes nothing
  std::array<std::array<Cycle, kUnits>, kThreads> done_{};  // of the thread's last instruction in each unit
  std::array<std::array<Cycle, 2>, 2> valid_{}, free_{};    // [SrcA, SrcB][bank]: for matrix unit, for unpackers
  std::array<Cycle, kBlocks> dst_ready_{};                  // of each aligned block of 8 rows
  Cycle dst_moves_ = 0;                                     // until when nothing reads Dst, whatever the rows
  struct Hold {
    unsigned mask = 0;
    Cycle until = 0;
    void serialize(Archive& a) { a(mask, until); }
  };
  std::array<Hold, kThreads> held_{};
  struct DstAccesses {
    Cycle matrix = 0, matrix_before = 0, vector = 0;  // starts of the last two and the last one; 0: none
    void serialize(Archive& a) { a(matrix, matrix_before, vector); }
  };
  std::array<DstAccesses, kThreads> dst_accesses_{};
  Cycle owed_half_ = 0;  // 1: half a cycle of a train of MOVA2D is still to pay
  std::array<Cycle, 16> lreg_{};
  Cycle lregs_ready_ = 0;  // all of them
  uint8_t last_vector_opcode_ = 0;
  Cycle last_vector_start_ = 0;
};

/// How many cycles the vector instruction `word` has to wait when it comes right behind `last`, for its result or for
/// the unit (docs/hardware/tensix-math.md 12).
Cycle vector_stall(uint32_t last, uint32_t word);

}  // namespace kerr::emu::timing
