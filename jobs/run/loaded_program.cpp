#include "jobs/run/loaded_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "arch/banks.hpp"
#include "arch/boards.hpp"
#include "host/runtime/program/launch_plan.hpp"
#include "host/runtime/program/running.hpp"

namespace kerr::jobs {

namespace {

constexpr uint32_t kL1Align = 64;  // what a read from DRAM wants of its target

}  // namespace

LoadedProgram::LoadedProgram(const RunJob& job, host::Chip& chip)
    : job_(job), chip_(chip), program_(job.name, chip_.layout()), cores_(cores_of(job, chip_.workers())) {
  const auto tiles = arch::tensix_tiles(chip_.harvesting());
  check_cores(cores_, {tiles.begin(), tiles.size()}, chip_.board_name());
  memory_.emplace(chip_.io(), chip_.harvesting(), cores_, chip_.layout().unreserved);
  add_buffers();
  add_kernels();
  chip_.check(program_);
  place_code();
  for (const RunBuffer& buffer : job_.buffers) {
    if (buffer.data.empty()) continue;
    PlacedData to{.place = {.area = Place::Area::Buffer, .name = buffer.name}, .text = buffer.name};
    memory_->write(to, buffer.data);
  }
}

void LoadedProgram::run(uint64_t cycles) {
  const auto wall = host::Deadline::microseconds(cycles / arch::kAiclkBusyMhz + 1).wall;
  chip_.run(program_, {cycles, wall}, host::Chip::DeadlineOf::All);
}

void LoadedProgram::add_buffers() {
  for (const host::CircularBuffer& buffer : job_.circular_buffers) {
    const uint32_t address = program_.add_circular_buffer(buffer);
    memory_->add_l1(fmt::format("cb{}", buffer.id), address, uint64_t{buffer.pages} * buffer.page_bytes);
  }
  for (const uint32_t initial : job_.semaphores) program_.add_semaphore(initial);
  for (const RunBuffer& buffer : job_.buffers) {
    if (buffer.memory == host::Memory::Dram) {
      buffers_.push_back(chip_.allocate(host::Memory::Dram, buffer.bytes, buffer.page_bytes));
      chip_.name(buffers_.back(), buffer.name);
      memory_->add_dram(buffer.name, chip_, buffers_.back());
    } else {
      if (buffer.bytes > arch::kL1Bytes)
        throw std::invalid_argument(fmt::format("buffer '{}': {} bytes exceed L1", buffer.name, buffer.bytes));
      const auto bytes = static_cast<uint32_t>(buffer.bytes);
      memory_->add_l1(buffer.name, program_.add_l1(bytes, kL1Align), bytes);
    }
  }
}

void LoadedProgram::add_kernels() {
  for (const RunKernel& kernel : job_.kernels) {
    const std::vector<arch::NocCoord> cores = cores_of(job_, kernel, chip_.workers());
    const auto id = program_.add_kernel(kernel.hart, kernel.image, cores, {.noc = kernel.noc});
    if (!kernel.common_args.empty()) program_.set_common_args(id, memory_->resolve(kernel.common_args));
    if (!kernel.args.empty())
      for (const arch::NocCoord core : cores) program_.set_args(id, core, memory_->resolve(kernel.args));
    for (const auto& [core, args] : kernel.core_args) program_.set_args(id, core, memory_->resolve(args));
  }
}

void LoadedProgram::place_code() {
  const host::LaunchPlan plan = host::plan_launch(program_);
  for (const host::KernelGroup& group : plan.groups) {
    for (const host::PlacedKernel& kernel : group.kernels) {
      const auto image = std::make_shared<const image::Image>(kernel.moved());
      for (const arch::NocCoord core : group.cores) code_.push_back({core, kernel.hart, image});
    }
  }
  std::sort(code_.begin(), code_.end());
  const host::RunningProgram running(program_, plan);
  memory_->set_semaphores(running.semaphore_address, running.semaphores);
}

}  // namespace kerr::jobs
