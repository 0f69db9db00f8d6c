// Arithmetic of the coprocessor never allocates: every `new` of this program is counted.
#include <cstdlib>
#include <new>

#include "tests/emu/tensix/datapath/units.hpp"
#include "tests/emu/tensix/tensix_fixture.hpp"

namespace {
unsigned long allocations = 0;
}

void* operator new(size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes != 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace kerr::emu {
namespace {

using namespace isa::tensix;

class Allocation : public Tensix {
 protected:
  /// Allocations while the instructions are executed `turns` times, after one execution before.
  template <class... Is>
  unsigned long of(int thread, const Is&... instructions) {
    push(thread, instructions...);
    settle();
    const uint64_t executed = cop().threads[thread].instructions;
    const unsigned long before = allocations;
    for (int n = 0; n < kTurns; ++n) {
      push(thread, instructions...);
      settle();
    }
    const unsigned long made = allocations - before;
    EXPECT_EQ(cop().threads[thread].instructions, executed + kTurns * sizeof...(instructions));
    return made;
  }
  static constexpr int kTurns = 20;
};

TEST_F(Allocation, IsCounted) {
  const unsigned long before = allocations;
  ::operator delete(::operator new(1));  // a call, which no compiler leaves out
  EXPECT_EQ(allocations, before + 1);
}

TEST_F(Allocation, NoneInTheMatrixUnit) {
  push(T1, SETDVALID{.setvalid = 3});
  EXPECT_EQ(of(T1, MVMUL{}, ELWADD{}, ELWMUL{}, GAPOOL{.instr_mod19 = 1}), 0u);
}

TEST_F(Allocation, NoneInTheVectorUnit) {
  EXPECT_EQ(of(T1, SFPLOAD{.instr_mod0 = 2, .lreg_ind = 0}, SFPMAD{.lreg_dest = 0, .lreg_src_c = 3, .lreg_src_b = 2},
               SFPIADD{.instr_mod1 = 4, .lreg_dest = 1}, SFPSETCC{.lreg_c = 1}, SFPENCC{},
               SFPSTORE{.instr_mod0 = 2, .lreg_ind = 1}),
            0u);
}

// Whole rows and single datums, with and without shared exponents, and addresses written anew as kernels do.
TEST_F(Allocation, NoneInUnpackersAndPacker) {
  using math::Format;
  tensix::DataPathUnits d;
  for (const Format out : {Format::Bf16, Format::Fp32, Format::Bfp8, Format::Bfp4}) {
    for (const unsigned last_column : {15u, 3u}) {
      d.config({{cfg::THCON_SEC0_REG1_Exp_section_size, math::has_shared_exponent(out) ? 4u : 0u},
                {cfg::THCON_SEC0_REG1_Out_data_format, out},
                {cfg::THCON_SEC0_REG0_TileDescriptor_in_data_format, out},
                {cfg::THCON_SEC0_REG2_Out_data_format, out == Format::Fp32 ? Format::Tf32 : Format::Bf16}});
      d.pack_columns(0, math::has_shared_exponent(out) ? 15 : last_column);
      d.unpack_datums(0, last_column);
      const auto round = [&](unsigned n) {
        d.state.config.write(0, cfg::THCON_SEC0_REG1_L1_Dest_addr.word, (d.kOut + 0x800 * n) / 16 - 1);
        d.state.config.write(0, cfg::THCON_SEC0_REG3_Base_address.word, (d.kIn + 0x800 * n) / 16 - 1);
        return d.unpackers.exec(0, UNPACR{.last = 1, .ovrd_thread_id = 1}).is_done() &&
               d.packer.exec(0, PACR{.read_intf_sel = 1}).is_done() && d.packer.exec(0, PACR{.last = 1}).is_done();
      };
      ASSERT_TRUE(round(0)) << math::name_of(out);
      const unsigned long before = allocations;
      for (unsigned n = 0; n < unsigned{kTurns}; ++n) EXPECT_TRUE(round(n));
      EXPECT_EQ(allocations, before) << math::name_of(out) << ", " << last_column + 1 << " columns";
    }
  }
}

}  // namespace
}  // namespace kerr::emu
