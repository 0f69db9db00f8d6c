#include "host/runtime/cq/service.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "arch/bytes.hpp"
#include "arch/messages.hpp"
#include "firmware/firmware.hpp"
#include "host/driver/tile_reset.hpp"
#include "host/runtime/cq/queue_config.hpp"
#include "host/runtime/loader.hpp"
#include "host/runtime/notes.hpp"

namespace kerr::host::cq {

namespace wire = arch::cq;

namespace {

constexpr Deadline kReadyDeadline{5'000'000, std::chrono::milliseconds(1000)};

// Refuses a kernel that is linked for another place or comes from another build.
void check(const firmware::Image& kernel, uint32_t place, uint32_t room) {
  if (kernel.base != place || kernel.text.size() > room) {
    host_error(fmt::format("queue kernel '{}' is not linked for {:#x}", kernel.name, place));
  }
  if (firmware::stamp(kernel) != firmware::build_id()) {
    throw DeviceError(Category::Protocol,
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

// The consumers first.
std::vector<QueueService::Part> QueueService::parts() const {
  const firmware::QueueFirmware& images = firmware::queue_firmware();
  if (!options_.split) {
    return {{"dispatcher", pair_.dispatch, &images.dispatch, &wire::kDispatchSemInitial},
            {"prefetcher", pair_.prefetch, &images.prefetch, &wire::kPrefetchSemInitial}};
  }
  return {{"dispatch_h", host_side_.dispatch, &images.dispatch_h, &wire::kDispatchHSemInitial},
          {"dispatch_d", pair_.dispatch, &images.dispatch_d, &wire::kDispatchDSemInitial},
          {"prefetch_d", pair_.prefetch, &images.prefetch_d, &wire::kPrefetchSemInitial},
          {"prefetch_h", host_side_.prefetch, &images.prefetch_h, &wire::kPrefetchHSemInitial}};
}

std::vector<arch::NocCoord> QueueService::tiles() const {
  std::vector<arch::NocCoord> out;
  for (const Part& part : parts()) out.push_back(part.tile);
  return out;
}

QueueService::QueueService(Chip& chip, uint64_t region_address, const QueueOptions& options)
    : chip_(chip),
      options_(options),
      pair_(chip.dispatch_pair(options.split ? 1 : options.index)),
      host_side_(chip.dispatch_pair(options.index)),
      base_(static_cast<uint32_t>(region_address)) {
  auto add = [&](const char* role, arch::NocCoord tile, size_t record) {
    kernels_.push_back(
        {fmt::format("{} on ({},{})", role, tile.x, tile.y), tile, wire::kConfigBlock + static_cast<uint32_t>(record)});
  };
  const std::vector<Part> all = parts();
  for (const Part& part : all) add(part.role, part.tile, offsetof(wire::ConfigBlock, diagnostics));
  if (options_.subordinate) add("dispatch_s", pair_.dispatch, offsetof(wire::ConfigBlock, dispatch_s_diagnostics));
  for (const Part& part : all) {
    if (!chip_.is_idle(part.tile)) {
      throw DeviceError(Category::Protocol, fmt::format("tile ({},{}) is busy and cannot take the command queue",
                                                        part.tile.x, part.tile.y));
    }
  }
  const wire::ConfigBlock config = queue_config({.pair = pair_,
                                                 .host_side = options_.split ? std::optional(host_side_) : std::nullopt,
                                                 .region_address = region_address,
                                                 .region = options.region,
                                                 .harvesting = chip.harvesting(),
                                                 .workers = chip.workers(),
                                                 .subordinate = options_.subordinate});
  if (chip_.device().wants_notes()) say_launch();
  for (const Part& part : all) {
    chip_.io().write(part.tile, wire::kConfigBlock, arch::bytes_of(config));
    chip_.io().write(part.tile, chip_.layout().kernel_config,
                     config_image(*part.semaphores, *part.image, chip_.layout()));
  }
  write_queues();
  if (options_.subordinate) write_subordinate();
  for (const Part& part : all) launch(part.tile, options_.subordinate && part.tile == pair_.dispatch);
  try {
    await(
        chip_.device(), "start of the command queue's kernels",
        [&] {
          if (has_error()) throw DeviceError(Category::Protocol, "a kernel of the command queue refuses to start");
          return std::all_of(kernels_.begin(), kernels_.end(),
                             [&](const Kernel& k) { return diagnostics(k).ready == wire::kReady; });
        },
        kReadyDeadline);
  } catch (const DeviceError& error) {
    if (error.category() != Category::Protocol) throw;
    throw DeviceError(Category::Protocol, "a kernel of the command queue refuses to start", describe());
  }
}

QueueService::~QueueService() {
  if (ended_) return;
  try {
    hold_in_reset(chip_.io(), tiles());
  } catch (const DeviceError&) {  // a device that has stopped does not touch host memory any more
  }
}

// The rings' ends next to the host, and what the dispatcher counts.
void QueueService::write_queues() {
  NocIo& io = chip_.io();
  const std::vector<std::byte> empty_queue(wire::kPrefetchQBytes);
  io.write(prefetch_tile(), wire::kPrefetchQ, empty_queue);
  io.write32(prefetch_tile(), wire::kPrefetchQRdPtr, wire::kPrefetchQRdPtrInitial);
  io.write32(prefetch_tile(), wire::kPrefetchQPcieRdPtr, base_ + options_.region.issue_offset());
  const uint32_t completion = (base_ + options_.region.completion_offset()) / 16;
  io.write32(completion_tile(), wire::kDevCompletionQWrPtr, completion);
  io.write32(completion_tile(), wire::kDevCompletionQRdPtr, completion);
  io.write32(pair_.dispatch, wire::kCq0LastEvent, 0);
  io.write32(pair_.dispatch, wire::kCq1LastEvent, 0);
  const std::vector<std::byte> sync(wire::kMaxWorkerSems * wire::kSemStride);
  io.write(pair_.dispatch, wire::kDispatchSSyncSems, sync);
}

void QueueService::write_subordinate() {
  const firmware::Image& kernel = firmware::queue_firmware().dispatch_s;
  const uint32_t place = chip_.layout().kernel_config + wire::kImageDispatchSTextOffset;
  check(kernel, place, wire::kImageDispatchSTextBytes);
  chip_.io().write(pair_.dispatch, place, kernel.text);
}

// To whoever watches the device. It has no end: the kernels run until the queue goes.
void QueueService::say_launch() {
  const uint32_t config = chip_.layout().kernel_config;
  const auto kernel = [](arch::Hart hart, const firmware::Image& built) {
    const auto bytes = static_cast<uint32_t>(built.text.size());
    const auto image = std::make_shared<const image::Image>(flat_image(built));
    return arch::note::Launched::Kernel{
        .hart = hart, .code = {std::string(built.name), built.base, bytes, image, built.base}, .args_words = {0}};
  };
  arch::note::Launched note{
      .program = "command queue", .config_begin = config, .config_end = config + wire::kImageTextOffset};
  for (const Part& part : parts()) {
    arch::note::Launched::Group& group = note.groups.emplace_back();
    group.cores = {part.tile};
    group.slots = {chip_.ledger().slot(part.tile)};
    group.kernels = {kernel(arch::Hart::Brisc, *part.image)};
    if (options_.subordinate && part.tile == pair_.dispatch)
      group.kernels.push_back(kernel(arch::Hart::Ncrisc, firmware::queue_firmware().dispatch_s));
    for (const auto& k : group.kernels) note.config_end = std::max(note.config_end, k.code.address + k.code.bytes);
  }
  say(chip_.device(), std::move(note));
}

void QueueService::launch(arch::NocCoord tile, bool with_ncrisc) {
  const arch::FirmwareLayout& layout = chip_.layout();
  arch::LaunchMessage message;
  for (uint32_t& base : message.kernel_config_base) base = layout.kernel_config;
  for (uint16_t& offset : message.sem_offset) offset = wire::kImageSemOffset;
  message.rta_offset[0] = {0, wire::kImageSemOffset};
  message.mode = static_cast<uint8_t>(arch::DispatchMode::Host);
  message.kernel_text_offset[0] = wire::kImageTextOffset;
  message.brisc_noc_id = 0;  // both send their data on NoC 0 (fast-dispatch.md 1.2)
  message.min_remote_cb_start_index = static_cast<uint8_t>(layout.circular_buffers);
  message.enables = arch::enable_bit(arch::Hart::Brisc);
  if (with_ncrisc) {  // it takes the other NoC
    message.kernel_text_offset[1] = wire::kImageDispatchSTextOffset;
    message.enables |= arch::enable_bit(arch::Hart::Ncrisc);
  }
  chip_.io().write(tile, layout.launch_entry(chip_.ledger().slot(tile)), arch::bytes_of(message));
  const arch::GoMessage go{0, 0, 0, static_cast<uint8_t>(arch::RunMessage::Go)};
  chip_.io().write32(tile, layout.go_messages, go.word());
}

bool QueueService::has_ended() {
  const std::vector<arch::NocCoord> all = tiles();
  ended_ = ended_ || std::all_of(all.begin(), all.end(), [&](arch::NocCoord tile) { return chip_.is_idle(tile); });
  return ended_;
}

wire::Diagnostics QueueService::diagnostics(const Kernel& kernel) {
  wire::Diagnostics d;
  chip_.io().read(kernel.tile, kernel.diagnostics, arch::bytes_of(d));
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
