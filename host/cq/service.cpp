#include "host/cq/service.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "arch/messages.hpp"
#include "firmware/firmware.hpp"
#include "host/reset.hpp"

namespace kerr::host::cq {

namespace wire = arch::cq;

namespace {

constexpr Deadline kReadyDeadline{5'000'000, std::chrono::milliseconds(1000)};

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

// Image of a queue tile's kernel-config area: arguments (none), semaphores, text (fast-dispatch.md 3.3).
std::vector<std::byte> config_image(const arch::Array<uint32_t, wire::kImageSems>& semaphores,
                                    const firmware::Image& kernel, const arch::FirmwareLayout& layout) {
  if (kernel.base != layout.kernel_config + wire::kImageTextOffset || kernel.text.size() > wire::kImageTextBytes) {
    host_error(fmt::format("queue kernel '{}' is not linked for {}", kernel.name, layout.name));
  }
  if (firmware::stamp(kernel) != firmware::build_id()) {
    throw DeviceError(Category::kProtocol,
                      fmt::format("queue kernel '{}' is of another build than this library", kernel.name));
  }
  std::vector<std::byte> image(wire::kImageTextOffset + kernel.text.size());
  for (uint32_t i = 0; i < wire::kImageSems; ++i) {
    std::memcpy(image.data() + wire::kImageSemOffset + wire::kSemStride * i, &semaphores[i], 4);
  }
  std::memcpy(image.data() + wire::kImageTextOffset, kernel.text.data(), kernel.text.size());
  return image;
}

std::string describe_one(const char* who, const wire::Diagnostics& d) {
  if (d.error != 0) {
    return fmt::format(
        "{} stopped with error {} ({}), argument {:#x}, at command id {} of address {:#x} after {} "
        "commands",
        who, d.error, wire::name_of(static_cast<wire::CqError>(d.error)), d.error_argument, d.last_command_id,
        d.last_command_address, d.commands_executed);
  }
  return fmt::format("{}: {} commands executed, {} taken up, last id {} at address {:#x}", who, d.commands_executed,
                     d.heartbeat, d.last_command_id, d.last_command_address);
}

}  // namespace

QueueService::QueueService(Chip& chip, uint64_t region_address, const wire::HostRegion& region)
    : chip_(chip), pair_(chip.dispatch_pair()), region_(region), base_(static_cast<uint32_t>(region_address)) {
  for (arch::NocCoord tile : {pair_.prefetch, pair_.dispatch}) {
    if (!chip_.is_idle(tile)) {
      throw DeviceError(Category::kProtocol,
                        fmt::format("tile ({},{}) is busy and cannot take the command queue", tile.x, tile.y));
    }
  }
  wire::ConfigBlock config;
  config.magic = wire::kConfigMagic;
  config.abi = wire::kBhpy.id;
  config.region_base_lo = base_;
  config.region_base_hi = static_cast<uint32_t>(region_address >> 32);
  config.issue_base = base_ + region.issue_offset();
  config.issue_bytes = region.issue_bytes;
  config.completion_base = base_ + region.completion_offset();
  config.completion_bytes = region.completion_bytes;
  config.timestamp_base = base_ + region.timestamp_offset();
  config.timestamp_slots = region.timestamp_slots;
  config.core_timing_base = base_ + region.core_timing_offset();
  config.core_timing_slots = region.core_timing_slots;
  config.prefetch_xy = pair_.prefetch.packed();
  config.dispatch_xy = pair_.dispatch.packed();
  config.prefetch_q_base = wire::kPrefetchQ;
  config.prefetch_q_entries = wire::kPrefetchQEntries;
  config.prefetch_q_entry_bytes = wire::kPrefetchQEntryBytes;
  config.dispatch_cb_base = wire::kDispatchCb;
  config.dispatch_cb_pages = wire::kDispatchCbPages;
  config.dispatch_cb_log2_page = wire::kDispatchCbLog2Page;
  config.dispatch_cb_blocks = wire::kDispatchCbBlocks;
  config.worker_count = static_cast<uint32_t>(chip.workers().size());
  config.first_stream = wire::kFirstStream;
  const firmware::BuildId build = firmware::build_id();
  std::copy(build.begin(), build.end(), config.expected_build_id);
  config.dispatch_s_cb_base = wire::kDispatchSCb;
  config.dispatch_s_cb_pages = wire::kDispatchSCbPages;
  config.dispatch_s_cb_log2_page = wire::kDispatchSCbLog2Page;
  config.cmddat_q_base = wire::kCmddatQ;
  config.cmddat_q_bytes = wire::kCmddatQBytes;
  for (arch::NocCoord tile : {pair_.prefetch, pair_.dispatch}) {
    chip_.io().write(tile, wire::kConfigBlock, bytes_of(config));
  }
  write_prefetch_tile();
  write_dispatch_tile();
  launch(pair_.dispatch);  // the consumer first
  launch(pair_.prefetch);
  try {
    await(
        chip_.device(), "start of the command queue's kernels",
        [&] {
          if (has_error()) throw DeviceError(Category::kProtocol, "a kernel of the command queue refuses to start");
          return diagnostics(pair_.prefetch).ready == wire::kReady && diagnostics(pair_.dispatch).ready == wire::kReady;
        },
        kReadyDeadline);
  } catch (const DeviceError& error) {
    if (error.category() != Category::kProtocol) throw;
    throw DeviceError(Category::kProtocol, "a kernel of the command queue refuses to start", describe());
  }
}

QueueService::~QueueService() {
  if (ended_) return;
  try {
    const arch::NocCoord tiles[] = {pair_.prefetch, pair_.dispatch};
    hold_in_reset(chip_.io(), tiles);
  } catch (const DeviceError&) {  // a device that has stopped does not touch host memory any more
  }
}

void QueueService::write_prefetch_tile() {
  NocIo& io = chip_.io();
  const std::vector<std::byte> empty_queue(wire::kPrefetchQBytes);
  io.write(pair_.prefetch, wire::kPrefetchQ, empty_queue);
  io.write32(pair_.prefetch, wire::kPrefetchQRdPtr, wire::kPrefetchQRdPtrInitial);
  io.write32(pair_.prefetch, wire::kPrefetchQPcieRdPtr, base_ + region_.issue_offset());
  io.write(pair_.prefetch, chip_.layout().kernel_config,
           config_image(wire::kPrefetchSemInitial, firmware::queue_firmware().prefetch, chip_.layout()));
}

void QueueService::write_dispatch_tile() {
  NocIo& io = chip_.io();
  const uint32_t completion = (base_ + region_.completion_offset()) / 16;
  io.write32(pair_.dispatch, wire::kDevCompletionQWrPtr, completion);
  io.write32(pair_.dispatch, wire::kDevCompletionQRdPtr, completion);
  io.write32(pair_.dispatch, wire::kCq0LastEvent, 0);
  io.write32(pair_.dispatch, wire::kCq1LastEvent, 0);
  const std::vector<std::byte> sync(wire::kMaxWorkerSems * wire::kSemStride);
  io.write(pair_.dispatch, wire::kDispatchSSyncSems, sync);
  io.write(pair_.dispatch, chip_.layout().kernel_config,
           config_image(wire::kDispatchSemInitial, firmware::queue_firmware().dispatch, chip_.layout()));
}

void QueueService::launch(arch::NocCoord tile) {
  const arch::FirmwareLayout& layout = chip_.layout();
  arch::LaunchMessage message;
  for (uint32_t& base : message.kernel_config_base) base = layout.kernel_config;
  for (uint16_t& offset : message.sem_offset) offset = wire::kImageSemOffset;
  message.rta_offset[0] = {0, wire::kImageSemOffset};
  message.mode = static_cast<uint8_t>(arch::DispatchMode::kHost);
  message.kernel_text_offset[0] = wire::kImageTextOffset;
  message.brisc_noc_id = 0;  // both send their data on NoC 0 (fast-dispatch.md 1.2)
  message.min_remote_cb_start_index = static_cast<uint8_t>(layout.circular_buffers);
  message.enables = arch::enable_bit(arch::Hart::kBrisc);
  chip_.io().write(tile, layout.launch_entry(chip_.launch_slot(tile)), bytes_of(message));
  const arch::GoMessage go{0, 0, 0, static_cast<uint8_t>(arch::RunMessage::kGo)};
  chip_.io().write32(tile, layout.go_messages, go.word());
}

void QueueService::await_end(Deadline deadline) {
  await(
      chip_.device(), "end of the command queue",
      [&] { return chip_.is_idle(pair_.prefetch) && chip_.is_idle(pair_.dispatch); }, deadline,
      [&] { return progress(); });
  ended_ = true;
}

wire::Diagnostics QueueService::diagnostics(arch::NocCoord tile) {
  wire::Diagnostics d;
  chip_.io().read(tile, wire::kConfigBlock + offsetof(wire::ConfigBlock, diagnostics),
                  std::as_writable_bytes(std::span(&d, 1)));
  return d;
}

uint64_t QueueService::progress() {
  return static_cast<uint64_t>(diagnostics(pair_.prefetch).heartbeat) << 32 |
         diagnostics(pair_.dispatch).commands_executed;
}

bool QueueService::has_error() {
  return diagnostics(pair_.prefetch).error != 0 || diagnostics(pair_.dispatch).error != 0;
}

std::string QueueService::describe() {
  const std::string prefetch = fmt::format("prefetcher on ({},{})", pair_.prefetch.x, pair_.prefetch.y);
  const std::string dispatch = fmt::format("dispatcher on ({},{})", pair_.dispatch.x, pair_.dispatch.y);
  return describe_one(prefetch.c_str(), diagnostics(pair_.prefetch)) + "\n" +
         describe_one(dispatch.c_str(), diagnostics(pair_.dispatch)) + "\n";
}

}  // namespace kerr::host::cq
