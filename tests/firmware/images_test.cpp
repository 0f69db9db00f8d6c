#include <gtest/gtest.h>

#include <cstring>

#include "arch/bank_table.hpp"
#include "arch/boards.hpp"
#include "arch/cq_layout.hpp"
#include "firmware/firmware.hpp"

namespace kerr::firmware {
namespace {

uint32_t first_word(const Image& image) {
  uint32_t word;
  std::memcpy(&word, image.text.data(), 4);
  return word;
}

void expect_sound(const Image& image, uint32_t room) {
  EXPECT_EQ(stamp(image), build_id()) << image.name;
  EXPECT_LE(image.text.size(), room) << image.name;
  EXPECT_EQ(image.text.size() % 16, 0u) << image.name;
  EXPECT_EQ(first_word(image) & 0xFFF, 0x06Fu) << image.name << " begins with a jump over its stamp";
  ASSERT_GE(image.elf.size(), 4u);
  EXPECT_EQ(std::memcmp(image.elf.data(), "\177ELF", 4), 0) << image.name;
}

TEST(BaseFirmware, FitsItsPlacesAndCarriesTheStampOfThisBuild) {
  for (const uint16_t columns : {0x3FFF, 0x3EF7, 0x1FFF, 0x7F}) {
    const arch::FirmwareLayout layout = arch::firmware_layout_for({.tensix_columns = columns, .dram_banks = 0x7F});
    const BaseFirmware* firmware = base_firmware(layout);
    ASSERT_NE(firmware, nullptr) << columns;
    for (int h = 0; h < arch::kHarts; ++h) {
      const Image& image = (*firmware)[h];
      EXPECT_EQ(image.hart, static_cast<arch::Hart>(h));
      EXPECT_EQ(image.base, layout.firmware_base[h]);
      expect_sound(image, layout.firmware_bytes[h]);
    }
  }
}

TEST(BaseFirmware, ExistsForNoOtherLayout) {
  EXPECT_EQ(base_firmware(arch::kFwA), nullptr);
  for (const auto& [dram, l1] : {std::pair{6u, 120u}, {9u, 120u}, {7u, 60u}, {7u, 125u}, {8u, 150u}})
    EXPECT_EQ(base_firmware(arch::with_bank_counts(arch::kFwB, dram, l1)), nullptr) << dram << ' ' << l1;
}

TEST(QueueFirmware, LiesWhereTheKernelConfigImagePutsIt) {
  const QueueFirmware& queue = queue_firmware();
  EXPECT_EQ(queue.prefetch.base, arch::kFwB.kernel_config + arch::cq::kImageTextOffset);
  EXPECT_EQ(queue.dispatch.base, queue.prefetch.base);
  EXPECT_EQ(queue.dispatch_s.base, arch::kFwB.kernel_config + arch::cq::kImageDispatchSTextOffset);
  expect_sound(queue.prefetch, arch::cq::kImageTextBytes);
  expect_sound(queue.dispatch, arch::cq::kImageTextBytes);
  expect_sound(queue.dispatch_s, arch::cq::kImageDispatchSTextBytes);
}

TEST(Stamp, OfAnImageThatIsTooShortIsNobodys) {
  Image stub;
  EXPECT_EQ(stamp(stub), BuildId{});
  EXPECT_NE(build_id(), BuildId{});
}

}  // namespace
}  // namespace kerr::firmware
