#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arch/cq.hpp"
#include "arch/cq_layout.hpp"
#include "host/cq/commands.hpp"
#include "host/device/pinned_memory.hpp"
#include "tests/firmware/tile_fixture.hpp"

namespace kerr::firmware {

namespace wire = arch::cq;
using Bytes = host::cq::Bytes;

// The host's end of a queue, without its care: it sends whatever bytes a test gives it.
class QueueRig : public TileFixture {
 protected:
  static constexpr arch::NocCoord kPrefetch{14, 2};
  static constexpr arch::NocCoord kDispatch{14, 3};
  inline static const std::vector<arch::NocCoord> kWorkers = {{1, 2}, {2, 2}, {1, 3}, {2, 3}};
  static constexpr host::Rectangle kWorkerGrid{{1, 2}, {2, 3}};

  // Rings small enough to wrap often.
  wire::HostRegion region{.issue_bytes = 1 << 20, .completion_bytes = 1 << 15, .timestamp_slots = 16,
                          .core_timing_slots = 0};
  wire::ConfigBlock config;

  void SetUp() override;
  // Writes both tiles and starts the kernels; `with_s`: the subordinate too. Returns whether both became ready.
  bool start(bool with_s = false);

  void push(const Bytes& record);
  void send(const Bytes& command, wire::Dispatcher to = wire::Dispatcher::kDispatchD) {
    push(host::cq::record(command, to));
  }
  using TileFixture::send;
  // The data of the next completion; nothing if none comes in time.
  std::optional<std::vector<uint8_t>> pop();
  // Sends an event and waits for it.
  bool round_trip();
  void terminate();

  wire::Diagnostics diagnostics(arch::NocCoord tile, uint32_t offset = offsetof(wire::ConfigBlock, diagnostics));
  wire::CqError error_of(arch::NocCoord tile) { return static_cast<wire::CqError>(diagnostics(tile).error); }
  // Until a kernel stops with an error.
  wire::CqError await_error(arch::NocCoord tile);
  uint32_t semaphore(arch::NocCoord tile, uint32_t id) { return read(wire::sem_address(layout, id), tile); }
  std::vector<uint8_t> read_bytes(arch::NocCoord tile, uint32_t address, size_t n);
  arch::GoMessage go_message() const {
    return {0, kDispatch.x, kDispatch.y, static_cast<uint8_t>(arch::RunMessage::kGo)};
  }

  std::unique_ptr<host::PinnedMemory> memory;

 private:
  void write_words(arch::NocCoord tile, uint32_t address, std::initializer_list<uint32_t> words);
  uint32_t completion_word() { return memory->load(wire::kHostCompletionQWr); }

  uint32_t issue_at_ = 0;
  uint32_t slot_ = 0;
  uint32_t completion_ = 0;  // read pointer with toggle
  uint32_t next_event_ = 1;
};

// A recognisable pattern.
std::vector<std::byte> pattern(size_t bytes, uint32_t seed);

}  // namespace kerr::firmware
