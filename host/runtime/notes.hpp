// Notes of the runtime for whoever watches its device.   arch/host_notes.hpp
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "arch/host_notes.hpp"
#include "host/device/pcie_device.hpp"
#include "host/runtime/buffer.hpp"
#include "host/runtime/loader.hpp"
#include "host/runtime/program/launch_plan.hpp"
#include "host/runtime/program/program.hpp"

namespace kerr::host {

arch::note::Booted note_of(std::span<const arch::NocCoord> tiles, const BaseFirmware& firmware);
arch::note::Allocated note_of(const Buffer::State& buffer);
/// Without `id`. `slot_of`: the entry of a core's launch ring that the launch will take.
arch::note::Launched note_of(const Program& program, const LaunchPlan& plan,
                             const std::function<uint32_t(arch::NocCoord)>& slot_of);

/// Numbers a launch, and says it. Returns the number. Only if the device wants notes.
uint64_t say(PcieDevice& device, arch::note::Launched launch);
/// `launch`: what say() has returned; 0: it was not said.
void say_ended(PcieDevice& device, uint64_t launch);

}  // namespace kerr::host
