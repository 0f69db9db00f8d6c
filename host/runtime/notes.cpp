#include "host/runtime/notes.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "host/runtime/program/running.hpp"

namespace kerr::host {
namespace {

arch::note::Launched::Kernel kernel_of(const Program::Kernel& given, const PlacedKernel& placed,
                                       const KernelGroup& group) {
  const image::Segment& text = placed.image->segments[0];
  const auto hart = static_cast<size_t>(placed.hart);
  const uint32_t base = group.launch.kernel_config_base[0];
  const auto words_of = [&](arch::NocCoord core) {
    const auto args = given.args.find(core);
    return args == given.args.end() ? 0 : static_cast<uint32_t>(args->second.size());
  };
  arch::note::Launched::Kernel kernel{
      .hart = placed.hart,
      .code = {placed.image->name, placed.text_address, text.memory_bytes, placed.image, text.address},
      .args_address = base + group.launch.rta_offset[hart].rta,
      .common_args_address = base + group.launch.rta_offset[hart].crta,
      .args_words = {},
      .common_args_words = static_cast<uint32_t>(given.common_args.size())};
  for (const arch::NocCoord core : group.cores) kernel.args_words.push_back(words_of(core));
  return kernel;
}

}  // namespace

arch::note::Booted note_of(std::span<const arch::NocCoord> tiles, const BaseFirmware& firmware) {
  arch::note::Booted note{.tiles = {tiles.begin(), tiles.end()}, .firmware = {}};
  for (size_t hart = 0; hart < arch::kHarts; ++hart) {
    const image::Image& image = firmware.images[hart];
    const auto text = std::ranges::find_if(image.segments, &image::Segment::executable);
    if (text == image.segments.end()) continue;
    note.firmware[hart] = {image.name, text->load_address, text->memory_bytes,
                           std::make_shared<const image::Image>(image), text->address};
  }
  return note;
}

arch::note::Allocated note_of(const Buffer::State& buffer) {
  using Space = arch::note::Allocated::Space;
  const uint64_t pages = buffer.pages;
  const uint64_t banks = buffer.banks.size();
  const uint64_t rows = buffer.pages_per_shard != 0 ? buffer.pages_per_shard : (pages + banks - 1) / banks;
  return {.id = buffer.id,
          .space = buffer.memory == Memory::Dram ? Space::Dram : Space::L1,
          .address = buffer.address,
          .per_bank = rows * buffer.stride,
          .bytes = pages * buffer.page_bytes,
          .page_bytes = buffer.page_bytes,
          .stride = buffer.stride,
          .pages_per_shard = buffer.pages_per_shard,
          .banks = buffer.banks};
}

arch::note::Launched note_of(const Program& program, const LaunchPlan& plan,
                             const std::function<uint32_t(arch::NocCoord)>& slot_of) {
  arch::note::Launched note;
  note.program = program.name();
  note.config_begin = plan.args_address;
  note.config_end = plan.config_end();
  note.l1_begin = program.layout().unreserved;
  note.l1_end = program.l1_end();
  for (const KernelGroup& group : plan.groups) {
    arch::note::Launched::Group& out = note.groups.emplace_back();
    out.cores = group.cores;
    for (const arch::NocCoord core : group.cores) out.slots.push_back(slot_of(core));
    for (const PlacedKernel& placed : group.kernels) {
      for (const Program::Kernel& given : program.kernels()) {
        if (given.hart != placed.hart || std::ranges::find(given.cores, group.cores.front()) == given.cores.end())
          continue;
        out.kernels.push_back(kernel_of(given, placed, group));
        break;
      }
    }
  }
  for (const auto& [id, buffer] : program.circular_buffers()) {
    const CircularBuffer& c = buffer.config;
    note.circular_buffers.push_back({id, buffer.address, c.pages * c.page_bytes, c.pages, c.page_bytes});
  }
  const arch::LaunchMessage& launch = plan.groups.front().launch;
  uint32_t address = launch.kernel_config_base[0] + launch.sem_offset[0];
  for (const uint32_t initial : program.semaphores()) {
    note.semaphores.push_back({address, initial});
    address += RunningProgram::kSemaphoreStride;
  }
  return note;
}

uint64_t say(PcieDevice& device, arch::note::Launched launch) {
  launch.id = device.number_note();
  const uint64_t id = launch.id;
  device.note(std::move(launch));
  return id;
}

void say_ended(PcieDevice& device, uint64_t launch) {
  if (launch != 0) device.note(arch::note::Ended{launch});
}

}  // namespace kerr::host
