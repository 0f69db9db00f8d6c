// Code that somebody overwrites after it was executed, and so decoded, is executed as it is now, whoever the writer
// was. docs/architecture.md "One attribute byte for each 64-byte line of L1"
#include <gtest/gtest.h>

#include <ostream>

#include "emu/math/formats.hpp"
#include "emu/tensix/coprocessor.hpp"
#include "isa/riscv/instructions.hpp"
#include "isa/tensix/instructions.hpp"
#include "tests/emu/tile/world.hpp"

namespace kerr::emu {
namespace {

namespace tx = isa::tensix;
using namespace isa::reg;
using isa::riscv::Op;

constexpr uint32_t kFunction = 0x9000;  // its first instruction is what is overwritten
constexpr uint32_t kCopy = 0xA000;      // the new line, for writers that move it
constexpr uint32_t kResult = 0x100, kTurns = 0x104, kStoreThis = 0x108;
constexpr uint32_t kOld = 0x401, kNew = 0x402;  // what the function returns

uint32_t word_of(Op op, unsigned rd, unsigned rs1, int32_t imm) {
  return isa::riscv::encode({.op = op, .rd = static_cast<uint8_t>(rd), .rs1 = static_cast<uint8_t>(rs1), .imm = imm});
}
uint32_t returns(uint32_t value) { return word_of(Op::Addi, 10, 0, static_cast<int32_t>(value)); }
// Back to 1 KiB behind the call: as a float it is a normal number, so that a packer can write it.
const uint32_t kReturn = word_of(Op::Jalr, 0, 1, 0x400);
const uint32_t kForEver = word_of(Op::Jal, 0, 0, 0);

struct Place {
  World& world;
  Tile& tile;
  Tile& other;
  uint32_t old_word;
  uint32_t new_word = returns(kNew);

  void run_thread(int thread, std::initializer_list<uint32_t> words) {
    for (const uint32_t w : words) {
      EXPECT_TRUE(tile.coprocessor().threads[thread].front.push_before_mop(w));
    }
  }
  void gpr(int thread, unsigned index, uint32_t value) { tile.coprocessor().state.gpr.write(thread, index, value); }
  tensix::State& state() { return tile.coprocessor().state; }
};

struct Writer {
  std::string name;
  std::function<void(Place&)> write;
  bool itself = false;  // the hart that executes the code
};
void PrintTo(const Writer& w, std::ostream* out) { *out << w.name; }

// Row 0 of Dst, sixteen words, to the line of the function.
void pack_function(Place& p) {
  using math::Format;
  tensix::State& s = p.state();
  const uint32_t code = math::code_of(Format::Fp32);
  // clang-format off
  for (const auto& [word, value] : {std::pair{24u, 0xFFFFu}, {28u, 0x1000u}, {1u, code << 25}, {12u, 64u << 16 | 4},
                                    {13u, 4096u << 16 | 1024}, {18u, 1u}, {68u, 0u}, {70u, code << 8 | code << 4 | 1},
                                    {69u, kFunction / 16 - 1}}) {
    // clang-format on
    s.config.write(0, word, value);
  }
  s.config.write_thread(2, 37, 4);
  s.config.write_thread(2, 38, 0x20);
  s.adcs.of(2, tensix::AdcUnit::Packer).channel[1].x.set(15);
  for (unsigned column = 0; column < 16; ++column) {
    const uint32_t cell = math::encode_32(column == 0 ? p.new_word : kReturn);
    s.dst.row(0)[column] = static_cast<uint16_t>(cell >> 16);
    s.dst.row(tensix::Dst::kLowHalf)[column] = static_cast<uint16_t>(cell);
  }
  p.run_thread(2, {tx::PACR{.last = 1}.encode()});
}

std::vector<Writer> all_writers() {
  return {
      {"TheHost", [](Place& p) { set(p.tile, kFunction, p.new_word); }},
      {"AStoreOfItsOwn", [](Place& p) { set(p.tile, kStoreThis, p.new_word); }, true},
      {"AnotherHart",
       [](Place& p) {
         start(p.tile, arch::Hart::Trisc1, [&](isa::Assembler& a) {
           a.li(t0, kFunction);
           a.li(t1, static_cast<int32_t>(p.new_word));
           a.sw(t1, t0);
         });
       }},
      {"AnotherHartsAtomic",
       [](Place& p) {
         start(p.tile, arch::Hart::Trisc1, [&](isa::Assembler& a) {
           a.li(t0, kFunction);
           a.li(t1, static_cast<int32_t>(p.new_word));
           a.amoswap_w(t2, t1, t0);
         });
       }},
      {"AWriteOverTheNoc",
       [](Place& p) {
         issue(p.other, {.targ = kCopy, .targ_hi = at(2, 2), .ret = kFunction, .ret_hi = at(1, 2), .length = 64});
       }},
      {"AReadOverTheNoc",
       [](Place& p) {
         issue(p.tile, {.ctrl = arch::niu::kCtrlWordRead,
                        .targ = kCopy,
                        .targ_hi = at(2, 2),
                        .ret = kFunction,
                        .ret_hi = at(1, 2),
                        .length = 64});
       }},
      {"APacketToItsOwnTile",
       [](Place& p) {
         issue(p.tile, {.targ = kCopy, .targ_hi = at(1, 2), .ret = kFunction, .ret_hi = at(1, 2), .length = 64});
       }},
      {"AnAtomicOverTheNoc",
       [](Place& p) {
         issue(p.other, {.ctrl = arch::niu::kCtrlWordAtomic,
                         .targ = kFunction,
                         .targ_hi = at(1, 2),
                         .ret = 4,
                         .ret_hi = at(2, 2),
                         .length = 0x107C,
                         .data = p.new_word - p.old_word});
       }},
      {"TheScalarUnit",
       [](Place& p) {
         p.gpr(0, 1, kFunction / 16);
         p.gpr(0, 2, p.new_word);
         p.run_thread(0, {tx::STOREIND{.addr_reg = 1, .data_reg = 2, .offset_half_reg = 10, .mode = 5}.encode()});
       }},
      {"AnAtomicOfTheScalarUnit",
       [](Place& p) {
         p.gpr(0, 1, kFunction / 16);
         p.gpr(0, 2, p.new_word - p.old_word);
         p.run_thread(0, {tx::ATINCGET{.addr_reg = 1, .in_out_reg = 2, .wrap_val = 31}.encode()});
       }},
      {"TheMover",
       [](Place& p) {
         p.state().config.write(0, 88, kCopy / 16);
         p.state().config.write(0, 89, kFunction / 16);
         p.state().config.write(0, 90, 64 / 16 | 3u << 30);
         p.run_thread(0, {tx::XMOV{}.encode()});
       }},
      {"AMoverCommandOfTdmaRisc",
       [](Place& p) {
         start(p.tile, arch::Hart::Trisc0, [](isa::Assembler& a) {
           const auto store = [&](uint32_t address, uint32_t value) {
             a.li(t0, static_cast<int32_t>(address));
             a.li(t1, static_cast<int32_t>(value));
             a.sw(t1, t0);
           };
           store(arch::kTdmaXmovSource, kCopy / 16);
           store(arch::kTdmaXmovDest, kFunction / 16);
           store(arch::kTdmaXmovSize, 4);
           store(arch::kTdmaXmovDirection, 3);
           store(arch::kTdmaCommand, 0x40);
         });
       }},
      {"ThePacker", pack_function},
  };
}

constexpr const char* kHowNames[] = {"Relaxed", "NoParking", "Reference", "Exact"};
enum class How { Relaxed, NoParking, Reference, Exact };

class FreshCode : public ::testing::TestWithParam<std::tuple<How, Writer>> {
 protected:
  static Mode mode_of(How how) {
    return how == How::NoParking ? Mode::NoParking : how == How::Reference ? Mode::Reference : Mode::Fast;
  }

