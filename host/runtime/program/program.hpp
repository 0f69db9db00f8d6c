// What runs on a set of cores: kernels, their arguments, circular buffers and semaphores.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arch/firmware_layout.hpp"
#include "arch/grid.hpp"
#include "arch/memory_map.hpp"
#include "image/image.hpp"

namespace kerr::host {

/// A FIFO in L1 between the harts of one core (docs/hardware/kernels.md 2.5).
struct CircularBuffer {
  uint8_t id = 0;  ///< 0..31
  uint32_t pages = 2;
  uint32_t page_bytes = 0;  ///< a multiple of 16
};

struct KernelOptions {
  /// BRISC only: its NoC. NCRISC uses the other one by convention (fw: brisc_noc_id). A kernel of kerr_add_kernel says
  /// itself for which it was compiled.
  uint8_t noc = 0;
  /// The code lies at this address of L1 when the program runs: whoever runs it has put it there, for example because
  /// it is larger than the kernel-config area, or serves both harts of a core. It has no relocations.
  std::optional<uint32_t> resident{};
};

/// The hart that an ELF file says it was compiled for, as those of kerr_add_kernel do; none if it says nothing.
std::optional<arch::Hart> compiled_for(const image::Image& image);

/// A program is data: building it touches no device, and it can be run any number of times on any number of chips.
/// Cores are Tensix tiles in translated coordinates. Circular buffers, semaphores and scratch memory have the same
/// address on every core of the program. Not thread-safe while it is being built.
/// Kernels write neither their code nor their tables of circular buffers: a queue does not send again what is there.
/// Everything throws DeviceError (HostError) at the call that is wrong.
class Program {
 public:
  using KernelId = size_t;

  /// `name`: for messages. `layout`: Chip::layout() of the chips that it is for.
  explicit Program(std::string name = "program", const arch::FirmwareLayout& layout = arch::kFwB);

  /// Puts a kernel on one hart of each core. A hart of a core runs at most one kernel. The image is called and left as
  /// arch/kernel_abi.hpp says. It is what kerr_add_kernel of CMake links (image::kernel_code() says what that may
  /// hold), or one segment of position-independent code without .data and .bss.
  KernelId add_kernel(arch::Hart hart, image::Image image, std::span<const arch::NocCoord> cores,
                      KernelOptions options = {});

  /// The same on the hart that the image says it was compiled for (compiled_for()), as those of kerr_add_kernel do.
  KernelId add_kernel(image::Image image, std::span<const arch::NocCoord> cores, KernelOptions options = {});

  /// The three parts of a compute kernel, for TRISC0, TRISC1 and TRISC2 (image::read_compute()). Returns their three
  /// ids, one behind the other; arguments are set for each, or for all by the calls below.
  struct ComputeKernel {
    KernelId first;
    KernelId unpack() const { return first; }
    KernelId math() const { return first + 1; }
    KernelId pack() const { return first + 2; }
  };
  ComputeKernel add_compute_kernel(std::array<image::Image, 3> images, std::span<const arch::NocCoord> cores);
  void set_args(ComputeKernel kernel, arch::NocCoord core, const std::vector<uint32_t>& words);
  void set_common_args(ComputeKernel kernel, const std::vector<uint32_t>& words);

  /// Runtime arguments, read by the kernel as words from its RTA base; per core, and common to all cores of a kernel
  /// (CRTA base). May be set again between runs.
  void set_args(KernelId kernel, arch::NocCoord core, std::vector<uint32_t> words);
  void set_common_args(KernelId kernel, std::vector<uint32_t> words);

  /// Returns the L1 address.
  uint32_t add_circular_buffer(const CircularBuffer& buffer);
  /// The same pages under a second id (in-place operations).
  void alias_circular_buffer(uint8_t id, uint8_t same_as);
  /// Returns the id; the semaphore's word lies at sem_base + 16 * id and holds `initial` when the kernels start.
  uint32_t add_semaphore(uint32_t initial = 0);
  /// L1 for the kernels' own use; not initialised. Returns the address, a multiple of `align` (a power of two >= 16).
  uint32_t add_l1(uint32_t bytes, uint32_t align = 16);

  const std::string& name() const { return name_; }
  /// Programs of the same revision are equal: copies, until one of them is changed.
  uint64_t revision() const { return revision_; }
  /// Layout of the firmware that it runs on.
  const arch::FirmwareLayout& layout() const { return layout_; }
  /// L1 in use on every core: [layout().unreserved, l1_end()).
  uint32_t l1_end() const { return l1_next_; }

  struct Kernel {
    arch::Hart hart;
    std::shared_ptr<const image::Image> image;
    std::vector<arch::NocCoord> cores;  // sorted, distinct
    KernelOptions options;
    std::map<arch::NocCoord, std::vector<uint32_t>> args;
    std::vector<uint32_t> common_args;
  };
  struct PlacedBuffer {
    CircularBuffer config;
    uint32_t address;
  };
  /// What has been added so far, each in the order of its calls or by its id.
  const std::vector<Kernel>& kernels() const { return kernels_; }
  const std::map<uint8_t, PlacedBuffer>& circular_buffers() const { return buffers_; }
  const std::vector<uint32_t>& semaphores() const { return semaphores_; }

 private:
  void changed();

  std::string name_;
  uint64_t revision_;
  arch::FirmwareLayout layout_;
  std::vector<Kernel> kernels_;
  std::map<uint8_t, PlacedBuffer> buffers_;
  std::vector<uint32_t> semaphores_;
  uint32_t l1_next_;
};

}  // namespace kerr::host
