// A program whose streams are held against each other before anybody can run it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "host/runtime/program/program.hpp"
#include "kernels/stream/stream.hpp"

namespace kerr::kernels {

class CheckedProgram {
 public:
  CheckedProgram(std::string name, const arch::FirmwareLayout& layout) : program_(std::move(name), layout) {}

  host::Program& operator*() { return program_; }
  host::Program* operator->() { return &program_; }

  host::Program::KernelId add_kernel(arch::Hart hart, const Kernel& kernel, const std::string& name,
                                     std::span<const arch::NocCoord> cores, host::KernelOptions options = {});

  /// Throws std::invalid_argument that names buffer or semaphore, core, streams and numbers:
  ///   hangs       pages pushed that nobody pops or the other way round; more than a buffer holds; semaphores posted
  ///               and got unequally often, on other tiles too
  ///   L1          more bytes moved through a buffer's pages than they have, or sent to other tiles' pages, at once or
  ///               in all; stores beyond them; blocks that wrap inside; a buffer taken for one of another size;
  ///               going beyond the end of one; pushing without reserving, popping without waiting
  ///   NoC         ends of a transfer that are not aligned alike; rectangles of other tiles than are waited
  ///               for, or outside the program
  ///   Dst         tiles outside a section
  ///   harts       kernels that read the tables of another hart than the one that runs them
  ///   waits       loads that are made to wait and do not (kernels/stream/waiting_loads.hpp)
  host::Program finish() &&;

 private:
  struct OnCore {
    const host::Program::Kernel* kernel;
    const std::vector<Effect>* effects;
    const std::vector<uint32_t>* arguments;
  };
  using OnCores = std::map<arch::NocCoord, std::vector<OnCore>>;
  void verify(arch::NocCoord core, std::span<const OnCore> kernels) const;
  void verify_addresses(arch::NocCoord core, const OnCore& kernel) const;
  void verify_waits(const host::Program::Kernel& kernel) const;
  void verify_hart(const host::Program::Kernel& kernel, std::span<const Effect> effects) const;
  void verify_signals(const OnCores& cores) const;
  void verify_multicasts(const OnCores& cores) const;
  uint32_t argument(arch::NocCoord core, const OnCore& kernel, int offset, bool common = false) const;
  uint64_t total(arch::NocCoord core, const OnCore& kernel, const Effect& effect) const;
  std::vector<arch::NocCoord> targets(arch::NocCoord core, const OnCore& kernel, const Effect& effect, uint32_t wanted,
                                      const std::string& what) const;
  const host::Program::PlacedBuffer& buffer(arch::NocCoord core, const OnCore& kernel, uint32_t id) const;
  [[noreturn]] void refuse(arch::NocCoord core, const std::string& what) const;

  host::Program program_;
  std::vector<std::vector<Effect>> effects_;  // by kernel
};

}  // namespace kerr::kernels
