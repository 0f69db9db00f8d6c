// The packer: rows of Dst, or datums of L1, to L1, converted on the way.   docs/hardware/tensix-datapath.md 12
// Dst read -> edge mask -> early conversion -> ReLU -> exponent histogram -> threshold -> downsampling -> late
// conversion -> shared exponents -> L1, accumulating or not. Whole rows of common formats take all of it in one step.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "emu/memory/l1.hpp"
#include "emu/observe/footprint.hpp"
#include "emu/tensix/issue.hpp"
#include "emu/tensix/pack/output_stream.hpp"
#include "emu/tensix/pack/rows.hpp"
#include "emu/tensix/pack/settings.hpp"
#include "emu/tensix/state/state.hpp"
#include "isa/tensix/instructions.hpp"

namespace kerr::emu::tensix {

class Packer {
 public:
  /// `fp16_fault`: accumulation of FP16 in L1 has the fault that it has on silicon (12.8).
  Packer(const Config& config, Adcs& adcs, const Dst& dst, PackerSignals& signals, L1& l1, bool fp16_fault = true)
      : config_(config), adcs_(adcs), dst_(dst), signals_(signals), l1_(l1), fp16_fault_(fp16_fault) {}

  /// Soft-reset bits 2..5: drops what is buffered and where the tile stood.
  void reset();

  Issue exec(int thread, const isa::tensix::PACR& i);  // settings.cpp -> rows.cpp -> stages.cpp -> output.cpp
  Issue exec(int thread, const isa::tensix::PACR_SETREG& i);
  Issue exec(int thread, const isa::tensix::TBUFCMD& i);
  /// For observers: the rows of Dst that the instruction will read.
  void foresee(int thread, uint32_t word, Footprint& f);

  void serialize(Archive& a) { a(data_, exponents_, tile_y_, tile_z_, padded_, tile_units_); }

 private:
  static constexpr unsigned kInterfaces = PackRows::kInterfaces;
  static constexpr unsigned kMostDatums = kInterfaces * Dst::kColumns + Dst::kColumns;  // and zeros behind them

  /// Bytes on their way to L1.
  struct Packed {
    std::array<uint8_t, kMostDatums * 4> data;
    std::array<uint8_t, kInterfaces + 1> exponents;
    size_t data_bytes = 0, exponent_bytes = 0;
  };

  bool settings_are_fresh(int thread) const {
    return settings_version_ == config_.version() && settings_bank_ == config_.bank_of(thread);
  }
  Issue refresh_settings(int thread);
  [[gnu::always_inline]] inline unsigned exec_adjacent_rows(int thread, const isa::tensix::PACR& i, Adc& adc);
  unsigned interfaces_of(const isa::tensix::PACR& i) const;
  Issue exec_any_rows(int thread, const isa::tensix::PACR& i, Adc& adc);
  Issue exec_zeros(int thread, const isa::tensix::PACR& i, Adc& adc);
  [[gnu::always_inline]] inline void finish(int thread, const isa::tensix::PACR& i, unsigned rows, Adc& adc);
  [[gnu::always_inline]] inline void advance_tile_position(unsigned rows, bool end_of_tile);

  // stages.cpp
  /// The places are set in `job`, the rest is done here. Keeps the largest exponent.
  void convert_whole_rows(math::PackJob& job) {
    const PackSettings& s = settings_;
    job.relu = s.relu;
    const unsigned above = (signals_.largest_exponent + 1u) << s.exponent_shift;
    job.largest = static_cast<uint16_t>(above > 0x8000 ? 0x7FFF : above - 1);
    const uint16_t before = job.largest;
    s.rows_function(job);
    if (job.largest != before) signals_.largest_exponent = static_cast<uint8_t>(job.largest >> s.exponent_shift);
  }
  void pack_whole_rows(const PackRows& rows, Packed& packed);
  Issue convert(const isa::tensix::PACR& i, const PackRows& rows, Packed& packed);
  void convert_row(const math::PackPath& path, const isa::tensix::PACR& i, const PackRows& rows, unsigned k,
                   uint32_t* datums);
  uint16_t edge_mask(unsigned k) const;
  void assemble(const uint32_t* datums, unsigned count, Packed& packed) const;

  // output.cpp
  Issue place_streams(const Adc& adc, uint64_t data_bytes, uint64_t exponent_bytes);
  void write(const Packed& packed);
  void write_data(uint32_t address, std::span<const uint8_t> bytes);
  void append_exponents(std::span<const uint8_t> bytes);
  void write_exponents(uint32_t address, std::span<const uint8_t> bytes);
  void end_tile(int thread);

  const Config& config_;
  Adcs& adcs_;
  const Dst& dst_;
  PackerSignals& signals_;
  L1& l1_;

  OutputStream data_, exponents_;
  uint8_t tile_y_ = 0, tile_z_ = 0;  // position in the tile, for edge masks
  uint8_t padded_ = 0;               // datums of the tile so far, modulo 16, for padding to sixteens
  uint32_t tile_units_ = 0;          // 16-byte units of the tile written so far
  const bool fp16_fault_;

  // What gather() made of bank settings_bank_ at settings_version_; refreshed when either changes.
  PackSettings settings_;
  PackWords settings_words_;
  uint64_t settings_version_ = ~uint64_t{0};
  unsigned settings_bank_ = 0;
  bool settings_known_ = false;
  bool counts_exponents_ = false;  // ENABLE_ACC_STATS of any thread
};

}  // namespace kerr::emu::tensix