  // BRISC calls the function again and again, and keeps what it returns.
  void start_calling(uint32_t first_word) {
    place.old_word = first_word;
    for (Tile* t : {&tile, &other}) {
      set(*t, kCopy, place.new_word);
      for (uint32_t i = 1; i < 16; ++i) set(*t, kCopy + 4 * i, kReturn);
    }
    set(tile, kFunction, first_word);
    set(tile, kFunction + 4, kReturn);
    start(tile, arch::Hart::Brisc, [](isa::Assembler& a) {
      const isa::Label loop = a.here();
      a.li(t0, kFunction);
      a.lw(t1, zero, kStoreThis);
      const isa::Label nothing = a.label();
      a.beqz(t1, nothing);
      a.sw(t1, t0);
      a.bind(nothing);
      a.jalr(ra, t0, 0);
      for (int i = 0; i < 0x400 / 4; ++i) a.nop();
      a.sw(a0, zero, kResult);
      a.addi(s0, s0, 1);
      a.sw(s0, zero, kTurns);
      a.j(loop);
    });
    world.run(4096);
  }

  World world{mode_of(std::get<0>(GetParam())),
              std::get<0>(GetParam()) == How::Exact ? Timing::Exact : Timing::Relaxed};
  Tile& tile = world.tile(1, 2);
  Tile& other = world.tile(2, 2);
  Place place{world, tile, other, 0};
};
INSTANTIATE_TEST_SUITE_P(WrittenBy, FreshCode,
                         ::testing::Combine(::testing::Values(How::Relaxed, How::NoParking, How::Reference, How::Exact),
                                            ::testing::ValuesIn(all_writers())),
                         [](const auto& it) {
                           return std::get<1>(it.param).name + kHowNames[static_cast<int>(std::get<0>(it.param))];
                         });

TEST_P(FreshCode, IsSeenByAHartThatHasExecutedTheOld) {
  start_calling(returns(kOld));
  ASSERT_EQ(word(tile, kResult), kOld);
  std::get<1>(GetParam()).write(place);
  world.run(4096);
  EXPECT_EQ(the_fault(tile), "");
  EXPECT_EQ(the_fault(other), "");
  EXPECT_EQ(word(tile, kFunction), place.new_word);
  EXPECT_EQ(word(tile, kResult), kNew);
}

TEST_P(FreshCode, EndsALoopThatTheHartWasParkedIn) {
  if (std::get<1>(GetParam()).itself) GTEST_SKIP() << "it is in the loop";
  start_calling(kForEver);
  ASSERT_EQ(word(tile, kTurns), 0u);
  std::get<1>(GetParam()).write(place);
  world.run(4096);
  EXPECT_EQ(the_fault(tile), "");
  EXPECT_GT(word(tile, kTurns), 0u);
  EXPECT_EQ(word(tile, kResult), kNew);
}

}  // namespace
}  // namespace kerr::emu
