#include "host/runtime/loader.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "arch/bank_table.hpp"
#include "arch/bytes.hpp"
#include "arch/messages.hpp"
#include "arch/profiler.hpp"
#include "firmware/firmware.hpp"
#include "host/driver/tile_reset.hpp"

namespace kerr::host {
namespace {

struct Piece {
  uint32_t address;
  std::vector<std::byte> bytes;
};

template <class T>
std::vector<std::byte> copy_of(const T& value) {
  const auto bytes = arch::bytes_of(value);
  return {bytes.begin(), bytes.end()};
}

// Where a segment of a hart's image goes. Initial contents of local RAM wait in L1 until start-up code copies them.
Piece place(const image::Segment& segment, size_t hart, const BaseFirmware& firmware) {
  const arch::FirmwareLayout& layout = firmware.layout;
  uint32_t address = segment.load_address;
  uint32_t room = 0;
  const uint32_t local = address - arch::kLdmBase;
  if (local < arch::kLdmBytes[hart]) {
    room = arch::kLdmBytes[hart] - local;
    address = layout.data_scratch[hart] + local;
  } else if (address - layout.firmware_base[hart] < layout.firmware_bytes[hart]) {
    room = layout.firmware_base[hart] + layout.firmware_bytes[hart] - address;
  }
  if (segment.memory_bytes > room || segment.bytes.size() > segment.memory_bytes) {
    host_error(fmt::format("firmware image '{}': {} bytes at {:#x} do not belong to {} of {}",
                           firmware.images[hart].name, segment.memory_bytes, segment.load_address,
                           arch::kHartNames[hart], layout.name));
  }
  Piece piece{address, std::vector<std::byte>(segment.memory_bytes)};
  std::memcpy(piece.bytes.data(), segment.bytes.data(), segment.bytes.size());
  return piece;
}

arch::CoreInfo core_info(arch::NocCoord tile, const arch::FirmwareLayout& layout, const arch::Harvesting& harvesting) {
  const auto columns = arch::translated_columns(harvesting);
  arch::CoreInfo info;
  info.noc_size_x = arch::kGridColumns;
  info.noc_size_y = arch::kGridRows;
  info.worker_grid_size_x = static_cast<uint8_t>(columns.size());
  info.worker_grid_size_y = arch::kTensixRows;
  info.absolute_logical_x = static_cast<uint8_t>(std::find(columns.begin(), columns.end(), tile.x) - columns.begin());
  info.absolute_logical_y = static_cast<uint8_t>(tile.y - arch::kTensixFirstRow);
  info.dram_banks = static_cast<uint8_t>(arch::good_dram_banks(harvesting));
  info.l1_unreserved_start = layout.unreserved;
  info.core_magic_number = arch::kCoreMagicWorker;
  return info;
}

}  // namespace

BaseFirmware built_in_firmware(const arch::Harvesting& harvesting) {
  BaseFirmware out{arch::firmware_layout_for(harvesting), {}};
  const firmware::BaseFirmware* built = firmware::base_firmware(out.layout);
  if (built == nullptr) {
    host_error(fmt::format("there is no built-in firmware for {} DRAM banks and {} Tensix tiles", out.layout.dram_banks,
                           out.layout.l1_banks));
  }
  for (size_t hart = 0; hart < arch::kHarts; ++hart) {
    out.images[hart] = flat_image((*built)[hart]);
  }
  return out;
}

image::Image flat_image(const firmware::Image& built) {
  if (firmware::stamp(built) != firmware::build_id()) {
    throw DeviceError(Category::Protocol,
                      fmt::format("firmware image '{}' is of another build than this library", built.name));
  }
  image::Image out;
  out.name = built.name;
  out.entry = built.base;
  image::Segment segment{.address = built.base, .load_address = built.base, .executable = true};
  const std::span<const uint8_t> text = arch::as_uint8(built.text);
  segment.bytes.assign(text.begin(), text.end());
  segment.memory_bytes = static_cast<uint32_t>(segment.bytes.size());
  out.segments.push_back(std::move(segment));
  return out;
}

void load_firmware(NocIo& io, std::span<const arch::NocCoord> tiles, const BaseFirmware& firmware,
                   const arch::Harvesting& harvesting) {
  const arch::FirmwareLayout& layout = firmware.layout;
  std::vector<Piece> pieces;
  for (size_t hart = 0; hart < arch::kHarts; ++hart) {
    for (const image::Segment& segment : firmware.images[hart].segments) {
      if (segment.memory_bytes != 0) pieces.push_back(place(segment, hart, firmware));
    }
  }
  const uint32_t jump = arch::jal_word(firmware.images[0].entry);
  pieces.push_back({layout.boot_jump, copy_of(jump)});
  // Launch ring, go words and go index among them: a stale preload bit would start a phantom program. The information
  // about the core behind them is written below.
  pieces.push_back({layout.mailboxes, std::vector<std::byte>(layout.core_info - layout.mailboxes)});
  pieces.push_back({arch::profiler::kControl, copy_of(arch::profiler::Control{})});  // not armed
  pieces.push_back({layout.bank_tables, copy_of(arch::bank_table_image(layout, harvesting).bytes)});
  const arch::GoMessage init{0, 0, 0, static_cast<uint8_t>(arch::RunMessage::Init)};
  pieces.push_back({layout.go_messages, copy_of(init)});

  hold_in_reset(io, tiles);
  for (const Rectangle& rectangle : cover(tiles)) {
    for (const Piece& piece : pieces) io.multicast(rectangle, piece.address, piece.bytes);
  }
  for (arch::NocCoord tile : tiles) io.write(tile, layout.core_info, copy_of(core_info(tile, layout, harvesting)));
  set_reset_pcs(io, tiles, layout);
  for (arch::NocCoord tile : tiles) {
    const uint32_t found = io.read32(tile, layout.boot_jump);
    if (found != jump) {
      throw DeviceError(Category::Protocol, fmt::format("tile ({},{}) does not keep what is written to it: L1 word 0 "
                                                        "reads {:#010x}, not {:#010x}",
                                                        tile.x, tile.y, found, jump));
    }
  }
}

void start_firmware(NocIo& io, std::span<const arch::NocCoord> tiles, const arch::FirmwareLayout& layout,
                    Deadline deadline) {
  release_brisc(io, tiles);
  size_t ready = 0;
  try {
    await(
        io.device(), "start of base firmware",
        [&] {
          while (ready < tiles.size()) {
            std::byte signal;
            io.read(tiles[ready], layout.go_signal_byte(), {&signal, 1});
            if (signal != static_cast<std::byte>(arch::RunMessage::Done)) return false;
            ++ready;
          }
          return true;
        },
        deadline, [&] { return ready; });
  } catch (const DeviceError& error) {
    if (ready == tiles.size()) throw;
    throw DeviceError(error.category(),
                      fmt::format("tile ({},{}) has not started its five harts ({} of {} tiles have)", tiles[ready].x,
                                  tiles[ready].y, ready, tiles.size()),
                      error.report().empty() ? error.summary() : error.report());
  }
}

}  // namespace kerr::host
