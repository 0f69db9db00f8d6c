#include "host/runtime/chip.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "arch/bytes.hpp"
#include "arch/cq_layout.hpp"
#include "arch/messages.hpp"
#include "host/driver/tile_reset.hpp"
#include "host/runtime/notes.hpp"
#include "host/runtime/program/running.hpp"

namespace kerr::host {
namespace {

std::string list(const arch::NocCoord& c) { return fmt::format("({},{})", c.x, c.y); }

}  // namespace

Chip::Chip(PcieDevice& device, const ChipOptions& options)
    : claim_(device),
      io_(device),
      queues_(options.queues),
      allocators_(options.allocators ? options.allocators : std::make_shared<Allocators>()) {
  if (queues_ < 1 || queues_ > arch::cq::kMaxQueues) {
    host_error(fmt::format("{} command queues; wanted are 1 or 2", queues_));
  }
  const Telemetry telemetry = Telemetry::read(io_, options.boot_deadline);
  board_name_ = telemetry.board_name();
  harvesting_ = read_harvesting(telemetry, options.missing_harvesting);
  tiles_ = arch::tensix_tiles(harvesting_);
  workers_ = arch::worker_tiles(harvesting_, static_cast<int>(queues_));
  for (int bank = 0; bank < arch::good_dram_banks(harvesting_); ++bank) {
    dram_banks_.push_back(arch::dram_bank_tile_for_noc(harvesting_, bank, 0));
  }
  const BaseFirmware firmware = options.firmware != nullptr ? *options.firmware : built_in_firmware(harvesting_);
  layout_ = firmware.layout;
  if (this->device().wants_notes()) this->device().note(note_of(tiles(), firmware));
  load_firmware(io_, tiles(), firmware, harvesting_);
  start_firmware(io_, tiles(), layout_, options.boot_deadline);
  if (!this->device().wants_notes()) return;
  std::lock_guard lock(allocators_->mutex);
  allocators_->told = &this->device();
}

Chip::~Chip() {
  {
    std::lock_guard lock(allocators_->mutex);
    allocators_->told = nullptr;
  }
  try {
    hold_in_reset(io_, tiles());
  } catch (...) {  // a device that has stopped cannot be stopped
  }
}

Buffer Chip::allocate(Memory memory, uint64_t bytes, uint32_t page_bytes) {
  std::vector<arch::NocCoord> banks = dram_banks_;
  if (memory == Memory::L1) {
    banks.clear();
    for (uint32_t bank = 0; bank < layout_.l1_banks; ++bank) {
      banks.push_back(arch::l1_bank_tile(harvesting_, static_cast<int>(bank)));
    }
  }
  return allocate(memory, bytes, page_bytes, banks, false);
}

Buffer Chip::allocate_sharded(Memory memory, uint64_t bytes, uint32_t page_bytes,
                              std::span<const arch::NocCoord> cores) {
  if (memory == Memory::Dram) {
    if (!cores.empty()) host_error("a sharded DRAM buffer has its shards in the banks, not in cores");
    return allocate(memory, bytes, page_bytes, dram_banks_, true);
  }
  if (cores.empty()) host_error("a sharded L1 buffer needs cores");
  for (size_t i = 0; i < cores.size(); ++i) {
    const auto before = cores.first(i);
    if (std::find(tiles_.begin(), tiles_.end(), cores[i]) == tiles_.end() ||
        std::find(before.begin(), before.end(), cores[i]) != before.end()) {
      host_error(fmt::format("a sharded buffer: {} is no Tensix tile, or comes twice", list(cores[i])));
    }
  }
  return allocate(memory, bytes, page_bytes, cores, true);
}

Buffer Chip::allocate(Memory memory, uint64_t bytes, uint32_t page_bytes, std::span<const arch::NocCoord> banks,
                      bool sharded) {
  const bool dram = memory == Memory::Dram;
  const uint32_t align = dram ? Allocators::kDramAlign : Allocators::kL1Align;
  if (bytes == 0 || page_bytes == 0 || page_bytes % Allocators::kL1Align != 0 || page_bytes > arch::kL1Bytes) {
    host_error(
        fmt::format("a buffer of {} bytes in pages of {}: pages must be multiples of 16 bytes", bytes, page_bytes));
  }
  auto state = std::make_shared<Buffer::State>();
  state->memory = memory;
  state->page_bytes = page_bytes;
  state->stride = (page_bytes + align - 1) / align * align;
  const uint64_t pages = bytes / page_bytes + (bytes % page_bytes != 0);
  state->banks.assign(banks.begin(), banks.end());
  const uint64_t rows = pages / state->banks.size() + (pages % state->banks.size() != 0);
  if (rows > arch::kDramBankBytes / state->stride) {
    throw OutOfDeviceMemory(fmt::format("a buffer of {} bytes exceeds the device's memory", bytes));
  }
  state->pages = static_cast<uint32_t>(pages);
  if (sharded) state->pages_per_shard = static_cast<uint32_t>(rows);
  {
    std::lock_guard lock(allocators_->mutex);
    state->address = static_cast<uint32_t>(dram ? allocators_->dram.allocate(rows * state->stride)
                                                : allocators_->l1.allocate_high(rows * state->stride));
  }
  if (device().wants_notes()) state->id = device().number_note();
  state->allocation =
      std::shared_ptr<void>(nullptr, [allocators = allocators_, dram, at = state->address, id = state->id](void*) {
        std::lock_guard guard(allocators->mutex);
        (dram ? allocators->dram : allocators->l1).release(at);
        if (allocators->told != nullptr && id != 0) allocators->told->note(arch::note::Freed{id});
      });
  if (state->id != 0) device().note(note_of(*state));
  return Buffer(std::move(state));
}

void Chip::name(const Buffer& buffer, const std::string& name) {
  if (buffer.id() != 0) device().note(arch::note::Named{buffer.id(), name});
}

MemoryUse Chip::memory_use(Memory memory, uint32_t page_bytes) const {
  const bool dram = memory == Memory::Dram;
  const uint64_t banks = dram ? dram_banks_.size() : layout_.l1_banks;
  const uint64_t align = dram ? Allocators::kDramAlign : Allocators::kL1Align;
  const uint64_t stride = (page_bytes + align - 1) / align * align;
  std::lock_guard lock(allocators_->mutex);
  const FreeList& list = dram ? allocators_->dram : allocators_->l1;
  return {list.bytes() * banks, list.used() * banks, list.largest_free() / stride * banks * page_bytes};
}

namespace {

// Calls access(place, piece) for the pages, or parts of pages, that `bytes` covers from `offset` on.
template <class Span, class Access>
void each_page(const Buffer& buffer, uint64_t offset, Span bytes, Access&& access) {
  buffer.require_range(bytes.size(), offset);
  while (!bytes.empty()) {
    const uint64_t in_page = offset % buffer.page_bytes();
    const uint64_t count = std::min<uint64_t>(bytes.size(), buffer.page_bytes() - in_page);
    Buffer::Place place = buffer.page(static_cast<uint32_t>(offset / buffer.page_bytes()));
    place.address += in_page;
    access(place, bytes.first(count));
    bytes = bytes.subspan(count);
    offset += count;
  }
}

}  // namespace

void Chip::write(const Buffer& buffer, std::span<const std::byte> bytes, uint64_t offset) {
  each_page(buffer, offset, bytes, [&](const Buffer::Place& place, std::span<const std::byte> piece) {
    io_.write(place.tile, place.address, piece);
  });
  io_.flush();
}

void Chip::read(const Buffer& buffer, std::span<std::byte> out, uint64_t offset) {
  each_page(buffer, offset, out, [&](const Buffer::Place& place, std::span<std::byte> piece) {
    io_.read(place.tile, place.address, piece);
  });
}

void Chip::check_memory(const Program& program) const {
  std::lock_guard lock(allocators_->mutex);
  if (program.l1_end() > allocators_->l1.lowest_used()) {
    host_error(fmt::format("program '{}' uses L1 up to {:#x}, where buffers lie from {:#x} on", program.name(),
                           program.l1_end(), allocators_->l1.lowest_used()));
  }
}

void Chip::check(const Program& program) const {
  check_memory(program);
  for (const Program::Kernel& kernel : program.kernels()) {
    for (arch::NocCoord core : kernel.cores) {
      if (std::find(tiles_.begin(), tiles_.end(), core) == tiles_.end()) {
        host_error(
            fmt::format("kernel '{}': {} is no Tensix tile of this {}", kernel.image->name, list(core), board_name_));
      }
    }
  }
}

bool Chip::is_idle(arch::NocCoord tile) {
  std::byte signal;
  io_.read(tile, layout_.go_signal_byte(), {&signal, 1});
  return signal == static_cast<std::byte>(arch::RunMessage::Done);
}

void Chip::run(const Program& program, Deadline deadline, DeadlineOf of) {
  std::lock_guard lock(run_mutex_);
  check(program);
  const LaunchPlan plan = plan_launch(program);
  for (arch::NocCoord core : plan.cores) {
    if (!is_idle(core)) {
      host_error(fmt::format("program '{}': core {} is busy with another program", program.name(), list(core)));
    }
  }
  const auto slot_of = [this](arch::NocCoord core) { return ledger_.slot(core); };
  const uint64_t said = device().wants_notes() ? say(device(), note_of(program, plan, slot_of)) : 0;
  for (arch::NocCoord core : plan.cores) ledger_.forget_code(core);
  for (const KernelGroup& group : plan.groups) {
    for (const Rectangle& rectangle : cover(group.cores)) io_.multicast(rectangle, group.image_address, group.image);
    arch::LaunchMessage launch = group.launch;
    launch.mode = static_cast<uint8_t>(arch::DispatchMode::Host);  // no notice to a dispatcher, the ring stays
    for (arch::NocCoord core : group.cores) {
      io_.write(core, layout_.launch_entry(ledger_.slot(core)), arch::bytes_of(launch));
    }
  }
  for (size_t i = 0; i < plan.cores.size() && plan.args_bytes != 0; ++i) {
    io_.write(plan.cores[i], plan.args_address, std::span(plan.args).subspan(i * plan.args_bytes, plan.args_bytes));
  }
  const arch::GoMessage go{0, 0, 0, static_cast<uint8_t>(arch::RunMessage::Go)};
  for (arch::NocCoord core : plan.cores) io_.write32(core, layout_.go_messages, go.word());

  size_t done = 0;
  std::function<uint64_t()> progress;
  if (of == DeadlineOf::EachCore) progress = [&] { return done; };
  try {
    await(
        device(), fmt::format("program '{}'", program.name()),
        [&] {
          while (done < plan.cores.size() && is_idle(plan.cores[done])) ++done;
          return done == plan.cores.size();
        },
        deadline, progress);
    say_ended(device(), said);
  } catch (const DeviceError& error) {
    if (done == plan.cores.size() || error.category() == Category::HostError) throw;
    const RunningProgram running(program, plan);
    const DeviceStatus status = device().status();
    if (const std::optional<ProgramFault> fault = explain_fault(running, status)) {
      throw DeviceError(error.category(), fault->sentence, fault->lines + error.report());
    }
    if (status.state == DeviceStatus::State::Faulted) throw;
    const auto has_finished = [this](arch::NocCoord core) { return is_idle(core); };
    std::string stuck = why_nothing_moves(device(), running, has_finished);
    if (stuck.empty()) stuck = explain(running, has_finished, status);
    throw DeviceError(error.category(),
                      fmt::format("program '{}': core {} has not finished ({} of {} have)", program.name(),
                                  list(plan.cores[done]), done, plan.cores.size()),
                      stuck + error.report());
  }
}

}  // namespace kerr::host
