#include "jobs/run/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "arch/banks.hpp"
#include "host/runtime/program/running.hpp"
#include "isa/text/cursor.hpp"

namespace kerr::jobs {

namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 30;  // of one dump

[[noreturn]] void refuse(const PlacedData& at, const std::string& why) {
  throw std::invalid_argument(fmt::format("'{}': {}", at.text, why));
}

}  // namespace

void RunMemory::add_l1(const std::string& name, uint32_t address, uint64_t bytes) {
  regions_[name] = {.address = address, .bytes = bytes};
}

void RunMemory::add_dram(const std::string& name, host::Chip& chip, const host::Buffer& buffer) {
  regions_[name] = {.address = buffer.address(), .bytes = buffer.bytes(), .chip = &chip, .buffer = buffer};
}

void RunMemory::set_semaphores(uint32_t address, uint32_t count) {
  semaphores_at_ = address;
  semaphores_ = count;
}

const RunMemory::Region& RunMemory::named(const std::string& name, const std::string& text) const {
  const auto found = regions_.find(name);
  if (found != regions_.end()) return found->second;
  isa::text::Suggestion near(name);
  for (const auto& [known, region] : regions_) near.consider(known);
  throw std::invalid_argument(fmt::format("'{}': no buffer of the run is called '{}'{}", text, name, near.text()));
}

uint32_t RunMemory::resolve(const Word& word) const {
  if (word.name.empty()) return word.value;
  return static_cast<uint32_t>(named(word.name, word.name).address) + word.value;
}

std::vector<uint32_t> RunMemory::resolve(const std::vector<Word>& words) const {
  std::vector<uint32_t> out;
  for (const Word& word : words) out.push_back(resolve(word));
  return out;
}

uint32_t RunMemory::semaphore_address(uint32_t index) const {
  return semaphores_at_ + index * host::RunningProgram::kSemaphoreStride;
}

const host::Buffer* RunMemory::pages_of(const std::string& name) const {
  const auto found = regions_.find(name);
  return found != regions_.end() && found->second.buffer ? &*found->second.buffer : nullptr;
}

RunMemory::Extent RunMemory::extent(const PlacedData& at) const {
  const Region where = region(at);
  const bool in_dram = where.buffer || at.place.area == Place::Area::Dram;
  return {where.address, where.bytes, in_dram ? std::vector<arch::NocCoord>() : cores_of(at)};
}

RunMemory::Region RunMemory::region(const PlacedData& at) const {
  const Place& place = at.place;
  Region out;
  switch (place.area) {
    case Place::Area::Buffer: out = named(place.name, at.text); break;
    case Place::Area::L1: out = {.address = place.address, .bytes = arch::kL1Bytes - place.address}; break;
    case Place::Area::Dram: out = {.address = place.address, .bytes = arch::kDramRegisterBase - place.address}; break;
    case Place::Area::Semaphores:
      out = {.address = semaphores_at_, .bytes = uint64_t{semaphores_} * host::RunningProgram::kSemaphoreStride};
      break;
    case Place::Area::Registers: break;
  }
  if (place.bytes && *place.bytes > out.bytes)
    refuse(at, fmt::format("{} bytes are asked for, and there are {}", *place.bytes, out.bytes));
  if (place.bytes) out.bytes = *place.bytes;
  return out;
}

std::vector<arch::NocCoord> RunMemory::cores_of(const PlacedData& at) const {
  if (!at.place.core) return {cores_.begin(), cores_.end()};
  const auto tiles = arch::tensix_tiles(harvesting_);
  const arch::NocCoord core = *at.place.core;
  if (std::find(tiles.begin(), tiles.end(), core) == tiles.end())
    refuse(at, fmt::format("({},{}) is no Tensix tile of this board", core.x, core.y));
  return {core};
}

