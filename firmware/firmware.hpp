#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "arch/firmware_layout.hpp"
#include "arch/memory_map.hpp"

// Device code of this project, compiled at build time and embedded. For the host; nothing here runs on the device.
namespace kerr::firmware {

using BuildId = std::array<uint32_t, 4>;

/// Hash of the device sources and of arch/'s headers this library was built with.
BuildId build_id();

/// One image: flat bytes for one place in a tile's L1. There is no initialised data for local RAM, so nothing goes to
/// the boot scratch.
struct Image {
  std::string_view name;
  arch::Hart hart = arch::Hart::Brisc;
  uint32_t base = 0;                ///< L1 address of the first byte; also the entry point
  std::span<const std::byte> text;  ///< a multiple of 16 bytes
  std::span<const std::byte> elf;   ///< the same with symbols and lines, for reports
};

/// The build id inside an image. It must equal build_id(); a difference means that library and image are of different
/// builds, and the image must not be loaded.
BuildId stamp(const Image& image);

/// Base firmware of the five harts, indexed by arch::Hart.
using BaseFirmware = std::array<Image, arch::kHarts>;

/// Base firmware for a layout: kFwB with any bank counts that a harvested chip can have (7 or 8 DRAM banks, 7 to 14
/// columns of Tensix tiles). Null for any other layout. The images do not depend on the counts: the host writes them
/// into each tile's arch::CoreInfo.
const BaseFirmware* base_firmware(const arch::FirmwareLayout& layout);

/// The kernels of the command queue, for the kernel-config images of arch/cq_layout.hpp. The same for every board.
struct QueueFirmware {
  Image prefetch;    ///< BRISC of the prefetch tile, at kImageTextOffset
  Image dispatch;    ///< BRISC of the dispatch tile, at kImageTextOffset
  Image dispatch_s;  ///< NCRISC of the dispatch tile, at kImageDispatchSTextOffset
  /// Instead of the first two, one each on four tiles: the _h kernels next to the host, the _d kernels on the chip that
  /// is worked on (docs/hardware/fast-dispatch.md 21).
  Image prefetch_h, prefetch_d, dispatch_h, dispatch_d;
};
const QueueFirmware& queue_firmware();

}  // namespace kerr::firmware
