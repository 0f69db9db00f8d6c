#include "kernels/emit/unpacker.hpp"

namespace kerr::kernels {

using namespace isa::reg;
namespace tx = isa::tensix;

namespace {

constexpr uint32_t kBoth = 3;
constexpr uint32_t kThreadContext = 41;  // thread word: the context of both unpackers

}  // namespace

tx::UNPACR unpack_datums(uint32_t unpacker) {
  return {.last = 1, .set_dat_valid = 1, .ovrd_thread_id = 1, .unpack_block_selection = unpacker};
}

void Unpackers::configure(Caller caller, Format format, uint32_t target, uint32_t datums) const {
  Stream& a = caller;
  const uint32_t code = info(format).code;
  wait_semaphore_below(a, windows, kSemUnpackSync, 1);
  a.tensix(tx::SETADCXY{.bit_mask = 0b1011, .cnt_set_mask = kBoth});
  a.tensix(tx::SETADCZW{.bit_mask = 0b1111, .cnt_set_mask = kBoth});
  const uint32_t face_bytes = 256 * datum_bytes(target);
  // Ordered so that li() can reuse or adjust the value already in t0.
  store_config(a, windows, 57, face_bytes);  // Z stride of channel 1
  store_config(a, windows, 59, face_bytes);
  store_config(a, windows, 50, 0x100);
  store_config(a, windows, 72, target | 2 << 4);  // output format, throttle mode 2
  store_config(a, windows, 120, target | 2 << 4);
  store_config(a, windows, 64, code | 0x10);  // tile descriptor: uncompressed
  store_config(a, windows, 65, 1 | 4 << 16);  // four faces
  store_config(a, windows, 113, 1 | 4 << 16);
  store_config(a, windows, 112, code | 0x10 | 256 << 16);
  store_config(a, windows, 86, 0x01000100);
  store_config(a, windows, 84, 0x00400040);  // SrcA starts at row 4, both contexts
  store_config(a, windows, 73, 0x000F000F);
  store_config(a, windows, 121, 0x000F000F);
  a.tensix(tx::ATGETM{.mutex_index = 0});                               // words that all three threads modify
  modify_config(a, 0, 0x7FFF, 0);                                       // no format override
  modify_config(a, 1, 0x18007, format == Format::Uint8 ? 0x18000 : 0);  // no stochastic rounding; sources signed or not
  // Datums whose exponent is zero are zero, unless what lies there is no exponent.
  modify_config(a, 2, 1, format == Format::Int16 || format == Format::Uint16 ? 1 : 0);
  modify_config(a, 71, 1u << 22, 0);  // no fp8
  modify_config(a, 119, 1u << 22, 0);
  a.tensix(tx::ATRELM{.mutex_index = 0});
  a.tensix(tx::SETADCXX{.x_end2 = datums - 1, .cnt_set_mask = 1});
  a.tensix(tx::SETADCXX{.x_end2 = datums - 1, .cnt_set_mask = 2});
  a.tensix(tx::SETC16{.setc16_value = 4, .setc16_reg = 5});
  const tx::SETC16 first{.setc16_value = 0, .setc16_reg = kThreadContext};
  a.li(select, first.encode());
  a.tensix(first);
}

void Unpackers::begin(Caller caller, isa::Reg tile_a, const isa::Reg* tile_b) const {
  Stream& a = caller;
  a.tensix(tx::SETADCZW{.bit_mask = 0b1111, .cnt_set_mask = kBoth});
  wait_semaphore_below(a, windows, kSemUnpackSync, 2);  // at most two contexts under way
  a.sw(tile_a, windows.config, 4 * kUnpackBaseSrcA);
  if (tile_b) a.sw(*tile_b, windows.config, 4 * kUnpackBaseSrcB);
  a.note(Effect::Kind::Post, kSemUnpackSync);
  a.sw(zero, windows.sync, 0x20 + 4 * kSemUnpackSync);  // post
  a.tensix(tx::STALLWAIT{.wait_res = until::kTriscCfg, .stall_res = stall::kUnpack});
}

void Unpackers::end(Caller caller) const {
  Stream& a = caller;
  get_semaphore(a, kSemUnpackSync);
  a.xori(windows.config, windows.config, 4);
  a.xori(select, select, 0x101);
  a.sw(select, windows.push);
}

tx::UNPACR unpack_face_to_dst() {
  tx::UNPACR face = unpack_datums(kUnpackerOfSrcA);
  face.set_dat_valid = 0;
  face.addr_mode = 0b10001;
  return face;
}

void unpack_to_dst_begin(Caller caller) {
  Stream& a = caller;
  a.comment("room in Dst");
  a.tensix(tx::SEMWAIT{
      .wait_sem_cond = 1, .sem_sel = 1u << kSemMathDone, .stall_res = stall::kUnpack | stall::kSync | stall::kCfg});
  get_semaphore(a, kSemMathDone);
}

void unpack_to_dst_end(Caller caller) {
  Stream& a = caller;
  a.tensix(tx::STALLWAIT{.wait_res = until::kUnpack0, .stall_res = stall::kSync});
  post_semaphore(a, kSemUnpackToDst);
}

void point_to_dst_tile(Caller caller, const Unpackers& unpackers, isa::Reg half, uint32_t tile) {
  Stream& a = caller;
  a.slli(t0, half, 3);
  a.addi(t0, t0, static_cast<int32_t>(tile));
  a.slli(t0, t0, 10);
  point_to_dst_place(a, unpackers, t0);
}

// Byte 1 or 3 of configuration word 84 counts 16 rows.
void point_to_dst_place(Caller caller, const Unpackers& unpackers, isa::Reg place) {
  Stream& a = caller;
  a.tensix(tx::STALLWAIT{.wait_res = until::kUnpack0, .stall_res = stall::kCfg});
  a.andi(t1, unpackers.select, 1);
  a.slli(t1, t1, 25);  // RMWCIB3 instead of RMWCIB1
  a.or_(t0, place, t1);
  a.li(t1, tx::RMWCIB1{.cfg_reg_addr = 84, .mask = 0xFF}.encode());
  a.add(t0, t0, t1);
  a.sw(t0, unpackers.windows.push);
}

}  // namespace kerr::kernels