arch::NocCoord RunMemory::bank(const PlacedData& at) const {
  if (static_cast<int>(at.place.bank) >= arch::good_dram_banks(harvesting_))
    refuse(at, fmt::format("this board has {} banks of DRAM, 0 to {}", arch::good_dram_banks(harvesting_),
                           arch::good_dram_banks(harvesting_) - 1));
  return arch::dram_bank_tile_for_noc(harvesting_, static_cast<int>(at.place.bank), 0);
}

void RunMemory::check(const PlacedData& at, std::optional<uint64_t> bytes_to_write) const {
  const Place& place = at.place;
  const Region where = region(at);
  if (place.area == Place::Area::Dram)
    (void)bank(at);
  else if (where.buffer && place.core)
    refuse(at, "a buffer of DRAM is in no core");
  else
    (void)cores_of(at);
  if (bytes_to_write) {
    if (place.area == Place::Area::Registers || place.area == Place::Area::Semaphores)
      refuse(at, "only memory is loaded: a buffer, l1 or dram");
    if (*bytes_to_write > where.bytes)
      refuse(at, fmt::format("{} bytes do not fit: there are {}", *bytes_to_write, where.bytes));
    if (place.area == Place::Area::L1 && place.address < writable_l1_)
      refuse(at, fmt::format("L1 below {:#x} is the firmware's: load into a buffer, or behind it", writable_l1_));
    return;
  }
  if (place.area == Place::Area::Registers) return;
  if (place.area == Place::Area::Semaphores && semaphores_ == 0) refuse(at, "the run has no semaphores");
  if ((place.area == Place::Area::L1 || place.area == Place::Area::Dram) && !place.bytes)
    refuse(at, "say how many bytes, as in l1:0x20000+64");
  if (where.bytes > kMostBytes) refuse(at, fmt::format("more than {} bytes", kMostBytes));
  const uint32_t element = at.element ? info(*at.element).bytes : 1;
  if (where.bytes % element != 0 || where.address % element != 0)
    refuse(at, fmt::format("{} bytes at {:#x} are no whole numbers of {}, of {} bytes each", where.bytes, where.address,
                           info(at.element.value_or(Element::U8)).name, element));
}

void RunMemory::write(const PlacedData& to, std::span<const std::byte> bytes) {
  const Region where = region(to);
  if (where.buffer) {
    where.chip->write(*where.buffer, bytes);
  } else if (to.place.area == Place::Area::Dram) {
    io_.write(bank(to), where.address, bytes);
  } else {
    for (const arch::NocCoord core : cores_of(to)) io_.write(core, where.address, bytes);
  }
  io_.flush();
}

std::vector<RunDump> RunMemory::read(const PlacedData& from, size_t index) {
  const Region where = region(from);
  std::vector<RunDump> out;
  if (where.buffer || from.place.area == Place::Area::Dram) {
    RunDump& dump = out.emplace_back(RunDump{.index = index, .core = {}, .address = where.address, .bytes = {}});
    dump.bytes.resize(where.bytes);
    if (where.buffer) {
      where.chip->read(*where.buffer, dump.bytes);
    } else {
      io_.read(bank(from), where.address, dump.bytes);
    }
    return out;
  }
  for (const arch::NocCoord core : cores_of(from)) {
    RunDump& dump = out.emplace_back(RunDump{.index = index, .core = core, .address = where.address, .bytes = {}});
    if (from.place.area == Place::Area::Registers) continue;
    dump.bytes.resize(where.bytes);
    io_.read(core, where.address, dump.bytes);
    if (from.place.area != Place::Area::Semaphores) continue;
    std::vector<std::byte> words;  // without the gaps between them
    for (size_t at = 0; at < dump.bytes.size(); at += host::RunningProgram::kSemaphoreStride)
      words.insert(words.end(), dump.bytes.begin() + static_cast<ptrdiff_t>(at),
                   dump.bytes.begin() + static_cast<ptrdiff_t>(at + 4));
    dump.bytes = std::move(words);
  }
  return out;
}

}  // namespace kerr::jobs
