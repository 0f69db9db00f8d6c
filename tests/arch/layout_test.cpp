#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "arch/arc.hpp"
#include "arch/cq.hpp"
#include "arch/cq_layout.hpp"
#include "arch/firmware_error.hpp"
#include "arch/kernel_abi.hpp"
#include "arch/messages.hpp"
#include "arch/noc_registers.hpp"
#include "arch/pcie.hpp"
#include "arch/profiler.hpp"
#include "arch/soc_descriptor.hpp"
#include "arch/stream_registers.hpp"
#include "arch/sync.hpp"
#include "arch/tensix_config.hpp"
#include "arch/tile_registers.hpp"

// Sizes and offsets of messages and commands are checked where they are declared; here are the examples.
namespace kerr::arch {
namespace {

template <class T>
std::vector<uint8_t> bytes_of(const T& value) {
  std::vector<uint8_t> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

TEST(Messages, GoWordOfTheP100a) {
  EXPECT_EQ((GoMessage{.dispatch_message_offset = 0, .master_x = 14, .master_y = 3, .signal = 0x80}.word()),
            0x80030E00u);
}

TEST(Messages, JalEncodesBothPublishedExamples) {
  EXPECT_EQ(jal_word(0x3840), 0x0410306Fu);
  EXPECT_EQ(jal_word(0x49F0), 0x1F10406Fu);
}

TEST(FirmwareLayout, RoomOfEachHartEndsWhereTheNextBegins) {
  for (const FirmwareLayout& fw : {kFwA, kFwB})
    for (int h = 0; h + 1 < kHarts; ++h)
      EXPECT_EQ(fw.firmware_base[h] + fw.firmware_bytes[h], fw.firmware_base[h + 1]) << fw.name << " " << h;
}

TEST(FirmwareLayout, PartsOfTheMailboxesLieInsideThemAndApart) {
  for (const FirmwareLayout& fw : {kFwA, kFwB}) {
    const std::vector<std::pair<uint32_t, uint32_t>> parts{
        {fw.subordinate_sync, 4},
        {fw.launch_rd_ptr, 4},
        {fw.launch_ring, fw.launch_entries * fw.launch_bytes},
        {fw.go_messages, 4 * fw.go_message_count},
        {fw.go_message_index, 4},
        {kFirmwareAssert, 4},
        {fw.core_info, sizeof(CoreInfo)},
        {profiler::kControl, sizeof(profiler::Control)},
        {profiler::kZoneBuffers, kHarts * profiler::kZoneBufferBytes},
        {fw.zero_region, fw.zero_region_bytes}};
    uint32_t end = fw.mailboxes;
    for (const auto& [at, bytes] : parts) {
      EXPECT_GE(at, end) << fw.name << std::hex << " " << at;
      end = at + bytes;
    }
    EXPECT_EQ(fw.mailboxes + fw.mailbox_bytes, fw.zero_region) << fw.name;
    EXPECT_LE(end, fw.firmware_base[0]) << fw.name;
    EXPECT_EQ(sizeof(LaunchMessage), fw.launch_bytes) << fw.name;
  }
}

TEST(MemoryMap, NobodyFindsTwoRegionsAtOneAddress) {
  for (const Accessor who : {kByBrisc, kByNcrisc, kByTrisc, kByNoc}) {
    uint64_t end = 0;
    for (const Region& r : kTensixRegions) {
      if ((r.accessors & who) == 0) continue;
      EXPECT_GE(r.base, end) << r.name;
      end = uint64_t{r.base} + r.bytes;
    }
  }
}

TEST(KernelAbi, LeavesRoomForAKernelOnEveryBoard) {
  const FirmwareLayout p150 = with_bank_counts(kFwB, 8, 140);
  for (int h = 0; h < kHarts; ++h) {
    const KernelAbi abi = kernel_abi(p150, static_cast<Hart>(h));
    EXPECT_GE(abi.stack_top - abi.free_base, 2500u) << kHartNames[h];
    EXPECT_EQ(abi.free_base % 16, 0u);
  }
}

TEST(Commands, EventHasTheBytesOfTheReference) {
  cq::WriteLinearHHost event;
  event.is_event = 1;
  event.length = 32;
  EXPECT_EQ(bytes_of(event), (std::vector<uint8_t>{3, 1, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(Commands, SendGoHasTheBytesOfTheReference) {
  cq::SendGoSignal go;
  go.go_signal = 0x80030E00;
  go.num_unicast_txns = 2;
  go.wait_stream = 48;
  EXPECT_EQ(bytes_of(go), (std::vector<uint8_t>{0x0e, 0, 0x0e, 3, 0x80, 0xff, 2, 0, 0, 0, 0, 0, 0x30, 0, 0, 0}));
}

TEST(Commands, WaitHasTheBytesOfTheReference) {
  cq::Wait wait;
  wait.flags = cq::kWaitStream | cq::kWaitClearStream;
  wait.stream = 48;
  wait.count = 2;
  EXPECT_EQ(bytes_of(wait), (std::vector<uint8_t>{7, 0x18, 0x30, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(Commands, TimestampHasTheBytesOfTheReference) {
  cq::Timestamp t;
  t.noc_xy_addr = cq::kPcieNocXyAddr;
  t.addr = 0x46000100;
  EXPECT_EQ(bytes_of(t), (std::vector<uint8_t>{0x12, 0, 0, 0, 0x13, 6, 0, 1, 0, 1, 0, 0x46, 0, 0, 0, 0}));
}

TEST(Commands, RelayInlineHasTheBytesOfTheReference) {
  cq::RelayInline relay;
  relay.length = 32;
  relay.stride = 64;
  EXPECT_EQ(bytes_of(relay), (std::vector<uint8_t>{5, 0, 0, 0, 0x20, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(Streams, CounterComparesOnSeventeenBits) {
  EXPECT_TRUE(stream_reached(118, 118));
  EXPECT_FALSE(stream_reached(117, 118));
  EXPECT_TRUE(stream_reached(3, 0));
  EXPECT_TRUE(stream_reached(1, 0x1FFFF)) << "wrapped";
  EXPECT_EQ(stream_increment(1), 0x40u);
}

TEST(Tlb, SmallEntryPutsEveryFieldWhereTheReferenceDoes) {
  pcie::TlbEntry e;
  e.local_offset = (1ull << 60) >> 21;
  e.x_end = 19;
  e.y_end = 24;
  e.y_start = 0x2D;  // straddles the words
  e.noc = 1;
  e.ordering = pcie::Ordering::Strict;
  const pcie::TlbWords w = pcie::encode(pcie::kSmallTlbFormat, e);
  EXPECT_EQ(w.low, 0u);
  EXPECT_EQ(w.mid, (1u << 7) | (19u << 11) | (24u << 17) | (5u << 29));
  EXPECT_EQ(w.high, 5u | (1u << 3) | (1u << 6));
  EXPECT_EQ(pcie::decode(pcie::kSmallTlbFormat, w), e);
}

TEST(Tlb, FieldsOfAnEntryLieApart) {
  for (const pcie::TlbFormat& format : {pcie::kSmallTlbFormat, pcie::kLargeTlbFormat}) {
    pcie::TlbEntry e;
    std::set<int> taken;
    pcie::each_field(format, e, [&](const pcie::TlbField& field, const auto&) {
      EXPECT_LE(field.lowest_bit + field.width, 96);
      for (int i = 0; i < field.width; ++i) EXPECT_TRUE(taken.insert(field.lowest_bit + i).second) << field.lowest_bit;
    });
  }
}

TEST(Tlb, LargeEntryRoundTrips) {
  pcie::TlbEntry e;
  e.local_offset = 0x89ABCDEF;
  e.x_end = 3;
  e.y_end = 63;
  e.x_start = 1;
  e.y_start = 2;
  e.noc = 1;
  e.multicast = true;
  e.ordering = pcie::Ordering::Posted;
  e.static_vc_class = 2;
  const pcie::TlbWords w = pcie::encode(pcie::kLargeTlbFormat, e);
  EXPECT_EQ(w.low, 0x89ABCDEFu);
  EXPECT_EQ(w.mid, 3u | 63u << 6 | 1u << 12 | 2u << 18 | 1u << 24 | 1u << 26 | 2u << 27);
  EXPECT_EQ(pcie::decode(pcie::kLargeTlbFormat, w), e);
}

TEST(TensixConfig, FieldsStayInsideTheirWords) {
  std::set<std::string> names;
  for (const NamedConfigField& f : kGlobalConfigFields) {
    EXPECT_LE(f.field.shift + f.field.width, 32) << f.name;
    EXPECT_LT(f.field.word, kConfigWords) << f.name;
    EXPECT_TRUE(names.insert(f.name).second) << f.name;
  }
  for (const NamedConfigField& f : kThreadConfigFields) {
    EXPECT_LE(f.field.shift + f.field.width, 16) << f.name;
    EXPECT_LT(f.field.word, kThreadConfigWords) << f.name;
  }
  EXPECT_EQ(kConfigWordMask[3], 0x1FFFFFFFu);
  EXPECT_EQ(kConfigWordMask[220], 0xFu);
  EXPECT_EQ(global_config::ALU_ACC_CTRL_Fp32_enabled.word, 1);
  EXPECT_EQ(global_config::ALU_ACC_CTRL_Fp32_enabled.shift, 29);
}

TEST(TensixConfig, AFieldIsReplacedWithoutTouchingItsNeighbours) {
  constexpr ConfigField field{0, 4, 8};
  EXPECT_EQ(field.set(0xFFFFFFFF, 0), 0xFFFFF00Fu);
  EXPECT_EQ(field.get(0x00000AB0), 0xABu);
}

TEST(TileRegisters, AreListedOnceAndInOrder) {
  uint32_t last = 0;
  for (const TileRegister& r : kTileRegisters) {
    EXPECT_GT(r.address, last) << r.name;
    last = r.address;
  }
  EXPECT_STREQ(find_tile_register(kSoftReset0)->name, "SoftReset0");
  EXPECT_FALSE(find_tile_register(kWallClockL)->pure);
  EXPECT_EQ(find_tile_register(0xFFB12FFC), nullptr);
}

TEST(SocDescriptor, NamesEveryKindOfTile) {
  const std::string text = soc_descriptor();
  EXPECT_NE(text.find("arc: [8-0]"), std::string::npos);
  EXPECT_NE(text.find("pcie: [2-0]"), std::string::npos);
  EXPECT_NE(text.find("[0-0, 0-1, 0-11]"), std::string::npos);
  EXPECT_NE(text.find("eth: [1-1, 16-1, 2-1"), std::string::npos);
  EXPECT_NE(text.find("l2cpu: [8-3, 8-9, 8-5, 8-7]"), std::string::npos);
  EXPECT_NE(text.find("arch_name: BLACKHOLE"), std::string::npos);
}

}  // namespace
}  // namespace kerr::arch
