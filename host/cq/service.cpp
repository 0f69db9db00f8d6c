#include "host/cq/service.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "arch/messages.hpp"
#include "firmware/firmware.hpp"
#include "host/cq/queue_config.hpp"
#include "host/reset.hpp"

namespace kerr::host::cq {

namespace wire = arch::cq;

namespace {

constexpr Deadline kReadyDeadline{5'000'000, std::chrono::milliseconds(1000)};

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

// Refuses a kernel that is linked for another place or comes from another build.
void check(const firmware::Image& kernel, uint32_t place, uint32_t room) {
  if (kernel.base != place || kernel.text.size() > room) {
    host_error(fmt::format("queue kernel '{}' is not linked for {:#x}", kernel.name, place));
  }
  if (firmware::stamp(kernel) != firmware::build_id()) {
    throw DeviceError(Category::kProtocol,
                      fmt::format("queue kernel '{}' is of another build than this library", kernel.name));
  }
}

// Image of a queue tile's kernel-config area: arguments (none), semaphores, text (fast-dispatch.md 3.3).
std::vector<std::byte> config_image(const arch::Array<uint32_t, wire::kImageSems>& semaphores,
                                    const firmware::Image& kernel, const arch::FirmwareLayout& layout) {
  check(kernel, layout.kernel_config + wire::kImageTextOffset, wire::kImageTextBytes);
  std::vector<std::byte> image(wire::kImageTextOffset + kernel.text.size());
  for (uint32_t i = 0; i < wire::kImageSems; ++i) {
    std::memcpy(image.data() + wire::kImageSemOffset + wire::kSemStride * i, &semaphores[i], 4);
  }
  std::memcpy(image.data() + wire::kImageTextOffset, kernel.text.data(), kernel.text.size());
  return image;
}

std::string describe_one(const std::string& who, const wire::Diagnostics& d) {
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

QueueService::QueueService(Chip& chip, uint64_t region_address, const wire::HostRegion& region, bool subordinate,
                           uint32_t queue)
    : chip_(chip),
      pair_(chip.dispatch_pair(queue)),
      region_(region),
      base_(static_cast<uint32_t>(region_address)),
      subordinate_(subordinate) {
  auto add = [&](const char* role, arch::NocCoord tile, size_t record) {
    kernels_.push_back(
        {fmt::format("{} on ({},{})", role, tile.x, tile.y), tile, wire::kConfigBlock + static_cast<uint32_t>(record)});
  };
  add("prefetcher", pair_.prefetch, offsetof(wire::ConfigBlock, diagnostics));
  add("dispatcher", pair_.dispatch, offsetof(wire::ConfigBlock, diagnostics));
  if (subordinate_) add("dispatch_s", pair_.dispatch, offsetof(wire::ConfigBlock, dispatch_s_diagnostics));
  for (arch::NocCoord tile : {pair_.prefetch, pair_.dispatch}) {
    if (!chip_.is_idle(tile)) {
      throw DeviceError(Category::kProtocol,
                        fmt::format("tile ({},{}) is busy and cannot take the command queue", tile.x, tile.y));
    }
  }
  const wire::ConfigBlock config = queue_config({.pair = pair_,
                                                 .region_address = region_address,
                                                 .region = region,
                                                 .harvesting = chip.harvesting(),
                                                 .workers = chip.workers(),
                                                 .subordinate = subordinate_});
  multicast_go_ = config.go_rectangle_count != 0;
  for (arch::NocCoord tile : {pair_.prefetch, pair_.dispatch}) {
    chip_.io().write(tile, wire::kConfigBlock, bytes_of(config));
  }
  write_prefetch_tile();
  write_dispatch_tile();
  launch(pair_.dispatch, subordinate_);  // the consumer first
  launch(pair_.prefetch, false);
  try {
    await(
        chip_.device(), "start of the command queue's kernels",
        [&] {
          if (has_error()) throw DeviceError(Category::kProtocol, "a kernel of the command queue refuses to start");
          return std::all_of(kernels_.begin(), kernels_.end(),
                             [&](const Kernel& k) { return diagnostics(k).ready == wire::kReady; });
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
  if (subordinate_) {
    const firmware::Image& kernel = firmware::queue_firmware().dispatch_s;
    const uint32_t place = chip_.layout().kernel_config + wire::kImageDispatchSTextOffset;
    check(kernel, place, wire::kImageDispatchSTextBytes);
    io.write(pair_.dispatch, place, kernel.text);
  }
}

void QueueService::launch(arch::NocCoord tile, bool with_ncrisc) {
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
  if (with_ncrisc) {  // it takes the other NoC
    message.kernel_text_offset[1] = wire::kImageDispatchSTextOffset;
    message.enables |= arch::enable_bit(arch::Hart::kNcrisc);
  }
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

wire::Diagnostics QueueService::diagnostics(const Kernel& kernel) {
  wire::Diagnostics d;
  chip_.io().read(kernel.tile, kernel.diagnostics, std::as_writable_bytes(std::span(&d, 1)));
  return d;
}

uint64_t QueueService::progress() {
  uint64_t sum = 0;
  for (const Kernel& kernel : kernels_) sum += diagnostics(kernel).commands_executed;
  return sum;
}

bool QueueService::has_error() {
  return std::any_of(kernels_.begin(), kernels_.end(), [&](const Kernel& k) { return diagnostics(k).error != 0; });
}

std::string QueueService::describe() {
  std::string text;
  for (const Kernel& kernel : kernels_) text += describe_one(kernel.name, diagnostics(kernel)) + "\n";
  return text;
}

}  // namespace kerr::host::cq
