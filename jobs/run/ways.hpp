// The two ways in which code gets onto a chip and runs: as kernels that the firmware calls, and bare.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "emu/machine/machine.hpp"
#include "image/image.hpp"
#include "jobs/device.hpp"
#include "jobs/run/memory.hpp"
#include "jobs/run/run.hpp"

namespace kerr::jobs {

/// Code of one hart at its place in L1.
struct RunCode {
  arch::NocCoord core;
  arch::Hart hart = arch::Hart::Brisc;
  std::shared_ptr<const image::Image> image;  // with the addresses at which it runs
  bool is_code(const image::Segment& segment) const;
  bool contains(uint32_t pc) const;

  friend bool operator<(const RunCode& a, const RunCode& b) {
    return a.core == b.core ? a.hart < b.hart : a.core < b.core;
  }
};

/// Whether nothing but a reset can end the hart's loop: it jumps to itself, or its turns read nothing that could
/// change.
bool loops_in_place(const emu::HartState& state);

/// A tile of the emulator; `core` is translated.
emu::Tile& tile_of(const OpenDevice& device, const arch::Harvesting& harvesting, arch::NocCoord core);

/// Where a kernel runs, and where any kernel of the job does: sorted. `workers`: what "all" means.
std::vector<arch::NocCoord> cores_of(const RunJob& job, const RunKernel& kernel,
                                     std::span<const arch::NocCoord> workers);
std::vector<arch::NocCoord> cores_of(const RunJob& job, std::span<const arch::NocCoord> workers);

/// What cannot be asked for together, and names that cannot be told apart. Throws std::invalid_argument.
void check(const RunJob& job);
/// That loads and dumps are of memory that there is. Throws std::invalid_argument.
void check_places(const RunJob& job, const RunMemory& memory);

class Way {
 public:
  virtual ~Way() = default;
  /// All code, sorted by core and hart.
  virtual const std::vector<RunCode>& code() const = 0;
  /// What "all" cores means.
  virtual std::span<const arch::NocCoord> workers() const = 0;
  virtual RunMemory& memory() = 0;
  /// Starts the harts, and returns when they have ended or cannot: `out.end`, `summary` and `report`.
  virtual void go(RunOutcome& out) = 0;
  /// What has become of a hart whose program counter lies in its code no more.
  virtual bool has_left(const RunCode& code) = 0;
  virtual const std::string& board() const = 0;
  virtual const arch::Harvesting& harvesting() const = 0;
};

/// Boot the chip, and put everything but the loads onto it. `device` and `job` must outlive them. Throw as run() does.
std::unique_ptr<Way> with_firmware(const RunJob& job, const OpenDevice& device);
std::unique_ptr<Way> without_firmware(const RunJob& job, const OpenDevice& device);

}  // namespace kerr::jobs
