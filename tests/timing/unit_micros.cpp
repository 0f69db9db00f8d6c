// Matrix unit, vector unit, unpackers, packer: docs/hardware/timing.md 4, 5.
#include <array>
#include <functional>
#include <tuple>

#include "arch/memory_map.hpp"
#include "arch/sync.hpp"
#include "kernels/blocks/compute.hpp"
#include "kernels/blocks/dst_section.hpp"
#include "kernels/blocks/packer.hpp"
#include "kernels/blocks/unpacker.hpp"
#include "tests/timing/lone_chip.hpp"
#include "tests/timing/micro.hpp"

namespace kerr::timing_tests {

using namespace isa::reg;
using emu::Kernel;
using kernels::Stream;
namespace tx = isa::tensix;
namespace until = kernels::until;
namespace stall = kernels::stall;

namespace {

constexpr kernels::Windows kWindows{s5, s6, s7};
constexpr uint32_t kAllCounters = 0xF;

void open_windows(Kernel& k) {
  stream([](Stream& a) { kWindows.open(a); })(k);
}

// Waits until matrix and vector unit are done, and the hart for that: the end of every math row of the reports.
void drain(Kernel& k) {
  k.tensix(tx::STALLWAIT{.wait_res = until::kMath | until::kSfpu, .stall_res = stall::kSync});
  constexpr uint32_t upper = arch::kTtSyncThreadIdle >> 12, lower = arch::kTtSyncThreadIdle & 0x7FF;
  k.lui(t0, upper);
  k.sw(zero, t0, lower);
  k.lui(t1, upper);  // the reports' library makes each access's address anew
  k.lw(a5, t1, lower);
  k.and_(zero, zero, a5);
}

void prepare_sources(Kernel& k) {
  k.tensix(tx::ZEROSRC{.src_mask = 3, .bank_mask = 1});
  k.tensix(tx::ZEROACC{.clear_mode = 3});
  k.tensix(tx::SETRWC{.bit_mask = kAllCounters});
}

Micro math(std::string name, double silicon, double tolerance, std::string section, std::function<double()> measure) {
  return {"Matrix and vector unit", std::move(name),   "cycles", silicon, tolerance,
          std::move(section),       std::move(measure)};
}

double more_than_empty(uint32_t turns, const Payload& prepare, const Payload& payload) {
  const Role role{arch::Hart::Trisc1, sequence({open_windows, prepare}), payload};
  const Role empty{arch::Hart::Trisc1, open_windows,
                   [](Kernel& k) { k.lui(a5, 0x4D0B0); }};  // the reports' has an instruction
  return (cycles_of(turns, role) - cycles_of(turns, empty)) / turns;
}

// --- a 32 x 32 x 32 product, HiFi2 ---

constexpr uint32_t kReplayStart = 16;

void configure_product(Kernel& k, bool two_mops) {
  stream([=](Stream& a) {
    set_modifiers(a, kernels::product_modifiers(true));
    a.tensix(tx::REPLAY{.load_mode = 1, .len = 16, .start_idx = kReplayStart});
    for (const uint32_t modifier : kernels::kProductOrder) a.tensix(tx::MVMUL{.addr_mode = modifier});
    const uint32_t nop = kernels::tensix_nop(), product = tx::REPLAY{.len = 16, .start_idx = kReplayStart}.encode();
    const uint32_t release = tx::SETRWC{.bit_mask = kAllCounters, .clear_ab_vld = 1}.encode();
    configure_mop(a, kWindows,
                  {1, two_mops ? 1u : 2u, nop, two_mops ? nop : release, nop, product, nop, product, product});
    a.tensix(tx::SETDVALID{.setvalid = 3});
    kernels::drain(a, kWindows);
  })(k);
}

double tile_product(bool two_mops) {
  const Payload prepare = [=](Kernel& k) {
    configure_product(k, two_mops);
    k.li(s3, 0xFFB0'0080);
    k.sw(zero, s3);
  };
  const Payload payload = [=](Kernel& k) {
    prepare_sources(k);
    drain(k);
    k.lw(t0, s3);  // where in Dst, as the kernel keeps it
    k.slli(t0, t0, 9);
    k.li(t1, tx::SETC16{.setc16_reg = 1}.encode());
    k.add(t0, t0, t1);
    k.sw(t0, kWindows.push);
    k.tensix(tx::MOP{.mop_type = 1});
    if (two_mops) {
      k.tensix(tx::MOP{.mop_type = 1});
      k.tensix(tx::SETRWC{.bit_mask = kAllCounters, .clear_ab_vld = 1});
    }
    drain(k);
  };
  return more_than_empty(1, prepare, payload);
}

// --- the vector unit: 32 rows of a tile ---

double vector_tile(const Payload& row, const Payload& last = nothing) {
  const Role role{arch::Hart::Trisc1, open_windows, [=](Kernel& k) {
                    for (int i = 0; i < 32; ++i) row(k);
                    last(k);
                  }};
  return cycles_per_turn(role);
}

// Programs in immediate offsets know their row.
double numbered_vector_tile(const std::function<void(Kernel&, uint32_t)>& row) {
  const Role role{arch::Hart::Trisc1, open_windows, [=](Kernel& k) {
                    for (uint32_t i = 0; i < 32; ++i) row(k, i);
                  }};
  return cycles_per_turn(role);
}

// --- unpackers and packer ---

void by_context(Stream& a, isa::Reg context, const std::function<void()>& zero_context,
                const std::function<void()>& other) {
  const isa::Label one = a.label(), done = a.label();
  a.bnez(context, one);
  zero_context();
  a.j(done);
  a.bind(one);
  other();
  a.bind(done);
}

// One tile for SrcB, two for SrcA, as a matmul's TRISC0 does it for a group of two products. The hart's part is that of
// blackhole-py's examples/microbench_unpack_backend.py: addresses from tile numbers, the context in local memory, and
// branches on it. Eight rows a turn, as in its sub-blocks of width 4.
double unpack_row() {
  constexpr isa::Reg kContext = t2, kPlace = s11, kBaseA = s8, kBaseB = s9, kTileUnits = a4;
  constexpr uint32_t kLocal = 0xFFB00800;  // of the context, in local memory
  constexpr kernels::Unpackers kUnpackers{kWindows, a5};
  constexpr uint32_t kGpr = 12, kGprPage = 36, kPage16 = 128, kWidth = 4;
  const Payload prepare = stream([=](Stream& a) {
    kWindows.open(a);
    kUnpackers.configure(a, kernels::Format::Bf16, arch::DataFormat::Bf16, 1024);
    a.tensix(tx::SETDMAREG{.reg_index_16b = 2 * kGprPage, .payload_sig_sel = kPage16});
    a.tensix(tx::REPLAY{.load_mode = 1, .len = 12});
    for (uint32_t context = 0; context < 2; ++context) {
      a.tensix(kernels::unpack_datums(kernels::kUnpackerOfSrcA));
      a.tensix(tx::RDCFG{.cfg_reg = kernels::kUnpackBaseSrcA + context, .gpr_address = kGpr});
      a.tensix(tx::ADDDMAREG{.op_a_reg_index = kGprPage, .op_b_reg_index = kGpr, .result_reg_index = kGpr});
      a.tensix(tx::STALLWAIT{.wait_res = until::kThcon, .stall_res = stall::kCfg});
      a.tensix(tx::WRCFG{.cfg_reg = kernels::kUnpackBaseSrcA + context, .gpr_address = kGpr});
      a.tensix(tx::NOP{});
    }
    const uint32_t nop = kernels::tensix_nop();
    configure_mop(
        a, kWindows,
        {0, 0, nop, tx::REPLAY{.len = 6}.encode(), nop, nop, nop, tx::REPLAY{.len = 6, .start_idx = 6}.encode(), nop});
    a.tensix(tx::SEMINIT{.sem_sel = 1u << kernels::kSemUnpackSync, .max_value = 2});
    kernels::drain(a, kWindows);
    a.li(kPlace, kLocal);
    a.sw(zero, kPlace);
    a.li(kBaseA, kData / 16);
    a.li(kBaseB, kData / 16 + 0x1000);
    a.li(kTileUnits, kPage16);
  });
  const auto row = [=](Stream& a) {
    kernels::wait_semaphore_below(a, kWindows, kernels::kSemUnpackSync, 2);
    for (const auto& [address, number, base] : {std::tuple{a2, s3, kBaseB}, {a3, s4, kBaseA}}) {
      a.mul(address, number, kTileUnits);
      a.add(address, address, base);
      a.addi(address, address, -1);
    }
    a.lw(kContext, kPlace);
    for (const auto& [address, reg] : {std::pair{a3, kernels::kUnpackBaseSrcA}, {a2, kernels::kUnpackBaseSrcB}}) {
      const isa::Label first = a.label();
      a.mv(t3, kWindows.config);
      a.beqz(kContext, first);
      a.addi(t3, t3, 4);
      a.bind(first);
      a.sw(address, t3, 4 * reg);
    }
    a.sw(zero, kWindows.sync, 0x20 + 4 * kernels::kSemUnpackSync);
    a.tensix(tx::STALLWAIT{.wait_res = until::kTriscCfg, .stall_res = stall::kUnpack});
    a.tensix(kernels::unpack_datums(kernels::kUnpackerOfSrcB));
    by_context(
        a, kContext, [&] { a.tensix(tx::MOP{.loop_count = 1}); },
        [&] { a.tensix(tx::MOP{.zmask_lo16_or_loop_count = 0xFF, .loop_count = 1}); });
    a.tensix(tx::SEMGET{.sem_sel = 1u << kernels::kSemUnpackSync});
    a.li(t3, 1);
    a.sub(t3, t3, kContext);
    a.sw(t3, kPlace);
    by_context(
        a, kContext, [&] { a.tensix(tx::SETC16{.setc16_value = 257, .setc16_reg = 41}); },
        [&] { a.tensix(tx::SETC16{.setc16_reg = 41}); });
  };
  const Payload payload = stream([=](Stream& a) {
    a.tensix(tx::SETADCZW{.bit_mask = 0b1111, .cnt_set_mask = 3});
    for (uint32_t k = 0; k < kWidth; ++k) {
      a.li(s3, k);
      a.li(s4, 2 * k);
      row(a);
      a.li(s3, kWidth + k);
      row(a);
    }
  });
  // Somebody has to take the tiles: the matrix unit gives each back as soon as it has it.
  const Role consumer{
      arch::Hart::Trisc1, open_windows, [](Kernel& k) {
        k.tensix(tx::STALLWAIT{.wait_res = until::kSrcAValid, .stall_res = stall::kMath});
        k.tensix(tx::SETRWC{.clear_ab_vld = 1});
        k.tensix(tx::STALLWAIT{.wait_res = until::kSrcAValid | until::kSrcBValid, .stall_res = stall::kMath});
        k.tensix(tx::SETRWC{.clear_ab_vld = 3});
      }};
  return cycles_per_turn({arch::Hart::Trisc0, prepare, payload}, {consumer}) / (2 * kWidth);
}

// The packer's own rate; what a call costs is software.
double pack() {
  const kernels::Packer packer{kWindows, a3, a5, kernels::Format::Bf16, arch::DataFormat::Bf16, false};
  const Payload prepare = stream([=](Stream& a) {
    kWindows.open(a);
    packer.configure(a);
    a.li(a4, kData / 16);
    packer.begin(a, a4);
    packer.pack_tile(a);  // sets the address
  });
  return cycles_per_turn({arch::Hart::Trisc2, prepare, [](Kernel& k) { k.tensix(tx::MOP{.mop_type = 1}); }});
}

Micro data(std::string name, double silicon, double tolerance, std::string section, std::function<double()> measure) {
  return {"Unpackers and packer, tiles of BF16",
          std::move(name),
          "cycles",
          silicon,
          tolerance,
          std::move(section),
          std::move(measure)};
}

}  // namespace

std::vector<Micro> unit_micros() {
  const tx::SFPLOAD load{};
  const tx::SFPSTORE store{};
  const tx::INCRWC next{.rwc_d = 2};
  const auto push = [](auto... instructions) { return [=](Kernel& k) { (k.tensix(instructions), ...); }; };
  return {
      math("drain of nothing", 7.95, 0.05, "4.1", [] { return more_than_empty(20, nothing, drain); }),
      missed(math("ZEROSRC, ZEROACC, SETRWC, drain", 16.40, 0.05, "4.1",
                  [] {
                    return more_than_empty(20, nothing, sequence({prepare_sources, drain}));
                  })),
      missed(
          math("a tile of a product, HiFi2, 1 MOP, with these", 49, 0.05, "4.1", [] { return tile_product(false); })),
      missed(math("the same with 2 MOPs", 54, 0.05, "4.1", [] { return tile_product(true); })),
      math("identity of a tile: load, store, increment", 124.06, 0.05, "4.2",
           [=] { return vector_tile(push(load, store, next)); }),
      math("load, SFPLUT, store, increment", 159.98, 0.05, "4.2",
           [=] { return vector_tile(push(load, tx::SFPLUT{.lreg_ind = 0}, store, next)); }),
      math("load, SFPLUTFP32, store, dependent", 156.94, 0.05, "4.2",
           [=] {
             return numbered_vector_tile([](Kernel& k, uint32_t row) {
               k.tensix(tx::SFPLOAD{.dest_reg_addr = 2 * row});
               k.tensix(tx::SFPLUTFP32{.lreg_dest = 0});
               k.tensix(tx::SFPSTORE{.dest_reg_addr = 2 * row});
             });
           }),
      math("the same three, the next row's load before the store", 125.95, 0.05, "4.2",
           [=] {
             return numbered_vector_tile([](Kernel& k, uint32_t row) {
               const uint32_t even = row % 2, odd = 1 - even;
               k.tensix(tx::SFPLUTFP32{.lreg_dest = even});
               k.tensix(tx::SFPLOAD{.dest_reg_addr = 2 * row, .lreg_ind = odd});
               k.tensix(tx::SFPSTORE{.dest_reg_addr = 2 * row, .lreg_ind = even});
             });
           }),
      data("unpack 1 tile for SrcB and 2 for SrcA, steady", 37.5, 0.05, "5.1", unpack_row),
      data("pack a tile, the packer alone", 16.0, 0.05, "5.2", pack),
  };
}

}  // namespace kerr::timing_tests
