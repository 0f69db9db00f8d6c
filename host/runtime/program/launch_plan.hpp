// A Program laid out for the kernel-config area of its cores: what has to be written where, before GO.
// docs/hardware/kernels.md 2.2, 2.3, 2.5; fast-dispatch.md 3.3, 19.1
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "arch/messages.hpp"
#include "host/runtime/program/program.hpp"

namespace kerr::host {

/// A kernel at its place in L1, for reports: the image as it was given, moved to where it runs.
struct PlacedKernel {
  arch::Hart hart;
  uint32_t text_address;
  std::shared_ptr<const image::Image> image;
  bool resident = false;  ///< not part of the group's image: KernelOptions::resident

  image::Image moved() const { return image->moved_by(text_address - image->segments[0].address); }
};

/// Cores that run the same kernels, so that one image and one launch message serve them all.
struct KernelGroup {
  std::vector<arch::NocCoord> cores;
  arch::LaunchMessage launch;    ///< mode Dev; slow dispatch sets Host
  uint32_t image_address = 0;    ///< L1, a multiple of 16
  std::vector<std::byte> image;  ///< common arguments, semaphores, circular buffers, texts; padded to 16
  uint32_t changing_bytes = 0;   ///< of the image, at its start: what a run may leave otherwise than it found it
  std::vector<PlacedKernel> kernels;
};

/// The kernel-config area from layout.kernel_config up:
///   unique arguments of the five harts | common arguments | semaphores | circular buffers | texts
/// Each part begins at a multiple of 16, each argument section has the length of the longest of any core, so offsets
/// are the same on all cores of the program.
struct LaunchPlan {
  std::vector<KernelGroup> groups;    ///< in order of their first core
  std::vector<arch::NocCoord> cores;  ///< all of them, sorted
  uint32_t args_address = 0;
  uint32_t args_bytes = 0;      ///< per core, a multiple of 16; 0 if no kernel has unique arguments
  std::vector<std::byte> args;  ///< args_bytes for each of `cores`, in that order

  /// First address behind everything the plan writes into the kernel-config area.
  uint32_t config_end() const;
  /// Moves the whole area up by `bytes`, a multiple of 16: a program may then be written while another one runs.
  void move_up(uint32_t bytes);
};

/// Throws DeviceError (HostError) if the program is empty or does not fit.
LaunchPlan plan_launch(const Program& program);

}  // namespace kerr::host
