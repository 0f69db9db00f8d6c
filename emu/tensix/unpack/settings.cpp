#include "emu/tensix/unpack/settings.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kerr::emu::tensix {

namespace cfg = arch::global_config;
namespace thread_cfg = arch::thread_config;
using arch::ConfigField;

namespace {

constexpr unsigned kContextsOfUnpacker1 = 2;

// Two contexts a word, 16 bits each.
constexpr ConfigField in_half_word(ConfigField field, unsigned context) {
  return {static_cast<uint16_t>(field.word + context / 2), static_cast<uint8_t>(context % 2 * 16), field.width};
}
// One bit a context; contexts 4..7 sixteen bits higher.
constexpr ConfigField as_bit(ConfigField field, unsigned context) {
  return {field.word, static_cast<uint8_t>(field.shift + context % 4 + (context & 4 ? 16 : 0)), field.width};
}
// Formats of contexts 4..7 lie in the top byte of the words of contexts 0..3.
constexpr ConfigField as_nibble(ConfigField field, unsigned context) {
  return {static_cast<uint16_t>(field.word + context % 4), static_cast<uint8_t>(field.shift + (context & 4 ? 8 : 0)),
          field.width};
}

struct Reader {
  const ConfigBank& config;
  unsigned unpacker;

  unsigned get(ConfigField field) const { return config.get(of_unpacker(field, unpacker)); }
  bool flag(ConfigField field) const { return get(field) != 0; }
  Issue unsupported(const char* field, unsigned value, const char* why) const {
    return Issue::unsupported(
        fmt::format("unpacker {}: THCON_SEC{}_{} = {} is not modelled: {}", unpacker, unpacker, field, value, why));
  }
};

Issue refuse_unmodelled(const Reader& r, const isa::tensix::UNPACR& i) {
  if (i.srcb_bcast) {
    return Issue::unsupported(
        "UNPACR with srcb_bcast = 1 is not modelled: LLK's instruction list says that the starting row goes to eight "
        "rows of SrcB, but not how the counters and more than one row take part");
  }
  if (i.ovrd_thread_id && i.addr_cnt_context_id == 3) {
    return Issue::undefined("UNPACR with addr_cnt_context_id = 3 names no thread's address counters");
  }
  if (i.auto_inc_context_id && i.ovrd_thread_id && r.flag(cfg::THCON_SEC0_REG2_Context_count_non_log2_en)) {
    return r.unsupported("REG2_Context_count_non_log2_en", 1,
                         "neither the ISA page of UNPACR nor LLK says how it counts");
  }
  // The ring of addresses: with a size of 0, as after reset, it changes nothing.
  const unsigned fifo = r.get(cfg::THCON_SEC0_REG2_Unpack_fifo_size);
  if (fifo != 0 || r.get(cfg::THCON_SEC0_REG10_Unpack_fifo_size) != 0) {
    return r.unsupported(fifo != 0 ? "REG2_Unpack_fifo_size" : "REG10_Unpack_fifo_size",
                         fifo != 0 ? fifo : r.get(cfg::THCON_SEC0_REG10_Unpack_fifo_size),
                         "the ISA page of UNPACR does not say which of the two limits and sizes an unpacker obeys");
  }
  return Issue::done();
}

// Bytes that the unpacker reads in a cycle; decides how many rows of SrcA it writes at once. 11.4
unsigned burst_bytes(const Reader& r, const UnpackSettings& s) {
  const unsigned bits = math::datum_bits(s.format.in);
  unsigned mode = bits == 8 ? 3 : 2;
  if (r.flag(cfg::THCON_SEC0_REG1_ovrd_default_throttle_mode)) {
    mode = r.get(cfg::THCON_SEC0_REG2_Throttle_mode);
  } else if (s.format.in == math::Format::Bfp2) {
    mode = 0;
  } else if (s.tileize) {
    mode = 2;
  }
  return mode == 2 && bits >= 16 ? 128 : 16u << mode;
}

}  // namespace

