#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arch/banks.hpp"
#include "arch/bytes.hpp"
#include "arch/cq.hpp"
#include "arch/cq_layout.hpp"
#include "host/device/pinned_memory.hpp"
#include "host/runtime/cq/commands.hpp"
#include "host/runtime/cq/prefetch_commands.hpp"
#include "tests/firmware/tile_fixture.hpp"
#include "tests/host/runtime/cq/other_commands.hpp"

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
  wire::HostRegion region{
      .issue_bytes = 1 << 20, .completion_bytes = 1 << 15, .timestamp_slots = 16, .core_timing_slots = 0};
  wire::ConfigBlock config;

  void SetUp() override;
  // Writes both tiles and starts the kernels; `with_s`: the subordinate too. Returns whether both became ready.
  bool start(bool with_s = false);
  // The same for any set of kernels, the consumers first.
  struct Kernel {
    arch::NocCoord tile;
    Image image;
    arch::Array<uint32_t, wire::kImageSems> semaphores;
    bool with_ncrisc;
  };
  bool start_kernels(const std::vector<Kernel>& kernels);
  // Tiles to boot besides workers and pair.
  virtual std::vector<arch::NocCoord> more_tiles() const { return {}; }

  void push(const Bytes& record, bool stall = false);
  void send(const Bytes& command, wire::Dispatcher to = wire::Dispatcher::DispatchD) {
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
  // Pages of an interleaved buffer, as the host reaches them (port 0 of each bank; any port shows the same bytes).
  void write_pages(bool is_dram, uint32_t base, uint32_t page_bytes, uint32_t first, std::span<const std::byte> data);
  std::vector<uint8_t> read_pages(bool is_dram, uint32_t base, uint32_t page_bytes, uint32_t first, size_t n);
  uint32_t banks(bool is_dram) const { return is_dram ? layout.dram_banks : layout.l1_banks; }
  arch::NocCoord bank_tile(bool is_dram, uint32_t bank) const {
    const int b = static_cast<int>(bank);
    return is_dram ? arch::dram_bank_tile_for_noc(board().harvesting, b, 0) : arch::l1_bank_tile(board().harvesting, b);
  }
  arch::GoMessage go_message() const {
    return {0, kDispatch.x, kDispatch.y, static_cast<uint8_t>(arch::RunMessage::Go)};
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
inline std::vector<uint8_t> as_u8(std::span<const std::byte> bytes) {
  const std::span<const uint8_t> numbers = arch::as_uint8(bytes);
  return {numbers.begin(), numbers.end()};
}
// One record of several prefetch commands.
inline Bytes join(std::initializer_list<Bytes> commands) {
  Bytes all;
  for (const Bytes& c : commands) all.insert(all.end(), c.begin(), c.end());
  return all;
}

}  // namespace kerr::firmware
