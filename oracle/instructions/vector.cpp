// The vector unit: registers from Dst, some lanes disabled, the instruction with any operands, registers and flags
// back.
#include "oracle/instructions/bodies.hpp"

namespace kerr::oracle {

using namespace isa::tensix;

namespace {

constexpr unsigned kRegisters = 8, kRows = 64, kStill = 7, kInt32 = 4;

// Register r lies in Dst rows 4 * (r / 2) .. + 3, in even columns if r is even; rows 16..63 are free for loads and
// stores.
constexpr uint32_t address_of(unsigned r) { return 4 * (r / 2) + 2 * (r % 2); }

uint32_t lane_value(CaseMaker& m, unsigned kind) {
  const bool tame = kind == 1 || m.below(3) == 0;
  if (kind == 2 && m.one_in(2)) return m.one_in(4) ? 0u - m.below(64) : m.any() >> m.below(32);
  return m.one_in(6) ? m.edge_word() : m.datum(0, tame);
}

void all_lanes(CaseMaker& m) { m.push(SFPENCC{.instr_mod1 = 10, .imm12 = 3}); }

void set_up(CaseMaker& m) {
  std::vector<uint8_t> tile;
  const unsigned kind = m.below(4);
  std::vector<uint32_t> words(16 * kRows);
  for (uint32_t& w : words) w = lane_value(m, kind);
  // Registers 1 and 2 (and 3) agree now and then, up to the sign: comparisons meet equality, sums cancel.
  for (unsigned row = 0; row < 4; ++row) {
    for (unsigned column = 0; column < 16; column += 2) {
      if (m.one_in(6)) words[16 * (row + 4) + column] = words[16 * row + column + 1] ^ (m.one_in(2) ? 0x80000000 : 0);
    }
  }
  for (const uint32_t w : words)
    for (unsigned k = 0; k < 32; k += 8) tile.push_back(static_cast<uint8_t>(w >> k));
  m.memory(kInputA, tile);

  Program& p = m.program();
  p.config(0, 0).config(1, 8u << 17 | 8u << 21 | 8u << 25 | 1u << 29).config(2, 1).config(220, 0);
  p.config(64, 0x01000018).config(65, 0x00040001).config(72, 0x28).config(73, 0x1F).config(76, kInputA / 16 - 1);
  p.config(84, 0x00400040).config(86, 0x01000100).config(92, 0).config(50, 0).config(56, 0).config(57, 0).config(71, 0);
  p.config(12, 0x00400004).config(13, 0x10000400).config(14, 0).config(15, 0).config(17, 0).config(18, 1).config(20, 0);
  p.config(24, 0xFFFF).config(28, 0x1000).config(68, 0).config(69, kOutput / 16 - 1).config(70, 8 << 8 | 8 << 4 | 1);
  p.config(180, 0).config(186, m.any());
  for (const unsigned t : {0u, 1u, 2u, 3u, 5u, 7u, 19u, 35u, 41u, 54u}) p.thread_config(t, 0);
  p.thread_config(37, 4).thread_config(38, 0x20);
  m.push(STALLWAIT{.wait_res = 0x400, .stall_res = 0x1FF});
  m.start_of_tile(1);
  m.push(UNPACR{.last = 1, .ovrd_thread_id = 1});
  m.push(STALLWAIT{.wait_res = 2, .stall_res = 0x1FF});
  m.drain();
}

void load_registers(CaseMaker& m) {
  all_lanes(m);
  for (unsigned r = 0; r < kRegisters; ++r)
    m.push(SFPLOAD{.dest_reg_addr = address_of(r), .sfpu_addr_mode = kStill, .instr_mod0 = kInt32, .lreg_ind = r});
}

// Lanes where register 7 is negative or zero, or all of them.
void choose_lanes(CaseMaker& m) {
  if (!m.one_in(3)) m.push(SFPSETCC{.instr_mod1 = m.one_of({0, 2, 4, 6}), .lreg_c = m.below(8)});
}

// Which lanes are enabled shows in the high half of register 7; then everything goes to Dst and L1.
void show(CaseMaker& m) {
  m.push(SFPLOADI{.imm16 = 0xA5A5, .instr_mod0 = 8, .lreg_ind = 7});
  all_lanes(m);
  for (unsigned r = 0; r < kRegisters; ++r)
    m.push(SFPSTORE{.dest_reg_addr = address_of(r), .sfpu_addr_mode = kStill, .instr_mod0 = kInt32, .lreg_ind = r});
  m.push(STALLWAIT{.wait_res = 0x800, .stall_res = 0x1FF});
  m.drain();
  m.program().config(1, 8u << 17 | 8u << 21 | 8u << 25 | 1u << 29);
  m.push(STALLWAIT{.wait_res = 0x10, .stall_res = 4});
  for (unsigned n = 0; n < 15; ++n) m.push(PACR{});
  m.push(PACR{.last = 1, .addr_mode = 1});
  m.push(STALLWAIT{.wait_res = 8, .stall_res = 2});
  m.drain();
  m.show(kOutput, 4 * 16 * kRows);
  m.finish();
}

using Step = std::function<void(CaseMaker&)>;

Step steps(Step one, unsigned most = 3) {
  return [=](CaseMaker& m) {
    set_up(m);
    load_registers(m);
    choose_lanes(m);
    const unsigned count = 1 + m.below(most);
    for (unsigned n = 0; n < count; ++n) one(m);
    show(m);
  };
}

unsigned destination(CaseMaker& m) { return m.below(8); }
unsigned source(CaseMaker& m) { return m.one_in(6) ? 8 + m.below(8) : m.below(8); }

template <class I>
Step unary(std::initializer_list<unsigned> modes) {
  return steps([modes = std::vector<unsigned>(modes)](CaseMaker& m) {
    I i{};
    if constexpr (requires { i.instr_mod1; }) i.instr_mod1 = modes[m.below(modes.size())];
    i.lreg_dest = destination(m);
    if constexpr (requires { i.lreg_src_c; }) {
      i.lreg_src_c = source(m);
    } else {
      i.lreg_c = source(m);
    }
    m.execute(i);
  });
}

// Odd modes take an immediate.
template <class I>
Step with_immediate(std::initializer_list<unsigned> modes, unsigned bits, unsigned immediate_mask = 1) {
  return steps([modes = std::vector<unsigned>(modes), bits, immediate_mask](CaseMaker& m) {
    const unsigned mode = modes[m.below(modes.size())];
    I i{};
    i.instr_mod1 = mode, i.lreg_dest = destination(m), i.lreg_c = source(m);
    if ((mode & immediate_mask) != 0 || immediate_mask == 0) i.imm12 = m.field(bits);
    m.execute(i);
  });
}

template <class I>
Step multiply_add(unsigned modes, int a, int b, int c) {
  return steps([=](CaseMaker& m) {
    const auto pick = [&](int fixed) { return fixed < 0 ? source(m) : static_cast<unsigned>(fixed); };
    m.execute(I{.instr_mod1 = m.below(modes),
                .lreg_dest = destination(m),
                .lreg_src_c = pick(c),
                .lreg_src_b = pick(b),
                .lreg_src_a = pick(a)});
  });
}

template <class I>
Step plain_immediate() {
  return steps([](CaseMaker& m) {
    m.execute(I{.lreg_dest = destination(m), .imm16_math = m.one_in(2) ? m.datum(5, true) : m.datum(5, false)});
  });
}

// Formats of Dst as the vector unit reads them: SrcB's and the switch of 32 bits.
void random_format(CaseMaker& m) {
  const unsigned format = m.one_of({0, 1, 5, 5, 6, 7, 9, 15});
  const bool fp32 = m.one_in(3);
  m.mode(fp32 ? "FP32 Dst" : "format " + std::to_string(format));
  m.drain();
  m.program().config(1, 8u << 17 | 8u << 25 | 1u << 29 | (fp32 ? 5u << 21 | 1u << 30 : format << 21));
}

void load(CaseMaker& m) {
  set_up(m);
  load_registers(m);
  random_format(m);
  choose_lanes(m);
  for (unsigned n = 0; n < 3; ++n) {
    m.execute(SFPLOAD{.dest_reg_addr = 2 * m.below(31),
                      .sfpu_addr_mode = kStill,
                      .instr_mod0 = m.one_of({0, 0, 2, 3, 4, 6, 12, 14, 15}),
                      .lreg_ind = m.below(7)});
  }
  show(m);
}

void store(CaseMaker& m) {
  set_up(m);
  load_registers(m);
  random_format(m);
  choose_lanes(m);
  for (unsigned n = 0; n < 3; ++n) {
    m.execute(SFPSTORE{.dest_reg_addr = 16 + 2 * m.below(23),
                       .sfpu_addr_mode = kStill,
                       .instr_mod0 = m.one_of({0, 0, 2, 3, 4, 6, 7, 9, 12, 14, 15}),
                       .lreg_ind = m.one_in(5) ? m.below(16) : m.below(8)});
  }
  show(m);
}

void load_immediate(CaseMaker& m) {
  m.execute(SFPLOADI{.imm16 = m.field(16), .instr_mod0 = m.one_of({0, 1, 2, 4, 8, 10}), .lreg_ind = destination(m)});
}

// A stack of flags with instructions in between; the case counts `which`.
void predication(CaseMaker& m, const std::string& which) {
  set_up(m);
  load_registers(m);
  unsigned depth = 0;
  const auto step = [&]<class I>(const I& i, const char* name) { which == name ? m.execute(i) : m.push(i); };
  for (unsigned n = 0; n < 12; ++n) {
    switch (m.below(5)) {
      case 0:
        if (depth < 7) step(SFPPUSHC{}, "SFPPUSHC"), ++depth;
        break;
      case 1:
        if (depth > 0) step(SFPPOPC{}, "SFPPOPC"), --depth;
        break;
      case 2: step(SFPCOMPC{}, "SFPCOMPC"); break;
      case 3:
        step(SFPSETCC{.instr_mod1 = m.one_of({0, 2, 4, 6}), .lreg_c = m.one_in(5) ? source(m) : m.below(8)},
             "SFPSETCC");
        break;
      default:
        if (which == "SFPENCC" || m.one_in(6)) {
          const unsigned mode = m.one_of({0, 10, 10});
          step(SFPENCC{.instr_mod1 = mode, .imm12 = mode ? 1 + 2 * m.below(2) : 0}, "SFPENCC");
        }
        break;
    }
    m.push(SFPMOV{.instr_mod1 = m.below(2), .lreg_dest = m.below(7), .lreg_c = m.below(8)});
  }
  for (; depth > 0; --depth) {
    step(SFPPOPC{}, "SFPPOPC");
    m.push(SFPMOV{.lreg_dest = m.below(7), .lreg_c = m.below(8)});
  }
  show(m);
}

// New constants, seen through moves; and the options of SFPSWAP.
void configure(CaseMaker& m) {
  set_up(m);
  load_registers(m);
  for (unsigned n = 0; n < 4; ++n) {
    m.push(SFPLOADI{.imm16 = m.field(16), .instr_mod0 = m.one_of({0, 1, 2, 4})});
    const unsigned to = m.one_of({11, 12, 13, 14});
    if (to != 11 || m.one_in(2)) {
      m.execute(SFPCONFIG{.config_dest = to});
    } else {
      m.execute(SFPCONFIG{.instr_mod1 = 1, .config_dest = to});
    }
    m.push(SFPMOV{.lreg_dest = 1 + m.below(6), .lreg_c = to});
  }
  if (m.one_in(3)) m.execute(SFPCONFIG{.config_dest = m.below(8)});  // macros
  if (m.one_in(3)) m.execute(SFPCONFIG{.instr_mod1 = 1, .config_dest = 8, .imm16_math = m.field(12)});
  m.execute(SFPCONFIG{.instr_mod1 = 1, .config_dest = 15, .imm16_math = m.one_of({0, 4, 0x100, 0x104})});
  m.push(SFPSWAP{.instr_mod1 = m.one_of({0, 1, 2, 3, 9}), .lreg_dest = m.below(4), .lreg_src_c = m.below(4)});
  m.push(SFPCONFIG{.instr_mod1 = 1, .config_dest = 15});
  show(m);
}

}  // namespace

void add_vector_bodies(Bodies& out) {
  out["SFPLOAD"] = load;
  out["SFPSTORE"] = store;
  out["SFPLOADI"] = steps(load_immediate, 4);
  out["SFPLUT"] = steps([](CaseMaker& m) { m.execute(SFPLUT{.instr_mod0 = 4, .lreg_ind = m.below(8)}); });
  out["SFPLUTFP32"] = steps([](CaseMaker& m) { m.execute(SFPLUTFP32{.instr_mod1 = 2, .lreg_dest = m.below(8)}); });
  out["SFPMULI"] = plain_immediate<SFPMULI>();
  out["SFPADDI"] = plain_immediate<SFPADDI>();
  out["SFPMAD"] = multiply_add<SFPMAD>(4, -1, -1, -1);
  out["SFPADD"] = multiply_add<SFPADD>(4, 10, -1, -1);
  out["SFPMUL"] = multiply_add<SFPMUL>(2, -1, -1, 9);
  out["SFPMUL24"] = multiply_add<SFPMUL24>(2, -1, -1, 9);
  out["SFPARECIP"] = unary<SFPARECIP>({0});
  out["SFPDIVP2"] = steps([](CaseMaker& m) {
    const unsigned magnitude = m.field(7);
    m.execute(SFPDIVP2{.instr_mod1 = m.below(2),
                       .lreg_dest = destination(m),
                       .lreg_c = source(m),
                       .imm12 = m.one_in(2) ? magnitude : ~magnitude & 0xFFF});
  });
  out["SFPIADD"] = with_immediate<SFPIADD>({0, 1, 2, 4, 5, 6, 8, 9, 10}, 12);
  out["SFPSHFT"] = with_immediate<SFPSHFT>({0, 1, 2, 3, 5, 7}, 12);
  out["SFPAND"] = with_immediate<SFPAND>({0, 1}, 4);
  out["SFPOR"] = with_immediate<SFPOR>({0, 1}, 4);
  out["SFPXOR"] = unary<SFPXOR>({0});
  out["SFPNOT"] = unary<SFPNOT>({0});
  out["SFPLZ"] = unary<SFPLZ>({0, 2, 4});
  out["SFPABS"] = unary<SFPABS>({0, 1});
  out["SFPMOV"] = steps([](CaseMaker& m) {
    // Mode 8 reads what VC names; the reference simulator knows the random number only.
    const unsigned mode = m.one_of({0, 1, 2, 8});
    m.execute(SFPMOV{.instr_mod1 = mode, .lreg_dest = destination(m), .lreg_c = mode == 8 ? 9 : source(m)});
  });
  out["SFPEXEXP"] = unary<SFPEXEXP>({0, 1, 2, 10});
  out["SFPEXMAN"] = unary<SFPEXMAN>({0, 1});
  out["SFPSETEXP"] = with_immediate<SFPSETEXP>({0, 1, 2}, 8);
  out["SFPSETMAN"] = unary<SFPSETMAN>({0});
  out["SFPSETSGN"] = with_immediate<SFPSETSGN>({0, 1}, 1);
  out["SFPLE"] = unary<SFPLE>({1, 8});
  out["SFPGT"] = unary<SFPGT>({1, 8});
  out["SFPCAST"] = unary<SFPCAST>({0, 3});
  out["SFP_STOCH_RND"] = unary<SFP_STOCH_RND>({1, 2, 3, 6, 7});
  out["SFPTRANSP"] = steps([](CaseMaker& m) { m.execute(SFPTRANSP{}); });
  out["SFPSWAP"] = unary<SFPSWAP>({0, 1, 2, 3, 9});
  out["SFPSHFT2"] = steps([](CaseMaker& m) {
    const unsigned mode = 3 + m.below(3);
    m.execute(SFPSHFT2{.instr_mod1 = mode,
                       .lreg_dest = destination(m),
                       .lreg_src_c = source(m),
                       .imm12 = mode == 5 ? m.below(16) : 0});
  });
  out["SFPNOP"] = steps([](CaseMaker& m) {
    m.execute(SFPNOP{});
    m.push(SFPMOV{.lreg_dest = m.below(7), .lreg_c = m.below(8)});
  });
  for (const char* name : {"SFPSETCC", "SFPPUSHC", "SFPPOPC", "SFPCOMPC", "SFPENCC"})
    out[name] = [name](CaseMaker& m) { predication(m, name); };
  out["SFPCONFIG"] = configure;
}

}  // namespace kerr::oracle
