// SrcA or SrcB: two banks that the unpackers fill and the matrix unit reads, and which of them owns each bank.
// docs/hardware/tensix-datapath.md 9
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "emu/agent.hpp"
#include "emu/math/formats.hpp"
#include "emu/math/src_bank.hpp"
#include "emu/snapshot/archive.hpp"
#include "emu/wait.hpp"

namespace kerr::emu::tensix {

/// A bank is handed back and forth between its two owners; each side has its own pointer to the bank that it uses next.
/// Ownership is a bit of the bank, not a count: an unpacker whose bank still belongs to the matrix unit waits.
class SrcRegister {
 public:
  enum class Owner : uint8_t { Unpackers, Fpu };

  /// `banks`: two banks in zeroed memory. `what`: wait::kSrcA or wait::kSrcB.
  SrcRegister(math::SrcBank* banks, WaitBoard& board, WaitMask what) : banks_(banks), board_(board), what_(what) {}

  // --- who may touch its bank ----------------------------------------------------------------------------------------
  bool unpacker_may_write() const { return owner_[unpack_] == Owner::Unpackers; }
  bool fpu_may_read() const { return owner_[fpu_] == Owner::Fpu; }
  WaitMask what() const { return what_; }  // changes with every hand-over

  math::SrcBank& unpack_bank() { return banks_[unpack_]; }
  math::SrcBank& fpu_bank() { return banks_[fpu_]; }
  math::SrcBank& bank(unsigned index) { return banks_[index]; }
  unsigned unpack_index() const { return unpack_; }
  unsigned fpu_index() const { return fpu_; }
  Owner owner(unsigned index) const { return owner_[index]; }

  /// The format that the matrix unit takes the cells of its bank to have, unless DISABLE_IMPLIED_SRCx_FMT. Code 0 after
  /// reset.
  math::Format fpu_format() const { return format_[fpu_]; }

  // --- rows of which nobody knows what they hold ---------------------------------------------------------------------
  /// An unpack whose formats have no meaning here left them; whoever reads one before it is overwritten commits a
  /// fault.
  struct Unknown {
    uint64_t rows = 0;  // one bit each
    uint32_t word = 0;  // the last such UNPACR
    int thread = 0;
    math::Format in{}, out{};
    void serialize(Archive& a) {
      a(rows, word);
      a.below(kThreads, thread);
      a.below(16, in);
      a.below(16, out);
    }
  };
  const Unknown& unknown() const { return unknown_[fpu_]; }
  bool unpackers_know() const { return unknown_[unpack_].rows == 0; }
  void lose(const Unknown& unknown) {
    const uint64_t before = unknown_[unpack_].rows;
    unknown_[unpack_] = unknown;
    unknown_[unpack_].rows |= before;
  }
  /// These rows of a bank have been overwritten.
  void learn(unsigned bank, uint64_t rows) { unknown_[bank].rows &= ~rows; }

  // --- hand-over -----------------------------------------------------------------------------------------------------
  /// set_dat_valid: the unpackers' bank goes to the matrix unit, and they turn to the other one.
  void give_to_fpu(math::Format format) {
    board_.about_to_change(what_);
    format_[unpack_] = format;
    owner_[unpack_] = Owner::Fpu;
    unpack_ ^= 1;
  }
  /// SETDVALID: as above, but the bank keeps its implied format (tensix-datapath.md 16).
  void give_to_fpu() { give_to_fpu(format_[unpack_]); }

  /// clear_dvalid of an instruction: the matrix unit turns to its other bank. With CLR_DVALID_SrcX_Disable
  /// (`keep_valid`) it turns without giving the bank back.
  void release(bool keep_valid) {
    board_.about_to_change(what_);
    if (!keep_valid) owner_[fpu_] = Owner::Unpackers;
    fpu_ ^= 1;
  }
  /// CLEARDVALID: gives the bank back in any case; its `reset` bit 1 keeps the pointer.
  void clear_valid(bool keep_pointer) {
    board_.about_to_change(what_);
    owner_[fpu_] = Owner::Unpackers;
    if (!keep_pointer) fpu_ ^= 1;
  }
  /// Soft-reset bits 15 and 16, CLEARDVALID reset bit 0: both banks to the unpackers, pointers to 0. Cells and formats
  /// stay.
  void reset_ownership() {
    board_.about_to_change(what_);
    owner_ = {};
    unpack_ = fpu_ = 0;
  }

  /// Soft-reset bits 19 to 22, and 10 and 16 for all columns: cells of both banks become 0.
  void reset_columns(unsigned first, unsigned count) {
    for (unsigned index = 0; index < 2; ++index) {
      for (auto& row : banks_[index].cells) std::fill_n(row + first, count, 0);
      banks_[index].changed();
    }
  }

  void serialize(Archive& a) {
    for (unsigned i = 0; i < 2; ++i) {
      a.pages(banks_[i].cells, sizeof banks_[i].cells);
      if (a.loading()) banks_[i].changed();
      a.below(2, owner_[i]);
      a.below(16, format_[i]);
      a.machinery(unknown_[i]);
    }
    a.below(2, unpack_);
    a.below(2, fpu_);
    a(row_base);
  }

  /// SrcRow of the unpacker that fills this register: 0, 16, 32 or 48, used when SetOvrdWithAddr is 0.
  std::array<uint8_t, kThreads> row_base{};

 private:
  math::SrcBank* banks_;
  WaitBoard& board_;
  WaitMask what_;
  std::array<Owner, 2> owner_{};
  std::array<math::Format, 2> format_{};
  std::array<Unknown, 2> unknown_{};
  uint8_t unpack_ = 0;
  uint8_t fpu_ = 0;
};

}  // namespace kerr::emu::tensix