TileDescriptor::TileDescriptor(const ConfigBank& config, unsigned unpacker) {
  const auto get = [&](ConfigField field) { return config.get(of_unpacker(field, unpacker)); };
  in_format = get(cfg::THCON_SEC0_REG0_TileDescriptor_in_data_format);
  is_uncompressed = get(cfg::THCON_SEC0_REG0_TileDescriptor_is_uncompressed);
  no_bfp_exp_section = get(cfg::THCON_SEC0_REG0_TileDescriptor_no_bfp_exp_section);
  x_dim = get(cfg::THCON_SEC0_REG0_TileDescriptor_x_dim);
  y_dim = get(cfg::THCON_SEC0_REG0_TileDescriptor_y_dim);
  z_dim = std::max(get(cfg::THCON_SEC0_REG0_TileDescriptor_z_dim), 1u);
  w_dim = std::max(get(cfg::THCON_SEC0_REG0_TileDescriptor_w_dim), 1u);
  digest_size = get(cfg::THCON_SEC0_REG0_TileDescriptor_digest_size);
  blobs = get(cfg::THCON_SEC0_REG0_TileDescriptor_blobs_per_xy_plane);
  blobs_y_start = get(cfg::THCON_SEC0_REG0_TileDescriptor_blobs_y_start_low) |
                  get(cfg::THCON_SEC0_REG0_TileDescriptor_blobs_y_start_high) << 16;
}

