// A tile set up for the matrix unit: sources in both banks, Dst filled, modifiers, and Dst packed raw afterwards.
#pragma once

#include "oracle/instructions/maker.hpp"

namespace kerr::oracle {

class MatrixBench {
 public:
  enum class Sources {
    Arithmetic,
    Movable
  };  ///< Movable: formats that MOVA2D takes, so that SrcA and SrcB can be shown

  MatrixBench(CaseMaker& m, Sources sources);
  /// SrcB holds ones, as GMPOOL wants it. Before load().
  void fill_b_with_ones();
  /// Denormals are kept only if SrcB then has no zero: 0 - 0 without flushing is the one corner where the reference
  /// simulator is known to be off (tensix-math.md 5.2). Before load().
  void avoid_zero_minus_zero();

  /// Configuration, Dst rows 0..63 filled, SrcA and SrcB loaded and valid, counters 0. Modifier 7 moves nothing, the
  /// others step by multiples of these rows.
  void load(unsigned step_a, unsigned step_b, unsigned step_dst);
  /// Fills the next bank and hands it over.
  void unpack(unsigned unpacker);
  /// Unpacks until the named sources are valid.
  void need(bool a, bool b);
  /// Bits for clear_dvalid, now and then, kept track of.
  uint32_t release();
  void released(uint32_t bits);
  /// Something else than unpack() made the next bank valid.
  void handed_over(unsigned unpacker) { ++valid_[unpacker]; }
  void reset_phase() { m_.push(isa::tensix::SETRWC{.bit_mask = 8}); }
  /// Packs `rows` rows of Dst as they are to the next part of the output area.
  void show_dst(unsigned rows);
  /// Moves SrcA and SrcB to Dst and packs it; nothing in a format that MOVB2D refuses.
  void show_sources();

  bool wide() const { return wide_; }
  bool int8() const { return int8_; }
  unsigned format_a() const { return a_.cell; }

 private:
  struct Format {
    unsigned l1, cell;
  };
  std::vector<uint8_t> tile_for_b();
  void configure();
  void fill_dst();
  void set_modifiers(unsigned step_a, unsigned step_b, unsigned step_dst);
  unsigned raw_format() const { return int8_ ? 8 : wide_ ? 0 : 9; }

  CaseMaker& m_;
  Format a_{}, b_{};
  bool wide_ = false, int8_ = false, flush_ = true, ones_ = false, no_zeros_ = false;
  std::array<unsigned, 2> valid_{}, next_{};
  uint32_t output_ = kOutput;
};

}  // namespace kerr::oracle
