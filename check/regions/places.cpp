// Memory that a kernel uses and was not given: scratch of firmware, arguments that nobody set, what lies behind it all.
#include <fmt/format.h>

#include <utility>

#include "arch/firmware_layout.hpp"
#include "check/tile_checker.hpp"
#include "image/image.hpp"

namespace kerr::check {

namespace {

constexpr const arch::FirmwareLayout& kLayout = arch::kFwB;
constexpr uint32_t kStagingBytes = 0x40;

}  // namespace

Object TileChecker::l1_object(uint64_t address, uint64_t bytes) const {
  return {.space = Space::L1, .tile = view_.tile, .address = address, .bytes = bytes, .name = name_of(address)};
}

// Firmware's words for writes of single words are stored, sent, and never loaded. device/noc/inline_write.hpp
void TileChecker::check_place_of_load(const Stamp& by, uint32_t address, uint32_t bytes) {
  if (address - kLayout.inline_staging < kStagingBytes) {
    const Stamp* stored = nullptr;
    Stamp last;
    l1_.each_write(address, bytes, [&](const Stamp& s, uint64_t) {
      if (s.part != Part::Agent || s.place != place_) return;
      last = s;
      stored = &last;
    });
    found(Rule::Staging, stored, "write", by, "read", l1_object(address, bytes),
          fmt::format("L1 {:#x} is firmware's scratch for writes of single words, and is loaded as data", address));
    return;
  }
  if (!launch_.is_between_arguments(address)) return;
  bool is_own = false;  // what a hart of this tile has put there
  l1_.each_write(address, bytes,
                 [&](const Stamp& s, uint64_t) { is_own |= s.part == Part::Agent && s.place == place_; });
  if (is_own) return;
  found(Rule::Argument, nullptr, "", by, "read", l1_object(address, bytes),
        fmt::format("L1 {:#x} lies among the arguments, and none was set there", address));
}

void TileChecker::check_place_of_store(const Stamp& by, uint32_t address, uint32_t bytes) {
  if (address / 4 == kLayout.atomic_return / 4) {
    found(Rule::Staging, nullptr, "", by, "write", l1_object(address, bytes),
          "the word to which every atomic of the tile returns its old value is used as data");
  }
  if (!launch_.owns(address, bytes)) check_bounds(by, address, bytes);
}

// Not the program's: a buffer's, or the host knows of it.
void TileChecker::check_bounds(const Stamp& by, uint64_t address, uint64_t bytes) {
  if (directory_.memory(view_.tile.chip).is_buffer_in_l1(address, bytes)) return;
  bool is_known = false;
  l1_.each_write(address, bytes, [&](const Stamp& s, uint64_t) { is_known |= s.place == kHostPlace; });
  if (is_known) return;
  found(Rule::OutOfBounds, nullptr, "", by, "write", l1_object(address, bytes),
        fmt::format("L1 {:#x} is memory of neither program '{}' nor any buffer", address, launch_.note().program));
}

// The linker says where the variables of a kernel end. device/kernel.ld
void TileChecker::enters_kernel(int h) {
  uint32_t& limit = kernels_[static_cast<size_t>(h)].stack_limit = 0;
  if (!launch_.known()) return;
  const KnownLaunch::Launched::Kernel* const kernel = launch_.kernel_of(static_cast<arch::Hart>(h));
  if (kernel == nullptr || !kernel->code.image) return;
  const image::Symbol* const end = kernel->code.image->symbol("kerr_bss_end");
  if (end != nullptr) limit = end->address;
}

void TileChecker::stack_overflows(const Actor& a, int h) {
  const Stamp by = stamp_of(a, place_, component::hart(h), hart(h).clock().at(component::hart(h)));
  const uint32_t limit = std::exchange(kernels_[static_cast<size_t>(h)].stack_limit, 0);
  const uint32_t sp = view_.registers[static_cast<size_t>(h)][2];
  found(Rule::Stack, nullptr, "", by, "stack pointer",
        {.space = Space::None, .tile = view_.tile, .address = sp, .bytes = limit - sp},
        fmt::format("the stack pointer is {:#x}, and the kernel's variables end at {:#x}", sp, limit));
}

}  // namespace kerr::check
