#include "host/runtime/program/program.hpp"

#include <algorithm>
#include <atomic>

#include <fmt/format.h>

#include "arch/kernel_abi.hpp"
#include "host/error.hpp"
#include "image/error.hpp"
#include "image/kernel_code.hpp"

namespace kerr::host {

namespace {

constexpr size_t kMostSemaphores = 4096;  // their offsets are 16 bits wide

// Variables of a compiled kernel lie above those of the base firmware and below the stack, which both share.
constexpr uint32_t kLeastStackBytes = 512;

void check_variables(const image::Image& image, arch::Hart hart, const arch::FirmwareLayout& layout) {
  const arch::KernelAbi abi = arch::kernel_abi(layout, hart);
  const uint32_t end = abi.stack_top - kLeastStackBytes;
  for (const image::Segment& segment : image.segments) {
    if (segment.contains(image.entry) || segment.executable) continue;
    if (segment.address >= abi.free_base && uint64_t{segment.address} + segment.memory_bytes <= end) continue;
    host_error(fmt::format(
        "kernel '{}': its variables (.data and .bss) at {:#x} to {:#x} are not in what {} leaves to kernels, "
        "{:#x} to {:#x}; {} bytes above are for the stack",
        image.name, segment.address, uint64_t{segment.address} + segment.memory_bytes,
        arch::kHartNames[static_cast<size_t>(hart)], abi.free_base, end, kLeastStackBytes));
  }
}

// As it can be put anywhere into L1 and called.
image::Image code_of(image::Image image, arch::Hart hart, const arch::FirmwareLayout& layout) {
  try {
    image::Image code = image::kernel_code(image);
    if (image.segments.size() > 1) check_variables(image, hart, layout);
    return code;
  } catch (const image::Error& error) {
    host_error(error.what());
  }
}

void check_code(const image::Image& image) {
  const auto code = std::find_if(image.segments.begin(), image.segments.end(),
                                 [&](const image::Segment& s) { return s.contains(image.entry); });
  if (image.segments.empty()) host_error(fmt::format("kernel '{}' has no code", image.name));
  if (code == image.segments.end()) {
    host_error(fmt::format("kernel '{}': its entry {:#x} lies outside its code, which begins at {:#x}", image.name,
                           image.entry, image.segments[0].address));
  }
  if (code->memory_bytes != code->bytes.size()) {
    host_error(fmt::format(
        "kernel '{}' has {} bytes that begin as zeros (.bss) behind its code, and nobody clears them: build "
        "it with kerr_add_kernel of CMake (docs/guide/kernels-in-cpp.md), or keep variables on the stack or in "
        "L1 that an argument points to (docs/guide/c-kernels.md)",
        image.name, code->memory_bytes - code->bytes.size()));
  }
}

void check_hart(const image::Image& image, arch::Hart hart) {
  for (const image::Use& use : image.uses) {
    if (use.kind != image::Use::Kind::Hart || use.value == static_cast<uint32_t>(hart)) continue;
    host_error(fmt::format("kernel '{}' was compiled for {} and is put on {}", image.name,
                           use.value < arch::kHarts ? arch::kHartNames[use.value] : "a hart that there is not",
                           arch::kHartNames[static_cast<size_t>(hart)]));
  }
}

// More than L1 holds cannot be arguments, and would wrap in sums of sizes.
void check_arguments(const std::string& kernel, const std::vector<uint32_t>& words) {
  if (words.size() > arch::kL1Bytes / 4) {
    host_error(fmt::format("kernel '{}': {} words of arguments exceed L1", kernel, words.size()));
  }
}

}  // namespace

Program::Program(std::string name, const arch::FirmwareLayout& layout)
    : name_(std::move(name)), layout_(layout), l1_next_(layout.unreserved) {
  changed();
}

void Program::changed() {
  static std::atomic<uint64_t> last = 0;
  revision_ = ++last;
}

Program::KernelId Program::add_kernel(arch::Hart hart, image::Image image, std::span<const arch::NocCoord> cores,
                                      KernelOptions options) {
  const char* hart_name = arch::kHartNames[static_cast<size_t>(hart)];
  check_hart(image, hart);  // first: on another hart its variables lie wrong, too
  image = code_of(std::move(image), hart, layout_);
  check_code(image);
  if (cores.empty()) host_error(fmt::format("kernel '{}' is put on no core", image.name));
  if (options.noc >= arch::kNocs) host_error(fmt::format("kernel '{}': there is no NoC {}", image.name, options.noc));
  if (options.resident &&
      (!image.relocations.empty() || *options.resident % 16 != 0 || *options.resident >= arch::kL1Bytes)) {
    host_error(fmt::format(
        "kernel '{}' shall be resident at {:#x}: that must be a multiple of 16 in L1, and code without relocations",
        image.name, *options.resident));
  }
  std::vector<arch::NocCoord> sorted(cores.begin(), cores.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  for (const Kernel& other : kernels_) {
    if (other.hart != hart) continue;
    for (arch::NocCoord core : sorted) {
      if (std::binary_search(other.cores.begin(), other.cores.end(), core)) {
        host_error(fmt::format("kernel '{}': {} of core ({},{}) already runs '{}'", image.name, hart_name, core.x,
                               core.y, other.image->name));
      }
    }
  }
  changed();
  kernels_.push_back(
      {hart, std::make_shared<const image::Image>(std::move(image)), std::move(sorted), options, {}, {}});
  return kernels_.size() - 1;
}

Program::ComputeKernel Program::add_compute_kernel(std::array<image::Image, 3> images,
                                                   std::span<const arch::NocCoord> cores) {
  const KernelId first = add_kernel(arch::Hart::Trisc0, std::move(images[0]), cores);
  add_kernel(arch::Hart::Trisc1, std::move(images[1]), cores);
  add_kernel(arch::Hart::Trisc2, std::move(images[2]), cores);
  return {first};
}

void Program::set_args(ComputeKernel kernel, arch::NocCoord core, const std::vector<uint32_t>& words) {
  for (KernelId id = kernel.first; id < kernel.first + 3; ++id) set_args(id, core, words);
}

void Program::set_common_args(ComputeKernel kernel, const std::vector<uint32_t>& words) {
  for (KernelId id = kernel.first; id < kernel.first + 3; ++id) set_common_args(id, words);
}

void Program::set_args(KernelId kernel, arch::NocCoord core, std::vector<uint32_t> words) {
  if (kernel >= kernels_.size()) host_error(fmt::format("there is no kernel {}", kernel));
  Kernel& k = kernels_[kernel];
  if (!std::binary_search(k.cores.begin(), k.cores.end(), core)) {
    host_error(
        fmt::format("arguments for core ({},{}), on which kernel '{}' does not run", core.x, core.y, k.image->name));
  }
  check_arguments(k.image->name, words);
  changed();
  k.args[core] = std::move(words);
}

void Program::set_common_args(KernelId kernel, std::vector<uint32_t> words) {
  if (kernel >= kernels_.size()) host_error(fmt::format("there is no kernel {}", kernel));
  check_arguments(kernels_[kernel].image->name, words);
  changed();
  kernels_[kernel].common_args = std::move(words);
}

uint32_t Program::add_circular_buffer(const CircularBuffer& buffer) {
  if (buffer.id >= layout_.circular_buffers) {
    host_error(fmt::format("circular buffer {}: ids are 0 to {}", buffer.id, layout_.circular_buffers - 1));
  }
  if (buffers_.contains(buffer.id)) host_error(fmt::format("circular buffer {} exists already", buffer.id));
  // Both counters are 16 bits modular (kernels.md 2.5): more pages could not be told from none.
  if (buffer.pages == 0 || buffer.pages > 0xFFFF || buffer.page_bytes == 0 || buffer.page_bytes % 16 != 0) {
    host_error(fmt::format("circular buffer {}: {} pages of {} bytes; wanted are 1 to 65535 pages of a multiple of 16",
                           buffer.id, buffer.pages, buffer.page_bytes));
  }
  const uint64_t bytes = static_cast<uint64_t>(buffer.pages) * buffer.page_bytes;
  if (bytes > arch::kL1Bytes) host_error(fmt::format("circular buffer {}: {} bytes exceed L1", buffer.id, bytes));
  const uint32_t address = add_l1(static_cast<uint32_t>(bytes));
  changed();
  buffers_[buffer.id] = {buffer, address};
  return address;
}

void Program::alias_circular_buffer(uint8_t id, uint8_t same_as) {
  const auto original = buffers_.find(same_as);
  if (original == buffers_.end()) host_error(fmt::format("circular buffer {} does not exist", same_as));
  if (id >= layout_.circular_buffers || buffers_.contains(id)) {
    host_error(fmt::format("circular buffer {} exists already or is not 0 to {}", id, layout_.circular_buffers - 1));
  }
  changed();
  PlacedBuffer alias = original->second;
  alias.config.id = id;
  buffers_[id] = alias;
}

uint32_t Program::add_semaphore(uint32_t initial) {
  if (semaphores_.size() >= kMostSemaphores) host_error(fmt::format("more than {} semaphores", kMostSemaphores));
  changed();
  semaphores_.push_back(initial);
  return static_cast<uint32_t>(semaphores_.size() - 1);
}

uint32_t Program::add_l1(uint32_t bytes, uint32_t align) {
  if (align < 16 || (align & (align - 1)) != 0) {
    host_error(fmt::format("L1 alignment of {}: wanted is a power of two of at least 16", align));
  }
  const uint64_t address = (static_cast<uint64_t>(l1_next_) + align - 1) & ~static_cast<uint64_t>(align - 1);
  if (bytes > arch::kL1Bytes || address > arch::kL1Bytes - bytes) {
    host_error(fmt::format("program '{}': {} bytes of L1 wanted, {} left", name_, bytes,
                           address < arch::kL1Bytes ? arch::kL1Bytes - address : 0));
  }
  changed();
  l1_next_ = static_cast<uint32_t>((address + bytes + 15) & ~15ull);
  return static_cast<uint32_t>(address);
}

}  // namespace kerr::host
