// Counts what an observed machine tells: instructions by agent, accesses by region, packets by kind.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arch/memory_map.hpp"
#include "emu/noc/message.hpp"
#include "emu/observe/observer.hpp"
#include "report/json.hpp"

namespace kerr::report {

/// What happened in one tile, or in many together.
struct Events {
  static constexpr size_t kAgents = emu::kAgents + 1;  // the host too
  static constexpr size_t kRegions = std::size(arch::kTensixRegions);

  struct Accesses {
    uint64_t loads = 0, stores = 0;
  };
  struct Packets {
    uint64_t left = 0, arrived = 0;  // messages: a multicast leaves once for each receiver
    uint64_t bytes = 0;              // of data, that left
    uint64_t multicasts = 0;         // packets with more than one receiver in mind
  };
  std::array<uint64_t, kAgents> instructions{};  // of harts and threads
  std::array<std::array<Accesses, kRegions>, kAgents> accesses{};
  std::array<Packets, emu::kMessageKinds> packets{};

  Events& operator+=(const Events& other);
};

/// An observer for any machine, with any number of threads. Read it only while the machine does not run.
class EventCounts final : public emu::Observer {
 public:
  EventCounts();
  ~EventCounts() override;

  void retired(const emu::Actor& who, uint32_t pc, uint32_t word) override;
  void issued(const emu::Actor& who, uint32_t word) override;
  void accessed(const emu::Actor& who, emu::AccessKind kind, uint32_t address, uint32_t bytes, uint32_t value) override;
  void packet_left(const emu::Actor& who, const emu::Message& message, int command_buffer) override;
  void packet_arrived(const emu::Message& message) override;

  /// The sum over all tiles, and over nodes without harts, which only have packets.
  Events total() const;

 private:
  Events& of(emu::TileId tile);

  std::vector<std::unique_ptr<Events>> nodes_;  // by chip and node; each is touched by one thread at a time
};

/// Lines that begin with `indent`; what never happened is left out.
std::string text(const Events& events, const std::string& indent);
Json json(const Events& events);

}  // namespace kerr::report
