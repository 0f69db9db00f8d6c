// What nobody knows faults, with its address and the nearest thing that has a name.   docs/hardware/tile.md 1.9, 2.1
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "arch/memory_map.hpp"
#include "tests/emu/tile/world.hpp"

namespace kerr::emu {
namespace {

using namespace isa::reg;

struct Unknown {
  arch::Hart hart;
  uint32_t address;
  const char* names;
};
void PrintTo(const Unknown& u, std::ostream* out) { *out << fmt::format("{:#x}", u.address); }

class UnknownRegister : public ::testing::TestWithParam<Unknown> {};
INSTANTIATE_TEST_SUITE_P(
    OfEveryWindow, UnknownRegister,
    ::testing::Values(
        Unknown{arch::Hart::Brisc, 0x180000, "L1 (0x00000000 to 0x0017ffff)"},
        Unknown{arch::Hart::Trisc0, 0xFFB02000, "local RAM"}, Unknown{arch::Hart::Brisc, 0xFFB11050, "TdmaPackScalers"},
        Unknown{arch::Hart::Brisc, 0xFFB121B4, "SoftReset0"}, Unknown{arch::Hart::Ncrisc, 0xFFB1314C, "PC snapshot"},
        Unknown{arch::Hart::Brisc, 0xFFB1E000, "TRISC2 local RAM"},
        Unknown{arch::Hart::Brisc, 0xFFB20070, "CLEAR_OUTSTANDING_REQ_CNT"},
        Unknown{arch::Hart::Brisc, 0xFFB30700, "NIU"}, Unknown{arch::Hart::Brisc, 0xFFB407FC, "stream 0"},
        Unknown{arch::Hart::Trisc1, 0xFFB81000, "MOP configuration"},
        Unknown{arch::Hart::Trisc1, 0xFFBE0000, "Dst window"}, Unknown{arch::Hart::Brisc, 0xFFE00300, "GPR window"},
        Unknown{arch::Hart::Trisc2, 0xFFE01000, "GPRs"}, Unknown{arch::Hart::Trisc0, 0xFFE80040, "semaphores"},
        Unknown{arch::Hart::Brisc, 0xFFEB0000, "PCBuf 2"}, Unknown{arch::Hart::Brisc, 0xFFEC4000, "mailboxes"},
        Unknown{arch::Hart::Trisc0, 0xFFEF0DB0, "window ends"}));

TEST_P(UnknownRegister, FaultsWithItsAddressAndWhatIsNear) {
  World world;
  Tile& tile = world.tile();
  start(tile, GetParam().hart, [](isa::Assembler& a) {
    a.li(t0, static_cast<int32_t>(GetParam().address));
    a.lw(t1, t0, 0);
  });
  world.run(1024);
  const std::vector<Fault> faults = tile.faults().take();
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].address, GetParam().address);
  EXPECT_NE((faults[0].what + faults[0].advice).find(GetParam().names), std::string::npos)
      << faults[0].what << faults[0].advice;
}

}  // namespace
}  // namespace kerr::emu
