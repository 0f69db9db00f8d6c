// The packer: rows of Dst to L1, converted on the way.   docs/hardware/tensix-datapath.md 12
// Dst read -> edge mask -> early conversion -> ReLU -> late conversion -> shared exponents -> L1, accumulating or not.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "emu/tensix/issue.hpp"
#include "emu/tensix/pack/output_stream.hpp"
#include "emu/tensix/pack/settings.hpp"
#include "emu/tensix/state/state.hpp"
#include "emu/tile/l1.hpp"
#include "isa/tensix/instructions.hpp"

namespace kerr::emu::tensix {

class Packer {
 public:
  Packer(const Config& config, Adcs& adcs, const Dst& dst, L1& l1) : config_(config), adcs_(adcs), dst_(dst), l1_(l1) {}

  /// Soft-reset bits 2..5: drops what is buffered and where the tile stood.
  void reset();

  Issue exec(int thread, const isa::tensix::PACR& i);

  template <class Hash>
  void hash(Hash& hash) const {
    data_.hash(hash);
    exponents_.hash(hash);
    hash.add(tile_y_);
    hash.add(tile_z_);
  }

 private:
  static constexpr unsigned kInterfaces = 4;
  static constexpr unsigned kMostDatums = kInterfaces * Dst::kColumns;

  /// What one PACR reads: logical rows of Dst, and columns [column, column + per_row) of each.
  struct Rows {
    DstAddressing addressing;
    std::array<unsigned, kInterfaces> row{};
    unsigned count = 0;
    unsigned column = 0;
    unsigned per_row = 0;
  };
  /// Bytes on their way to L1.
  struct Packed {
    std::array<std::uint8_t, kMostDatums * 4> data;
    std::array<std::uint8_t, kInterfaces> exponents;
    std::size_t data_bytes = 0, exponent_bytes = 0;
  };

  Issue refresh_settings(int thread);
  Issue choose_rows(const isa::tensix::PACR& i, const Adc& adc, Rows& rows) const;  // rows.addressing is set
  Issue convert(const isa::tensix::PACR& i, const Rows& rows, Packed& packed) const;
  void read_rows(const Rows& rows, std::uint32_t* raw) const;
  Issue mask_edges(const Rows& rows, std::uint32_t* datums) const;
  Issue place_streams(const Adc& adc, const Packed& packed);
  void write(const Packed& packed, bool flush);
  void write_data(std::uint32_t address, std::span<const std::uint8_t> bytes);
  void advance_tile_position(unsigned rows, bool end_of_tile);
  void step_counters(const ThreadConfig& own, unsigned modifier, Adc& adc) const;

  const Config& config_;
  Adcs& adcs_;
  const Dst& dst_;
  L1& l1_;

  OutputStream data_, exponents_;
  std::uint8_t tile_y_ = 0, tile_z_ = 0;  // position in the tile, for edge masks

  // What gather() made of bank settings_bank_ at settings_version_; refreshed when either changes.
  PackSettings settings_;
  std::uint64_t settings_version_ = ~std::uint64_t{0};
  unsigned settings_bank_ = 0;
};

}  // namespace kerr::emu::tensix