Issue gather(const ConfigBank& config, const ThreadConfig& thread, const isa::tensix::UNPACR& i,
             unsigned context_counter, UnpackSettings& s) {
  const unsigned n = i.unpack_block_selection;
  const Reader r{config, n};
  if (Issue refused = refuse_unmodelled(r, i); !refused.is_done()) return refused;

  s.unpacker = n;
  s.multi_context = i.ovrd_thread_id;
  if (s.multi_context) {
    const unsigned offset = thread.get(n == 0 ? thread_cfg::UNPACK_MISC_CFG_CfgContextOffset_0
                                              : thread_cfg::UNPACK_MISC_CFG_CfgContextOffset_1);
    s.context = ((i.auto_inc_context_id ? context_counter : i.cfg_context_id) + offset) & 7;
    if (n == 1 && s.context >= kContextsOfUnpacker1) {
      return Issue::undefined(fmt::format("unpacker 1 has contexts 0 and 1, UNPACR asks for context {}", s.context));
    }
  }
  const unsigned c = s.context;

  const TileDescriptor tile(config, n);
  const bool plain =
      s.multi_context ? r.flag(as_bit(cfg::THCON_SEC0_REG2_Disable_zero_compress_cntx0, c)) : tile.is_uncompressed;
  s.compressed = !plain;
  s.row_search = i.row_search;
  s.zeros = i.zero_write2;
  s.blobs = tile.blobs;
  s.blobs_y_start = tile.blobs_y_start;
  if (s.multi_context && n == 0) {
    s.blobs_y_start = config.get(c & 2 ? cfg::UNP0_BLOBS_Y_START_CNTX_23_blobs_y_start
                                       : cfg::UNP0_BLOBS_Y_START_CNTX_01_blobs_y_start);
  }
  // By the formula of the page: 0, 1, 3 or 7. Its text says 0, 1, 2 or 4. 11.4
  s.upsample_zeros = (1u << r.get(cfg::THCON_SEC0_REG2_Upsample_rate)) - 1;
  s.upsample_skips = r.flag(cfg::THCON_SEC0_REG2_Upsample_and_interleave);
  s.x_dim = s.multi_context && n == 0 ? r.get(in_half_word(cfg::THCON_SEC0_REG5_Tile_x_dim_cntx0, c & 3)) : tile.x_dim;
  s.y_dim = tile.y_dim;
  s.z_dim = tile.z_dim;
  s.w_dim = tile.w_dim;

  const bool own_formats = s.multi_context && r.flag(cfg::THCON_SEC0_REG2_Ovrd_data_format);
  s.format.in = math::format_from_code(own_formats ? r.get(as_nibble(cfg::THCON_SEC0_REG7_Unpack_data_format_cntx0, c))
                                                   : tile.in_format);
  s.format.out =
      math::format_from_code(own_formats ? r.get(as_nibble(cfg::THCON_SEC0_REG7_Unpack_out_data_format_cntx0, c))
                                         : r.get(cfg::THCON_SEC0_REG2_Out_data_format));
  s.format.fp8_e4m3 = r.flag(cfg::THCON_SEC0_REG1_Unp_LF8_4b_exp);
  s.format.unsigned_int8 =
      config.flag(n == 0 ? cfg::ALU_FORMAT_SPEC_REG0_SrcAUnsigned : cfg::ALU_FORMAT_SPEC_REG0_SrcBUnsigned);

  s.base_16b = r.get(cfg::THCON_SEC0_REG3_Base_address.words_on(c)) +
               r.get(cfg::THCON_SEC0_REG7_Offset_address.words_on(c & 3)) + 1 + tile.digest_size;
  s.force_shared_exponent = r.flag(cfg::THCON_SEC0_REG2_Force_shared_exp);
  s.forced_shared_exponent = static_cast<uint8_t>(
      config.get(n == 0 ? cfg::UNP0_FORCED_SHARED_EXP_shared_exp : cfg::UNP1_FORCED_SHARED_EXP_shared_exp));
  const bool is_bfp8 = s.format.in == math::Format::Bfp8 || s.format.in == math::Format::Bfp8a;
  s.no_exponent_section = tile.no_bfp_exp_section && !is_bfp8;

  s.tileize = r.flag(cfg::THCON_SEC0_REG2_Tileize_mode);
  if (s.tileize && (math::datum_bits(s.format.in) < 8 || s.compressed || s.upsample_zeros != 0)) {
    return Issue::undefined(fmt::format("unpacker {}: Tileize_mode with {}{} data{}", n,
                                        s.compressed ? "compressed " : "", math::name_of(s.format.in),
                                        s.upsample_zeros != 0 ? " that is upsampled" : ""));
  }
  s.tileize_stride_bytes = r.get(cfg::THCON_SEC0_REG2_Shift_amount_cntx0) * 16 +
                           r.get(cfg::THCON_SEC0_REG2_Shift_amount_cntx1) * 256 +
                           r.get(cfg::THCON_SEC0_REG2_Shift_amount_cntx2) * 4096;
  s.transpose = n == 0 && r.flag(cfg::THCON_SEC0_REG2_Haloize_mode);  // unpacker 1 ignores it
  s.to_dst = n == 0 && (s.multi_context ? r.flag(as_bit(cfg::THCON_SEC0_REG2_Unpack_if_sel_cntx0, c))
                                        : r.flag(cfg::THCON_SEC0_REG2_Unpack_If_Sel));
  if (s.to_dst && s.transpose) return Issue::undefined("unpacker 0: Haloize_mode (transpose) with Dst as the target");
  const char* why = s.to_dst ? math::unpack_to_dst_refusal(s.format) : math::unpack_to_src_refusal(s.format);
  s.unknown = why != nullptr && !s.to_dst && math::is_named(s.format.in) && math::is_named(s.format.out);
  if (why != nullptr && !s.unknown) {
    return Issue::unsupported(fmt::format("unpacker {}: {} to {} in {}: {}", n, math::name_of(s.format.in),
                                          math::name_of(s.format.out),
                                          s.to_dst ? "Dst"
                                          : n == 0 ? "SrcA"
                                                   : "SrcB",
                                          why));
  }
  if (n == 0 && !s.tileize) {
    constexpr ConfigField first = cfg::THCON_SEC0_REG2_Shift_amount_cntx0;
    s.column_shift = r.get({first.word, static_cast<uint8_t>(first.shift + 4 * (c & 3)), first.width});
  }
  s.add_dest_counter = config.flag(cfg::UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr);
  s.dest = r.get(in_half_word(cfg::THCON_SEC0_REG5_Dest_cntx0_address, c & 3));
  s.burst_bytes_per_cycle = burst_bytes(r, s);
  return Issue::done();
}

}  // namespace kerr::emu::tensix
