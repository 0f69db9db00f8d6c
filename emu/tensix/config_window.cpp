// The window at FFEF0000 through which harts read and write configuration.   docs/hardware/tile.md 4.6
#include <fmt/format.h>

#include "arch/tensix_config.hpp"
#include "emu/tensix/parts.hpp"

namespace kerr::emu {
namespace {

constexpr std::uint32_t kBankWords = arch::kConfigWords;
constexpr std::uint32_t kDualWriteFirst = 2 * kBankWords;  // in words from the start of the window
constexpr std::uint32_t kThreadsFirst = 3 * kBankWords;
constexpr std::uint32_t kEnd = kThreadsFirst + kThreads * arch::kThreadConfigWords;

void report_beyond(FaultLog& faults, TileId tile, Agent who, Cycle now, std::uint32_t offset) {
  Fault fault;
  fault.category = FaultCategory::OutOfBounds;
  fault.cycle = now;
  fault.tile = tile;
  fault.agent = who;
  fault.address = arch::kConfigBase + offset;
  fault.what = fmt::format("there is no configuration at {:#010x}", fault.address);
  fault.advice = fmt::format("The window ends at {:#010x}.", arch::kConfigBase + 4 * kEnd);
  faults.report(std::move(fault));
}

}  // namespace

// The dual-write array reads as bank 0.
Access Coprocessor::config_read(std::uint32_t offset, std::uint32_t& value, Agent who, Cycle now) {
  const tensix::Config& config = parts_->state.config;
  const std::uint32_t word = offset / 4;
  if (word < kDualWriteFirst) {
    value = config.bank(word / kBankWords).words[word % kBankWords];
  } else if (word < kThreadsFirst) {
    value = config.bank(0).words[word - kDualWriteFirst];
  } else if (word < kEnd) {
    const std::uint32_t index = word - kThreadsFirst;
    const auto thread = static_cast<int>(index / arch::kThreadConfigWords);
    value = config.thread(thread).words[index % arch::kThreadConfigWords];
  } else {
    report_beyond(parts_->faults, parts_->tile, who, now, offset);
    return Access::Fault;
  }
  return Access::Done;
}

// Thread configuration takes no stores: only SETC16 writes it.
Access Coprocessor::config_write(std::uint32_t offset, std::uint32_t value, Agent who, Cycle now) {
  tensix::Config& config = parts_->state.config;
  const std::uint32_t word = offset / 4;
  if (word < kDualWriteFirst) {
    config.write(word / kBankWords, word % kBankWords, value);
  } else if (word < kThreadsFirst) {
    config.write(0, word - kDualWriteFirst, value);
    config.write(1, word - kDualWriteFirst, value);
  } else if (word >= kEnd) {
    report_beyond(parts_->faults, parts_->tile, who, now, offset);
    return Access::Fault;
  }
  return Access::Done;
}

}  // namespace kerr::emu
