#include "host/runtime/program/launch_plan.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "host/error.hpp"
#include "host/runtime/program/uses.hpp"

namespace kerr::host {
namespace {

constexpr uint16_t kNoArgs = 0xFFFF;  // firmware then hands the kernel a null base
constexpr size_t kNone = ~size_t{0};
constexpr uint32_t kReturnInstruction = 0x0000'8067;  // jalr x0, 0(ra)

using GroupKey = std::array<size_t, arch::kHarts>;  // kernel per hart, or kNone

uint32_t align16(uint32_t n) { return (n + 15) & ~15u; }

void put(std::vector<std::byte>& bytes, uint32_t offset, const void* data, size_t size) {
  if (bytes.size() < offset + size) bytes.resize(offset + size);
  std::memcpy(bytes.data() + offset, data, size);
}

// A kernel's code where it stands in the image of its group.
std::span<uint8_t> text_of(std::vector<std::byte>& image, uint32_t offset, const image::Segment& segment) {
  return {reinterpret_cast<uint8_t*>(image.data()) + offset, segment.bytes.size()};
}

// Offsets from layout.kernel_config that are the same for every core.
struct Sections {
  std::array<uint32_t, arch::kHarts> rta{}, rta_words{};
  std::array<uint32_t, arch::kHarts> crta{}, crta_words{};
  uint32_t image = 0;  // everything below is unique to a core, everything from here is shared by a group
  uint32_t semaphores = 0, circular_buffers = 0, texts = 0;
  uint32_t buffer_mask = 0;
};

Sections lay_out(const Program& program) {
  Sections s;
  for (const Program::Kernel& kernel : program.kernels()) {
    const auto hart = static_cast<size_t>(kernel.hart);
    for (const auto& [core, words] : kernel.args) {
      s.rta_words[hart] = std::max(s.rta_words[hart], static_cast<uint32_t>(words.size()));
    }
    s.crta_words[hart] = std::max(s.crta_words[hart], static_cast<uint32_t>(kernel.common_args.size()));
  }
  uint32_t at = 0;
  auto place = [&at](uint32_t bytes) { return std::exchange(at, at + bytes); };
  for (size_t hart = 0; hart < arch::kHarts; ++hart) s.rta[hart] = place(4 * s.rta_words[hart]);
  s.image = at = align16(at);
  for (size_t hart = 0; hart < arch::kHarts; ++hart) s.crta[hart] = place(4 * s.crta_words[hart]);
  at = align16(at);
  s.semaphores = place(16 * static_cast<uint32_t>(program.semaphores().size()));
  const auto& buffers = program.circular_buffers();
  for (const auto& [id, buffer] : buffers) s.buffer_mask |= 1u << id;
  s.circular_buffers = place(buffers.empty() ? 0 : 16 * (buffers.rbegin()->first + 1u));
  s.texts = at;
  return s;
}

KernelGroup make_group(const Program& program, const Sections& s, const GroupKey& key) {
  const arch::FirmwareLayout& layout = program.layout();
  KernelGroup group;
  group.image_address = layout.kernel_config + s.image;
  group.changing_bytes = s.circular_buffers - s.image;
  arch::LaunchMessage& launch = group.launch;
  for (uint32_t& base : launch.kernel_config_base) base = layout.kernel_config;
  for (uint16_t& offset : launch.sem_offset) offset = static_cast<uint16_t>(s.semaphores);
  launch.local_cb_offset = static_cast<uint16_t>(s.circular_buffers);
  launch.local_cb_mask = s.buffer_mask;
  launch.min_remote_cb_start_index = static_cast<uint8_t>(layout.circular_buffers);
  launch.mode = static_cast<uint8_t>(arch::DispatchMode::Dev);

  std::vector<std::byte>& image = group.image;
  image.resize(s.texts - s.image);
  for (size_t i = 0; i < program.semaphores().size(); ++i) {
    put(image, s.semaphores - s.image + 16 * static_cast<uint32_t>(i), &program.semaphores()[i], 4);
  }
  for (const auto& [id, buffer] : program.circular_buffers()) {
    const CircularBuffer& c = buffer.config;
    const arch::CbConfig config{buffer.address, c.pages * c.page_bytes, c.pages, c.page_bytes};
    put(image, s.circular_buffers - s.image + 16 * id, &config, sizeof config);
  }
  constexpr auto kFirstTrisc = static_cast<size_t>(arch::Hart::Trisc0);
  // One enable bit starts all three TRISCs, so those without a kernel get one that returns at once.
  const bool triscs_run = std::any_of(key.begin() + kFirstTrisc, key.end(), [](size_t k) { return k != kNone; });
  for (size_t hart = 0; hart < arch::kHarts; ++hart) {
    launch.rta_offset[hart] = {kNoArgs, kNoArgs};
    if (key[hart] == kNone && hart >= kFirstTrisc && triscs_run) {
      launch.enables |= 1u << hart;
      const uint32_t text = align16(static_cast<uint32_t>(image.size()));
      launch.kernel_text_offset[hart] = s.image + text;
      put(image, text, &kReturnInstruction, sizeof kReturnInstruction);
    }
    if (key[hart] == kNone) continue;
    const Program::Kernel& kernel = program.kernels()[key[hart]];
    launch.enables |= 1u << hart;
    if (kernel.hart == arch::Hart::Brisc) launch.brisc_noc_id = noc_of(kernel);
    if (kernel.hart == arch::Hart::Ncrisc && key[0] == kNone && says_noc(kernel))
      launch.brisc_noc_id = 1 - noc_of(kernel);
    if (s.rta_words[hart] != 0) launch.rta_offset[hart].rta = static_cast<uint16_t>(s.rta[hart]);
    if (s.crta_words[hart] != 0) {
      launch.rta_offset[hart].crta = static_cast<uint16_t>(s.crta[hart]);
      put(image, s.crta[hart] - s.image, kernel.common_args.data(), 4 * kernel.common_args.size());
    }
    const image::Segment& segment = kernel.image->segments[0];
    if (kernel.options.resident) {
      const uint32_t address = *kernel.options.resident;
      launch.kernel_text_offset[hart] = address - layout.kernel_config + (kernel.image->entry - segment.address);
      group.kernels.push_back({kernel.hart, address, kernel.image, true});
      continue;
    }
    const uint32_t text = align16(static_cast<uint32_t>(image.size()));
    launch.kernel_text_offset[hart] = s.image + text + (kernel.image->entry - segment.address);
    put(image, text, segment.bytes.data(), segment.bytes.size());
    const uint32_t address = layout.kernel_config + s.image + text;
    image::relocate(text_of(image, text, segment), segment.address, kernel.image->relocations,
                    address - segment.address);
    if (kernel.hart == arch::Hart::Ncrisc) {
      launch.ncrisc_kernel_size16 = static_cast<uint16_t>((segment.bytes.size() + 15) / 16);
    }
    group.kernels.push_back({kernel.hart, address, kernel.image});
  }
  image.resize(align16(static_cast<uint32_t>(image.size())));
  return group;
}

std::map<arch::NocCoord, GroupKey> kernels_of_cores(const Program& program) {
  std::map<arch::NocCoord, GroupKey> keys;
  GroupKey none;
  none.fill(kNone);
  for (size_t id = 0; id < program.kernels().size(); ++id) {
    const Program::Kernel& kernel = program.kernels()[id];
    for (arch::NocCoord core : kernel.cores) {
      keys.try_emplace(core, none).first->second[static_cast<size_t>(kernel.hart)] = id;
    }
  }
  return keys;
}

}  // namespace

uint32_t LaunchPlan::config_end() const {
  uint32_t end = args_address + args_bytes;
  for (const KernelGroup& group : groups) {
    end = std::max(end, group.image_address + static_cast<uint32_t>(group.image.size()));
  }
  return end;
}

void LaunchPlan::move_up(uint32_t bytes) {
  args_address += bytes;
  for (KernelGroup& group : groups) {
    group.image_address += bytes;
    for (uint32_t& base : group.launch.kernel_config_base) base += bytes;
    for (PlacedKernel& kernel : group.kernels) {
      if (kernel.resident) {
        group.launch.kernel_text_offset[static_cast<size_t>(kernel.hart)] -= bytes;
        continue;
      }
      kernel.text_address += bytes;
      const image::Segment& segment = kernel.image->segments[0];
      image::relocate(text_of(group.image, kernel.text_address - group.image_address, segment), segment.address,
                      kernel.image->relocations, kernel.text_address - segment.address);
    }
  }
}

LaunchPlan plan_launch(const Program& program) {
  if (program.kernels().empty()) host_error(fmt::format("program '{}' has no kernels", program.name()));
  check_uses(program);
  const Sections s = lay_out(program);
  const uint32_t config_end = program.layout().unreserved;
  LaunchPlan plan;
  plan.args_address = program.layout().kernel_config;
  plan.args_bytes = s.image;
  std::map<GroupKey, size_t> group_of;
  for (const auto& [core, key] : kernels_of_cores(program)) {
    const auto [found, is_new] = group_of.try_emplace(key, plan.groups.size());
    if (is_new) {
      plan.groups.push_back(make_group(program, s, key));
      const KernelGroup& group = plan.groups.back();
      const uint64_t end = group.image_address + group.image.size();
      // Argument and table offsets are 16 bits wide in the launch message; text offsets are not.
      if (end > config_end || s.texts > 0xFFFF) {
        host_error(fmt::format("program '{}': arguments, tables and code of core ({},{}) need {} bytes, {} are there",
                               program.name(), core.x, core.y, end - program.layout().kernel_config,
                               config_end - program.layout().kernel_config));
      }
    }
    plan.groups[found->second].cores.push_back(core);
    const size_t args_at = plan.cores.size() * plan.args_bytes;
    plan.cores.push_back(core);
    plan.args.resize(args_at + plan.args_bytes);
    for (size_t hart = 0; hart < arch::kHarts; ++hart) {
      if (key[hart] == kNone) continue;
      const auto& args = program.kernels()[key[hart]].args;
      const auto words = args.find(core);
      if (words == args.end()) continue;
      std::memcpy(plan.args.data() + args_at + s.rta[hart], words->second.data(), 4 * words->second.size());
    }
  }
  return plan;
}

}  // namespace kerr::host
