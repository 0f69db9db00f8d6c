// The vector unit's part of ProgramMaker: LRegs from Dst, random instructions under random predication, LRegs back.
#include "isa/tensix/instructions.hpp"
#include "tests/emu/tensix/datapath/program_maker.hpp"

namespace kerr::emu {

using namespace isa::tensix;

namespace {

constexpr unsigned kStill = 7, kZeroReg = 9, kOneReg = 10, kInt32 = 4;

}  // namespace

void ProgramMaker::vector_work() {
  const auto all_lanes = [&] { push(SFPENCC{.instr_mod1 = 10, .imm12 = 3}.encode()); };
  unsigned slot = 0;  // of 32 lanes in Dst rows 0..63
  for (unsigned block = 0; block < 3; ++block) {
    push(SETRWC{.bit_mask = 15}.encode());
    all_lanes();
    if (chance(30)) {  // a new constant
      push(SFPLOADI{.imm16 = pick(0, 0xFFFF), .instr_mod0 = one_of(0, 1, 2, 4)}.encode());
      push(SFPCONFIG{.config_dest = pick(11, 14)}.encode());
    }
    for (unsigned r = 0; r < 8; ++r) {
      const uint32_t mode = chance(70) ? one_of(kInt32, 3, 12) : one_of(0, 2, 6, 14, 15);
      push(SFPLOAD{.dest_reg_addr = 2 * pick(0, 31), .sfpu_addr_mode = kStill, .instr_mod0 = mode, .lreg_ind = r}
               .encode());
    }
    if (chance(25)) {  // SFPSWAP with its two options
      const uint32_t option = one_of(0x4, 0x100, 0x104);
      push(SFPCONFIG{.instr_mod1 = 1, .config_dest = 15, .imm16_math = option}.encode());
      for (unsigned n = 0; n < 4; ++n) {
        push(SFPSWAP{.instr_mod1 = one_of(0, 1, 2, 3, 9), .lreg_dest = pick(0, 3), .lreg_src_c = pick(0, 3)}.encode());
      }
      push(SFPCONFIG{.instr_mod1 = 1, .config_dest = 15}.encode());
    }
    stack_depth_ = 0;
    const unsigned steps = pick(4, 24);
    for (unsigned n = 0; n < steps; ++n) vector_instruction();
    for (; stack_depth_ > 0; --stack_depth_) push(SFPPOPC{}.encode());
    all_lanes();
    for (unsigned r = 0; r < 8; ++r, ++slot) {
      const uint32_t mode = chance(80) ? kInt32 : one_of(0, 2, 3, 6, 7, 9, 12, 14, 15);
      push(SFPSTORE{.dest_reg_addr = 2 * slot, .sfpu_addr_mode = kStill, .instr_mod0 = mode, .lreg_ind = r}.encode());
    }
    script_ << '\n';
  }
}

void ProgramMaker::vector_instruction() {
  const uint32_t vd = pick(0, 7), vc = chance(80) ? pick(0, 7) : pick(8, 15);
  const uint32_t va = pick(0, 15), vb = pick(0, 15), imm12 = pick(0, 0xFFF);
  switch (pick(0, 35)) {
    case 0:
    case 1: push(SFPMAD{pick(0, 3), vd, vc, vb, va}.encode()); break;
    case 2: push(SFPADD{pick(0, 3), vd, vc, vb, kOneReg}.encode()); break;
    case 3: push(SFPMUL{pick(0, 1), vd, kZeroReg, vb, va}.encode()); break;
    case 4: push(SFPMULI{.lreg_dest = vd, .imm16_math = pick(0x3E00, 0x4200)}.encode()); break;
    case 5: push(SFPADDI{.lreg_dest = vd, .imm16_math = pick(0x3E00, 0x4200) | pick(0, 1) << 15}.encode()); break;
    case 6: push(SFPMUL24{pick(0, 1), vd, kZeroReg, vb, va}.encode()); break;
    case 7: push(SFPLUT{.instr_mod0 = 4, .lreg_ind = vd}.encode()); break;
    case 8: push(SFPLUTFP32{.instr_mod1 = 2, .lreg_dest = vd}.encode()); break;
    case 9: push(SFPARECIP{.lreg_dest = vd, .lreg_c = vc}.encode()); break;
    case 10:
    case 11: {
      const uint32_t mod = one_of(0, 1, 2, 4, 5, 6, 8, 9, 10);
      push(SFPIADD{mod, vd, vc, mod & 1 ? imm12 : 0}.encode());
      break;
    }
    case 12: {
      const uint32_t mod = one_of(0, 1, 2, 3, 5, 7);
      push(SFPSHFT{mod, vd, vc, mod & 1 ? imm12 : 0}.encode());
      break;
    }
    case 13: push(chance(50) ? SFPAND{0, vd, vc, 0}.encode() : SFPAND{1, vd, vc, vb}.encode()); break;
    case 14: push(chance(50) ? SFPOR{0, vd, vc, 0}.encode() : SFPOR{1, vd, vc, vb}.encode()); break;
    case 15: push(SFPXOR{vd, vc}.encode()); break;
    case 16: push(SFPNOT{vd, vc}.encode()); break;
    case 17: push(SFPLZ{one_of(0, 2, 4), vd, vc}.encode()); break;
    case 18: push(SFPABS{pick(0, 1), vd, vc}.encode()); break;
    case 19: push(SFPMOV{pick(0, 2), vd, vc}.encode()); break;
    case 20: push(SFPEXEXP{one_of(0, 1, 2, 10), vd, vc}.encode()); break;
    case 21: push(SFPEXMAN{pick(0, 1), vd, vc}.encode()); break;
    case 22: {
      const uint32_t mod = pick(0, 2);
      push(SFPSETEXP{mod, vd, vc, mod == 1 ? pick(0, 255) : 0}.encode());
      break;
    }
    case 23: push(SFPSETMAN{0, vd, vc, 0}.encode()); break;
    case 24: push(SFPSETSGN{pick(0, 1), vd, vc, 0}.encode()); break;
    case 25: push(SFPDIVP2{pick(0, 1), vd, vc, pick(0, 127)}.encode()); break;
    case 26: push(SFPLE{one_of(1, 8), vd, vc}.encode()); break;
    case 27: push(SFPGT{one_of(1, 8), vd, vc}.encode()); break;
    case 28: push(SFPCAST{one_of(0, 3), vd, vc}.encode()); break;
    case 29:
      push(SFP_STOCH_RND{.instr_mod1 = one_of(1, 2, 3, 6, 7), .lreg_dest = vd, .lreg_src_c = vc}.encode());
      break;
    case 30: push(SFPTRANSP{}.encode()); break;
    case 31: push(SFPSWAP{one_of(0, 1, 2, 3, 9), vd, vc}.encode()); break;
    case 32: {
      const uint32_t mod = pick(3, 5);
      push(SFPSHFT2{mod, vd, vc, mod == 5 ? vb : 0}.encode());
      break;
    }
    case 33: push(SFPSETCC{.instr_mod1 = 2 * pick(0, 3), .lreg_c = vc}.encode()); break;
    case 34:
      if (stack_depth_ < 6 && chance(60)) {
        push(SFPPUSHC{}.encode());
        ++stack_depth_;
      } else if (stack_depth_ > 0) {
        push(SFPPOPC{}.encode());
        --stack_depth_;
      }
      break;
    default: push(SFPCOMPC{}.encode()); break;
  }
}

}  // namespace kerr::emu
