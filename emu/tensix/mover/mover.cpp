#include "emu/tensix/mover/mover.hpp"

#include <fmt/format.h>

#include <array>

#include "emu/tensix/config/window.hpp"

namespace kerr::emu::tensix {
namespace {

constexpr unsigned kUnitBytes = 16;
constexpr uint64_t kRegionBytes = 0x10000;  // of configuration, and of what used to be instruction memory

using Unit = std::array<uint8_t, kUnitBytes>;

Issue beyond_l1(const char* side, uint64_t address, uint32_t bytes) {
  return Issue::fault(
      FaultCategory::OutOfBounds,
      fmt::format("the mover's {} of {} bytes at L1 address {:#x} lies beyond its end", side, bytes, address),
      "L1 ends at 0x180000; addresses and sizes count units of 16 bytes.", address);
}

}  // namespace

// The job is in words 88 to 90 of the issuing thread's bank.
Issue Mover::exec(int thread, const isa::tensix::XMOV& i) {
  namespace f = arch::global_config;
  if (i.mov_block_selection) {
    return Issue::unsupported("XMOV with Mov_block_selection = 1: where its job stands is not published");
  }
  if (i.last) return Issue::unsupported("XMOV with Last = 1: what it does is not published");
  const ConfigBank& c = config_.seen_by(thread);
  return run({.destination = uint64_t{c.get(f::THCON_SEC0_REG6_Destination_address)} * kUnitBytes,
              .source = uint64_t{c.get(f::THCON_SEC0_REG6_Source_address)} * kUnitBytes,
              .bytes = (c.get(f::THCON_SEC0_REG6_Buffer_size) & 0xFFFF) * kUnitBytes,
              .direction = static_cast<MoverJob::Direction>(c.get(f::THCON_SEC0_REG6_Transfer_direction))});
}

Issue Mover::run(const MoverJob& job) {
  const bool copy = job.direction == MoverJob::L1ToL1 || job.direction == MoverJob::L1ToConfig;
  if (copy && !L1::contains(job.source, job.bytes)) return beyond_l1("source", job.source, job.bytes);
  const bool into_l1 = job.direction == MoverJob::L1ToL1 || job.direction == MoverJob::ZeroL1;
  return into_l1 ? to_l1(job, copy) : to_config(job, copy);
}

Issue Mover::to_l1(const MoverJob& job, bool copy) {
  if (!L1::contains(job.destination, job.bytes)) return beyond_l1("destination", job.destination, job.bytes);
  for (uint32_t at = 0; at < job.bytes; at += kUnitBytes) {
    Unit unit{};
    if (copy) l1_.read(static_cast<uint32_t>(job.source) + at, unit);
    l1_.write(static_cast<uint32_t>(job.destination) + at, unit);
  }
  return Issue::done();
}

// Below 64 KiB lies configuration. At 0x40000 Wormhole has the instruction memory of NCRISC; Blackhole has none, and as
// anywhere else what is written there is lost (tensix-datapath.md 13).
Issue Mover::to_config(const MoverJob& job, bool copy) {
  if (job.destination % kRegionBytes + job.bytes > kRegionBytes) {
    return Issue::undefined(
        fmt::format("the mover's destination {:#x} + {} bytes crosses a region of 64 KiB", job.destination, job.bytes));
  }
  if (job.destination >= kRegionBytes) return Issue::done();
  const uint64_t end = job.destination + job.bytes;
  if (end > 4 * config_window::kEnd) {
    return Issue::fault(
        FaultCategory::OutOfBounds,
        fmt::format("the mover's destination {:#x} + {} bytes goes beyond configuration", job.destination, job.bytes),
        fmt::format("The window ends at offset {:#x}.", 4 * config_window::kEnd), arch::kConfigBase + job.destination);
  }
  if (copy) l1_.will_read(static_cast<uint32_t>(job.source), job.bytes);
  for (uint32_t at = 0; at < job.bytes; at += 4) {
    const uint32_t value = copy ? l1_.load<uint32_t>(static_cast<uint32_t>(job.source) + at) : 0;
    config_window::write(config_, static_cast<uint32_t>(job.destination + at) / 4, value);
  }
  return Issue::done();
}

}  // namespace kerr::emu::tensix
