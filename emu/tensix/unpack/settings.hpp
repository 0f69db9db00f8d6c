// What the configuration says to one UNPACR, gathered under the names of docs/hardware/tensix-datapath.md 11.2 to 11.4.
#pragma once

#include <cstdint>

#include "emu/math/unpack_convert.hpp"
#include "emu/tensix/issue.hpp"
#include "emu/tensix/state/config.hpp"
#include "isa/tensix/instructions.hpp"

namespace kerr::emu::tensix {

/// 128 bits in words 64..67 (unpacker 0) or 112..115 (unpacker 1). 11.2
struct TileDescriptor {
  unsigned in_format;
  bool is_uncompressed, no_bfp_exp_section;
  unsigned x_dim, y_dim, z_dim, w_dim;  // z_dim and w_dim are at least 1
  unsigned digest_size;
  unsigned blobs;          // per XY plane, 0: rows are not divided
  uint32_t blobs_y_start;  // eight entries of four bits

  TileDescriptor(const ConfigBank& config, unsigned unpacker);
};

struct UnpackSettings {
  unsigned unpacker = 0;
  bool multi_context = false;
  unsigned context = 0;
  unsigned x_dim = 0, y_dim = 0, z_dim = 1, w_dim = 1;
  math::UnpackFormat format;
  bool unknown = false;   // the formats have no form in the target, SrcA or SrcB: what comes out is anybody's guess
  uint32_t base_16b = 0;  // of the datums, behind the header; in 16-byte units, wraps at 2^32
  bool force_shared_exponent = false;
  uint8_t forced_shared_exponent = 0;
  bool compressed = false;  // zeros are run lengths, and rows start where a table says
  bool no_exponent_section = false;
  bool row_search = false;
  bool zeros = false;  // zero_write2
  unsigned blobs = 0;
  uint32_t blobs_y_start = 0;
  unsigned upsample_zeros = 0;  // positions behind each datum ...
  bool upsample_skips = false;  // ... that are left as they are instead
  bool tileize = false;
  uint32_t tileize_stride_bytes = 0;
  bool transpose = false;  // Haloize_mode
  bool to_dst = false;
  unsigned column_shift = 0;
  bool add_dest_counter = false;
  unsigned dest = 0;  // Dest_cntx
  unsigned burst_bytes_per_cycle = 0;
};

/// `context_counter` is the issuing thread's counter of this unpacker. Faults: whatever the instruction or the
/// configuration asks for that Kerr does not model (Unsupported) or that has no defined meaning (UndefinedBehavior).
Issue gather(const ConfigBank& config, const ThreadConfig& thread, const isa::tensix::UNPACR& i,
             unsigned context_counter, UnpackSettings& settings);

}  // namespace kerr::emu::tensix
