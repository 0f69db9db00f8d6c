#include "bindings/c/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "bindings/c/process.hpp"
#include "emu/machine/machine.hpp"
#include "emu/machine/snapshot.hpp"
#include "host/driver/chip_reset.hpp"

namespace kerr::c {

namespace {

constexpr uint64_t kMostScratch = uint64_t{256} << 20;  // bytes that are kept for the next launch
constexpr size_t kBlockBytes = 64 * 1024;               // in which contents are kept across a reset

bool stops_the_chip(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const host::DeviceError& error) {
    return error.category() != host::Category::HostError;
  } catch (...) {
    return false;
  }
}

// The contents of buffers and tensors on the host, without the blocks that hold zeros only.
class Kept {
 public:
  Kept(host::Chip& chip, const void* owner) {
    for (const std::shared_ptr<void>& object : Handles::all().of(Kind::Buffer, owner))
      buffers_.push_back(static_cast<const BufferObject*>(object.get())->buffer);
    for (const std::shared_ptr<void>& object : Handles::all().of(Kind::Tensor, owner))
      buffers_.push_back(static_cast<const TensorObject*>(object.get())->matrix.buffer);
    std::vector<std::byte> block;
    for (size_t i = 0; i < buffers_.size(); ++i) {
      const host::Buffer& buffer = buffers_[i];
      for (uint64_t at = 0; at < buffer.bytes(); at += kBlockBytes) {
        block.resize(std::min<uint64_t>(kBlockBytes, buffer.bytes() - at));
        chip.read(buffer, block, at);
        if (std::ranges::any_of(block, [](std::byte b) { return b != std::byte{}; })) blocks_.push_back({i, at, block});
      }
    }
  }

  /// `zero`: the memory holds zeros by now.
  void write(host::Chip& chip, bool zero) const {
    if (!zero) {
      for (const host::Buffer& buffer : buffers_) {
        const std::vector<std::byte> zeros(std::min<uint64_t>(kBlockBytes, buffer.bytes()));
        for (uint64_t at = 0; at < buffer.bytes(); at += zeros.size())
          chip.write(buffer, std::span(zeros).first(std::min<uint64_t>(zeros.size(), buffer.bytes() - at)), at);
      }
    }
    for (const Block& block : blocks_) chip.write(buffers_[block.buffer], block.bytes, block.at);
  }

 private:
  struct Block {
    size_t buffer;
    uint64_t at;
    std::vector<std::byte> bytes;
  };
  std::vector<host::Buffer> buffers_;  // each keeps its memory
  std::vector<Block> blocks_;
};

}  // namespace

kerr_place place_of(const host::Buffer& buffer) {
  return {buffer.address(), buffer.bytes(), buffer.stride(), buffer.banks()};
}

Device::Device(Settings settings)
    : settings_(std::move(settings)), process_(process_number()), supervision_(settings_.between_callbacks) {
  open_.emplace(jobs::open(settings_.spec, settings_.watch));
  supervision_.set_cycles(open_->cycles);
  if (!settings_.record.empty()) begin_recording(settings_.record);
  device_.emplace(*open_->device, supervision_);
  boot();
  board_ = settings_.spec.is_emulated() ? settings_.spec.emulator.boards.front().name : chip_->board_name();
  if (board_.starts_with("p150")) board_ = arch::kP150.name;  // p150a, p150b, p150c
}

Device::~Device() {
  if (process_ != process_number()) {  // a child's copy: threads and files are its parent's
    (void)recorder_.release();
    (void)chip_.release();
    (void)open_->device.release();
    return;
  }
  recorder_.reset();  // before its machine
  scratch_.release();
  chip_.reset();
}

void Device::boot() {
  host::ChipOptions options = open_->chip_options;
  options.allocators = allocators_;
  chip_ = std::make_unique<host::Chip>(*device_, options);
  allocators_ = chip_->allocators();
  device_->take_disturbed();
}

void Device::require_own_process() const {
  if (process_ != process_number())
    throw Failure(KERR_WRONG_PROCESS,
                  "the device was opened by another process, of which this is a child: open one in this process");
}

std::unique_lock<std::mutex> Device::enter() {
  require_own_process();
  if (in_callback())
    throw Failure(KERR_BUSY, "a progress callback cannot use a device: one is waiting for it to return");
  std::unique_lock lock(mutex_);
  if (closed_) throw Failure(KERR_INVALID_HANDLE, "the device was closed meanwhile");
  if (!broken_.empty())
    throw Failure(KERR_DEVICE, fmt::format("the device could not be reset ({}): close it", broken_));
  return lock;
}

void Device::close() {
  require_own_process();
  if (in_callback()) throw Failure(KERR_BUSY, "a progress callback cannot close a device");
  std::lock_guard lock(mutex_);
  closed_ = true;
  std::exception_ptr error;
  try {
    if (recorder_) recorder_->finish();
  } catch (...) {
    error = std::current_exception();
  }
  recorder_.reset();
  scratch_.release();
  chip_.reset();
  device_.reset();
  open_->device.reset();
  if (error) std::rethrow_exception(error);
}

void Device::recover_from(const std::exception_ptr& thrown) {
  if (!chip_) {  // a reset that was asked for, or a restore, has not come to its end
    broken_ = describe(thrown).text;
    return;
  }
  const bool disturbed = device_->take_disturbed();
  if (!disturbed && !stops_the_chip(thrown)) return;
  try {
    reset();
  } catch (...) {
    broken_ = describe(std::current_exception()).text;
  }
}

void Device::reset() {
  const Kept kept(*chip_, this);
  chip_.reset();
  // An emulated bus never stops answering, and to wait for it while harts spin would take long.
  const bool emulated = open_->emulated != nullptr;
  host::reset_chip(*device_, {.bus_reset = !emulated});
  ++resets_;
  boot();
  kept.write(*chip_, emulated);
}

void Device::count(const loops::Launched& launched) {
  ++counts_.launches[static_cast<size_t>(launched.path)];
  counts_.products += launched.products;
  scratch_.release_above(kMostScratch);
}

void Device::begin_recording(const std::string& path) {
  if (recorder_) invalid_argument("the device is being recorded already: end that first");
  recorder_ = std::make_unique<emu::InputRecorder>(machine(), path);
}

void Device::end_recording() {
  if (!recorder_) invalid_argument("the device is not being recorded");
  const std::unique_ptr<emu::InputRecorder> recorder = std::move(recorder_);
  recorder->finish();
}

void Device::restore(const std::string& path) {
  emu::Machine& all = machine();
  if (emu::read_snapshot_info(path).faults != 0)
    throw Failure(KERR_UNSUPPORTED, fmt::format("'{}' is of a device that had stopped with a fault", path));
  // The windows that a chip has opened are the machine's state. Of tiles the host wants nothing: the firmware starts
  // again.
  chip_.reset();
  try {
    emu::load_snapshot(all, path, jobs::cpus());
  } catch (...) {
    boot();
    throw;
  }
  ++resets_;
  boot();
}

emu::Machine& Device::machine() const {
  if (open_->emulated == nullptr)
    throw Failure(KERR_UNSUPPORTED, "only the emulator can be watched, recorded and saved");
  return open_->emulated->machine();
}

int64_t Device::nanoseconds(uint64_t cycles) const {
  const bool time = settings_.spec.is_emulated() ? settings_.spec.emulator.exact() : !settings_.spec.card.empty();
  if (!time) return -1;
  return static_cast<int64_t>(static_cast<double>(cycles) * 1000 / settings_.spec.emulator.parameters.clock_mhz);
}

}  // namespace kerr::c
