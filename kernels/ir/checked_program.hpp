// A program whose streams are held against each other before anybody can run it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "host/program/program.hpp"
#include "kernels/ir/stream.hpp"

namespace kerr::kernels {

class CheckedProgram {
 public:
  CheckedProgram(std::string name, const arch::FirmwareLayout& layout) : program_(std::move(name), layout) {}

  host::Program& operator*() { return program_; }
  host::Program* operator->() { return &program_; }

  host::Program::KernelId add_kernel(arch::Hart hart, const Kernel& kernel, const std::string& name,
                                     std::span<const arch::NocCoord> cores, host::KernelOptions options = {});

  /// Throws std::invalid_argument that names buffer or semaphore, core, streams and numbers: pages pushed that nobody pops or the
  /// other way round; more than a buffer holds or another number of pages than it has; blocks that wrap inside; pushing without reserving, popping without waiting;
  /// semaphores posted and got unequally often, on other tiles too; more bytes moved through a buffer's pages than they have; tiles outside
  /// a section of Dst.
  host::Program finish() &&;

 private:
  struct OnCore {
    const host::Program::Kernel* kernel;
    const std::vector<Effect>* effects;
    const std::vector<std::uint32_t>* arguments;
  };
  using OnCores = std::map<arch::NocCoord, std::vector<OnCore>>;
  void verify(arch::NocCoord core, std::span<const OnCore> kernels) const;
  void verify_signals(const OnCores& cores) const;
  [[noreturn]] void refuse(arch::NocCoord core, const std::string& what) const;

  host::Program program_;
  std::vector<std::vector<Effect>> effects_;  // by kernel
};

}  // namespace kerr::kernels
