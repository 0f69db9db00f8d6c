#include "check/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "arch/grid.hpp"
#include "arch/harvesting.hpp"
#include "check/component.hpp"
#include "check/frames.hpp"
#include "image/image.hpp"

namespace kerr::check {

namespace {

using arch::note::Allocated;
using arch::note::Booted;
using NoteCode = arch::note::Code;
using arch::note::Launched;

constexpr uint32_t kWord = 4;

template <class T>
void add(std::deque<T>& to, T entry, size_t most) {
  to.push_back(std::move(entry));
  if (to.size() > most) to.pop_front();
}

bool holds(const NoteCode& code, uint32_t address) { return address - code.address < code.bytes; }

const Launched::Kernel* kernel_at(const Launched::Group& group, uint32_t pc, std::optional<arch::Hart> hart) {
  const auto found = std::ranges::find_if(
      group.kernels, [&](const Launched::Kernel& k) { return (!hart || k.hart == *hart) && holds(k.code, pc); });
  return found == group.kernels.end() ? nullptr : &*found;
}

std::optional<arch::Hart> hart_of(emu::Agent agent) {
  if (!is_hart(agent)) return std::nullopt;
  return static_cast<arch::Hart>(hart_index(agent));
}

// " + 64", or nothing at the beginning.
std::string behind(uint64_t bytes) { return bytes == 0 ? "" : fmt::format(" + {}", bytes); }

}  // namespace

Names::Names(const std::vector<arch::Board>& boards, const std::vector<Annotation>& annotations) : tiles_(boards) {
  for (const Annotation& a : annotations)
    if (a.kind == Annotation::Kind::Region) regions_.push_back(a);
}

Names::~Names() = default;

Names::Memory* Names::memory_of(int chip, uint64_t id) {
  const auto found = std::ranges::find_if(
      memory_, [&](const Memory& m) { return m.note.chip == chip && m.note.id == id && !m.freed; });
  return found == memory_.end() ? nullptr : &*found;
}

void Names::noted(const arch::note::Note& note, Cycle now) {
  if (const auto* allocated = std::get_if<Allocated>(&note)) {
    if (memory_.size() >= kMostBuffers) {
      const auto oldest = std::ranges::find(memory_, true, &Memory::freed);
      if (oldest != memory_.end()) memory_.erase(oldest);
    }
    memory_.push_back({*allocated, fmt::format("buffer {}", allocated->id), now, emu::kNever});
  } else if (const auto* named = std::get_if<arch::note::Named>(&note)) {
    if (Memory* const memory = memory_of(named->chip, named->id))
      memory->name = fmt::format("buffer '{}'", named->name);
  } else if (const auto* freed = std::get_if<arch::note::Freed>(&note)) {
    if (Memory* const memory = memory_of(freed->chip, freed->id)) {
      memory->freed = true;
      memory->until = now;
    }
  } else if (const auto* booted = std::get_if<Booted>(&note)) {
    const auto copy = std::make_shared<const Booted>(*booted);
    for (const arch::NocCoord at : copy->tiles)
      if (const auto tile = tile_at(copy->chip, at)) add(firmware_[*tile], {now, copy}, kMostLaunches);
  } else if (const auto* launch = std::get_if<Launched>(&note)) {
    launched(*launch, now);
  }
}

void Names::launched(const Launched& note, Cycle now) {
  const auto copy = std::make_shared<const Launched>(note);
  for (const Launched::Group& group : copy->groups)
    for (size_t i = 0; i < group.cores.size(); ++i)
      if (const auto tile = tile_at(copy->chip, group.cores[i]))
        add(launches_[*tile], {now, copy, &group, i}, kMostLaunches);
}

template <class Is>
const Names::Launch* Names::launch_at(TileId tile, Cycle cycle, Is is) const {
  const auto of_tile = launches_.find(tile);
  if (of_tile == launches_.end()) return nullptr;
  for (auto launch = of_tile->second.rbegin(); launch != of_tile->second.rend(); ++launch)
    if (launch->since <= cycle && is(*launch)) return &*launch;
  return nullptr;
}

void Names::name(Finding& finding) const {
  if (finding.first) name(*finding.first);
  name(finding.then);
  name(finding.object, finding.cycle);
}

const NoteCode* Names::code_at(TileId tile, Cycle cycle, uint32_t pc, std::optional<arch::Hart> hart,
                               uint32_t word) const {
  const NoteCode* latest = nullptr;  // at that pc, with whatever instruction
  const auto here = [&](const Launch& l) {
    const Launched::Kernel* const kernel = kernel_at(*l.group, pc, hart);
    if (kernel == nullptr) return false;
    if (latest == nullptr) latest = &kernel->code;
    return word == 0 || !kernel->code.image ||
           kernel->code.image->word_at(pc - kernel->code.address + kernel->code.image_address) == word;
  };
  if (const Launch* const launch = launch_at(tile, cycle, here)) return &kernel_at(*launch->group, pc, hart)->code;
  const auto of_tile = firmware_.find(tile);
  if (latest != nullptr || of_tile == firmware_.end() || !hart) return latest;
  for (auto boot = of_tile->second.rbegin(); boot != of_tile->second.rend(); ++boot) {
    const NoteCode& code = boot->note->firmware[static_cast<size_t>(*hart)];
    if (boot->since <= cycle && holds(code, pc)) return &code;
  }
  return nullptr;
}

void Names::name(Site& site) const {
  name(site.where, site.cycle);
  name(site.remote, site.cycle);
  if (!site.pc || !site.frames.empty()) return;
  const uint32_t word = is_thread(site.agent) ? 0 : site.word;  // a thread's is a Tensix word
  const NoteCode* const code = code_at(site.tile, site.cycle, *site.pc, hart_of(site.hart), word);
  if (code == nullptr) return;
  if (site.kernel.empty()) site.kernel = code->name;
  if (code->image) site.frames = frames_at(*code->image, *site.pc - code->address + code->image_address);
}

void Names::name(Object& object, Cycle cycle) const {
  if (!object.name.empty()) return;
  if (object.space == Space::L1) {
    std::string name;
    for (const Annotation& region : regions_)
      if (object.address - *region.address < region.bytes)
        name = region.name + behind(object.address - *region.address);
    object.name = std::move(name);
  }
  if (object.space == Space::L1 && object.name.empty()) {
    std::string name;
    launch_at(object.tile, cycle, [&](const Launch& l) {
      name = name_of_l1(l, object.address);
      return !name.empty();
    });
    object.name = std::move(name);
  }
  if (!object.name.empty() || (object.space != Space::L1 && object.space != Space::Dram)) return;
  for (auto memory = memory_.rbegin(); memory != memory_.rend() && object.name.empty(); ++memory) {
    const bool dram = memory->note.space == Allocated::Space::Dram;
    if (memory->since > cycle || dram != (object.space == Space::Dram)) continue;
    object.name = name_of_page(*memory, object.tile, object.address);
    if (!object.name.empty() && memory->until <= cycle) object.name += ", freed";
  }
}

std::string Names::name_of_l1(const Launch& launch, uint64_t address) const {
  const auto in = [address](uint64_t begin, uint64_t bytes) { return address >= begin && address - begin < bytes; };
  for (const Launched::Kernel& kernel : launch.group->kernels) {
    const uint64_t own = launch.core < kernel.args_words.size() ? kernel.args_words[launch.core] : 0;
    if (in(kernel.args_address, own * kWord))
      return fmt::format("argument {} of kernel '{}'", (address - kernel.args_address) / kWord, kernel.code.name);
    if (in(kernel.common_args_address, uint64_t{kernel.common_args_words} * kWord))
      return fmt::format("common argument {} of kernel '{}'", (address - kernel.common_args_address) / kWord,
                         kernel.code.name);
  }
  const auto& semaphores = launch.note->semaphores;
  for (size_t i = 0; i < semaphores.size(); ++i)
    if (in(semaphores[i].address, kWord)) return fmt::format("semaphore {} of program '{}'", i, launch.note->program);
  for (const Launched::CircularBuffer& buffer : launch.note->circular_buffers) {
    if (!in(buffer.address, buffer.bytes)) continue;
    const uint64_t at = address - buffer.address, page = buffer.page_bytes != 0 ? at / buffer.page_bytes : 0;
    return fmt::format("CB {} page {}{}", buffer.id, page, behind(at - page * buffer.page_bytes));
  }
  for (const Launched::Kernel& kernel : launch.group->kernels)
    if (in(kernel.code.address, kernel.code.bytes)) return fmt::format("code of kernel '{}'", kernel.code.name);
  if (in(launch.note->config_begin, launch.note->config_end - launch.note->config_begin))
    return fmt::format("configuration of program '{}'", launch.note->program);
  if (in(launch.note->l1_begin, launch.note->l1_end - launch.note->l1_begin))
    return fmt::format("L1 of program '{}'{}", launch.note->program, behind(address - launch.note->l1_begin));
  return "";
}

std::string Names::name_of_page(const Memory& memory, TileId tile, uint64_t address) const {
  const Allocated& m = memory.note;
  if (m.chip != tile.chip || address < m.address || address - m.address >= m.per_bank) return "";
  const bool dram = m.space == Allocated::Space::Dram;
  const auto is_bank = [&](arch::NocCoord bank) {
    const std::optional<TileId> of = tile_at(m.chip, bank);
    if (of == tile) return true;
    const auto raw = [](TileId id) {
      return arch::NocCoord{static_cast<uint8_t>(id.x()), static_cast<uint8_t>(id.y())};
    };
    if (!dram || !of || arch::tile_class(raw(tile)) != arch::TileClass::Dram) return false;
    return arch::dram_port(raw(*of)).bank == arch::dram_port(raw(tile)).bank;
  };
  const auto bank = std::ranges::find_if(m.banks, is_bank);
  if (bank == m.banks.end()) return "";
  if (m.stride == 0) return memory.name;
  const uint64_t index = static_cast<uint64_t>(bank - m.banks.begin()), slot = (address - m.address) / m.stride;
  const uint64_t page = m.pages_per_shard == 0 ? slot * m.banks.size() + index : index * m.pages_per_shard + slot;
  return fmt::format("{} page {}{}", memory.name, page, behind((address - m.address) % m.stride));
}

}  // namespace kerr::check
