#include "firmware/firmware.hpp"

#include <cstring>

#include "arch/cq_layout.hpp"
#include "arch/harvesting.hpp"
#include "build_id.h"
#include "firmware/embedded.hpp"

namespace kerr::firmware {
namespace {

using arch::Hart;

constexpr int kFewestColumns = 7;   // of Tensix tiles that a chip can have: arch::is_valid()
constexpr size_t kStampOffset = 4;  // after the jump: common/start.S

Image image(std::string_view name, Hart hart, uint32_t base, EmbeddedImage bytes) {
  return {name, hart, base, bytes.text, bytes.elf};
}

BaseFirmware make_base() {
  const auto& base = arch::kFwB.firmware_base;
  return {image("brisc", Hart::Brisc, base[0], embedded_brisc()),
          image("ncrisc", Hart::Ncrisc, base[1], embedded_ncrisc()),
          image("trisc0", Hart::Trisc0, base[2], embedded_trisc0()),
          image("trisc1", Hart::Trisc1, base[3], embedded_trisc1()),
          image("trisc2", Hart::Trisc2, base[4], embedded_trisc2())};
}

}  // namespace

BuildId build_id() { return {KERR_BUILD_ID_0, KERR_BUILD_ID_1, KERR_BUILD_ID_2, KERR_BUILD_ID_3}; }

BuildId stamp(const Image& image) {
  BuildId id{};
  if (image.text.size() >= kStampOffset + sizeof(id))
    std::memcpy(id.data(), image.text.data() + kStampOffset, sizeof(id));
  return id;
}

const BaseFirmware* base_firmware(const arch::FirmwareLayout& layout) {
  static const BaseFirmware firmware = make_base();
  if (layout.bank_tables != arch::kFwB.bank_tables || layout.go_messages != arch::kFwB.go_messages) return nullptr;
  const auto dram = static_cast<int>(layout.dram_banks), l1 = static_cast<int>(layout.l1_banks);
  const bool possible = (dram == arch::kDramBanks - 1 || dram == arch::kDramBanks) && l1 % arch::kTensixRows == 0 &&
                        l1 >= kFewestColumns * arch::kTensixRows && l1 <= arch::kTensixTiles;
  return possible ? &firmware : nullptr;
}

const QueueFirmware& queue_firmware() {
  constexpr uint32_t text = arch::kFwB.kernel_config + arch::cq::kImageTextOffset;
  constexpr uint32_t text_s = arch::kFwB.kernel_config + arch::cq::kImageDispatchSTextOffset;
  static const QueueFirmware images = {image("cq_prefetch", Hart::Brisc, text, embedded_cq_prefetch()),
                                       image("cq_dispatch", Hart::Brisc, text, embedded_cq_dispatch()),
                                       image("cq_dispatch_s", Hart::Ncrisc, text_s, embedded_cq_dispatch_s()),
                                       image("cq_prefetch_h", Hart::Brisc, text, embedded_cq_prefetch_h()),
                                       image("cq_prefetch_d", Hart::Brisc, text, embedded_cq_prefetch_d()),
                                       image("cq_dispatch_h", Hart::Brisc, text, embedded_cq_dispatch_h()),
                                       image("cq_dispatch_d", Hart::Brisc, text, embedded_cq_dispatch_d())};
  return images;
}

}  // namespace kerr::firmware
