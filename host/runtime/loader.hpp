// Base firmware into the tiles, and their start. docs/hardware/fast-dispatch.md 17.3, tile.md 7.5
#pragma once

#include <array>
#include <span>

#include "arch/firmware_layout.hpp"
#include "arch/harvesting.hpp"
#include "host/driver/noc_io.hpp"
#include "image/image.hpp"

namespace kerr::firmware {
struct Image;
}

namespace kerr::host {

/// One generation of base firmware: where things lie, and an image for each hart.
struct BaseFirmware {
  arch::FirmwareLayout layout;
  std::array<image::Image, arch::kHarts> images;
};

/// Ours, for the bank counts of a chip. Throws DeviceError: HostError if no firmware was built for these counts,
/// Protocol if an image carries another build's stamp.
BaseFirmware built_in_firmware(const arch::Harvesting& harvesting);

/// One of our device images as the loader takes it. Throws DeviceError (Protocol) for another build's stamp.
image::Image flat_image(const firmware::Image& built);

/// Holds all harts of the tiles in reset, then writes firmware, boot jump, cleared mailboxes, core information, bank
/// tables and reset PCs: nothing of what L1 held before can start anything. When it returns, the bytes have landed.
/// Throws DeviceError: HostError for an image that does not fit its place, Protocol naming a tile that does not keep
/// what is written to it.
void load_firmware(NocIo& io, std::span<const arch::NocCoord> tiles, const BaseFirmware& firmware,
                   const arch::Harvesting& harvesting);

/// Releases BRISC everywhere and waits until every tile has reported that its five harts are up. Throws a DeviceError
/// that names the first tile that is not.
void start_firmware(NocIo& io, std::span<const arch::NocCoord> tiles, const arch::FirmwareLayout& layout,
                    Deadline deadline);

}  // namespace kerr::host
