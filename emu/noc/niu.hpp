// A tile's interface to one NoC: command buffers, translation, counters, and what is done with packets that arrive.
// docs/hardware/noc.md 2 to 5
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arch/noc_registers.hpp"
#include "emu/cycle.hpp"
#include "emu/memory/l1.hpp"
#include "emu/noc/geometry.hpp"
#include "emu/noc/message.hpp"
#include "emu/noc/multicast.hpp"
#include "emu/noc/rules.hpp"
#include "emu/observe/reporter.hpp"
#include "emu/options.hpp"
#include "emu/snapshot/archive.hpp"
#include "emu/wait.hpp"

namespace kerr::emu {

/// What a NIU reaches of its own tile besides L1.
class NiuTile : public Reporter {
 public:
  /// The cycle of the agent that acts.
  virtual Cycle now() const = 0;
  /// The tile's registers as the NoC sees them: aligned words, with all side effects.
  virtual Access load_register(uint32_t address, uint32_t& value) = 0;
  virtual Access store_register(uint32_t address, uint32_t value) = 0;
  /// Numbers the message and puts it into the tile's outbox, or into its own inbox. `sent` is set. The answer is its
  /// `packet`, for the further messages of a multicast.
  virtual uint64_t send(Message&& message) = 0;
  /// NIU `noc` asks for an interrupt: a transaction id that has one enabled has nothing outstanding any more.
  virtual void interrupt(int noc) = 0;

 protected:
  ~NiuTile() = default;
};

/// One of a tile's two NIUs.
///
/// A request is complete once CMD_CTRL is written: the payload is copied then, so STARTED, SENT and OUTGOING move at
/// once, and reusing the source buffer is always safe. One flit a cycle leaves the NIU (a header, then 64 bytes each);
/// `sent` of a message is the cycle after its last flit. kPacketsHeld packets may wait in the NIU. The next one waits
/// in its command buffer, whose CMD_CTRL reads 1 until it has moved up; writing that buffer meanwhile is a fault.
///
/// A multicast becomes one message for each present Tensix tile of the rectangle; the receiving NIU consults its own
/// opt-out masks.
class Niu {
 public:
  static constexpr int kPacketsHeld = 16;

  /// `options` must outlive it.
  Niu(TileId tile, int noc, const NocGeometry& geometry, L1& l1, NiuTile& host, WaitBoard& board,
      const Options& options = kUsualOptions);

  /// Offsets from the base of the block, multiples of 4. A load of a clock-like register (a busy CMD_CTRL) is not pure.
  Access load(uint32_t offset, uint32_t& value);
  Access store(uint32_t offset, uint32_t value);
  WaitMask watch_of(uint32_t offset) const;

  /// A packet has arrived: its effect, its counters, its answer. `now` >= message.arrival.
  void apply(const Message& message, Cycle now);

  /// The host has written or read so many bytes through this NIU, each time in one request: moves what a request of the
  /// PCIe tile moves at its receiver.
  void count_host_write(bool posted, size_t bytes);
  void count_host_read(size_t bytes);

  uint32_t counter(int index) const;
  /// The command buffer that has issued last: while a request is sent, its own.
  int issuing() const { return issuing_; }
  uint64_t packets_sent() const { return packets_sent_; }
  uint64_t bytes_sent() const { return bytes_sent_; }
  /// "3 requests outstanding with transaction id 2", or empty.
  std::string describe() const;
  void serialize(Archive& archive);

 private:
  static constexpr int kBufferWords = 14;  // TARG_ADDR_LO .. SEC_CTRL

  struct Buffer {
    std::array<uint32_t, kBufferWords> words{};
    Cycle busy_until = 0;
    void serialize(Archive& a) { a(words, busy_until); }
  };
  struct Request;  // niu_issue.cpp: a command buffer as it was at issue

  // Registers, niu.cpp.
  Access load_buffer(const Buffer& buffer, uint32_t offset, uint32_t& value) const;
  Access store_buffer(int index, uint32_t offset, uint32_t value);
  Access load_block(uint32_t offset, uint32_t& value);
  void ask_for_interrupt();
  Access store_block(uint32_t offset, uint32_t value);
  Access store_config(uint32_t offset, uint32_t value);
  Access unknown(uint32_t offset, const char* action) const;
  uint32_t config(uint32_t offset) const { return config_[(offset - arch::niu::kConfigBase) / 4]; }
  bool busy(const Buffer& buffer) const { return host_.now() < buffer.busy_until; }

  // Requests, niu_issue.cpp.
  Access issue(Buffer& buffer);
  std::optional<Refusal> issue(Buffer& buffer, const Request& request);
  std::optional<Refusal> issue_read(Buffer& buffer, const Request& request);
  std::optional<Refusal> issue_write(Buffer& buffer, const Request& request);
  std::optional<Refusal> issue_masked_write(Buffer& buffer, const Request& request);
  std::optional<Refusal> issue_inline_write(Buffer& buffer, const Request& request);
  std::optional<Refusal> issue_atomic(Buffer& buffer, const Request& request);
  std::string describe(const Request& request) const;
  std::string place(uint32_t hi, bool rectangle) const;
  std::optional<arch::NocCoord> translate(uint32_t x, uint32_t y) const;
  std::optional<TileId> resolve(uint32_t hi) const;
  std::optional<Refusal> check_present(std::optional<TileId> tile, const char* role) const;
  std::optional<Refusal> find_receivers(const Request& request, uint32_t hi);
  std::optional<Refusal> check_length(const Request& request) const;
  std::optional<Refusal> check_header_store(const Request& request) const;
  std::optional<Refusal> find_ends_of_write(const Request& request, TileId& acknowledged);
  arch::TileClass class_of_receivers(const Request& request) const;
  void count_writes(const Request& request, uint32_t packets);
  std::optional<Refusal> read_source(uint64_t address, uint32_t bytes, Payload& out);
  Cycle leave(Buffer& buffer, uint32_t flits, Cycle reservation = 0);
  Cycle reservation(const Request& request, uint32_t flits) const;
  void send_to_receivers(const Message& message, const Payload& payload);
  void advance_split(Buffer& buffer, uint32_t packets);
  arch::TileClass class_of(TileId tile) const { return geometry_.class_of(tile.node); }

  // Packets that arrive, niu_receive.cpp.
  void receive_read_request(const Message& message, Cycle now);
  void receive_write(const Message& message, Cycle now);
  void receive_inline_write(const Message& message, Cycle now);
  void receive_atomic(const Message& message, Cycle now);
  void receive_response(const Message& message);
  void acknowledge(const Message& message, Cycle now);
  bool opted_out() const;
  void count_write_received(bool marked, uint32_t flits);
  void count_read_answered(uint32_t flits);
  bool deliver(const Message& message);
  void refuse(const Message& message, const Refusal& refusal);
  void respond(Message&& message, Cycle now, uint32_t flits, Cycle timing::Parameters::*cost);
  void count(int index, uint32_t by = 1) { counters_[index] += by; }
  void finish(uint8_t transaction_id);
  Cycle inject(Cycle now, uint32_t flits);

  const TileId tile_;
  const int noc_;
  const NocGeometry& geometry_;
  L1& l1_;
  NiuTile& host_;
  WaitBoard& board_;

  std::array<Buffer, arch::niu::kCommandBuffers> buffers_{};
  std::array<uint32_t, 32> config_{};
  std::array<uint32_t, arch::niu::kCounters> counters_{};
  // What the host read counts beside them: how often it looks depends on its patience, not on the device, so this is
  // not part of the state that runs are compared by.
  uint32_t host_reads_ = 0, host_read_flits_ = 0;
  uint32_t rtz_source_ = 0;

  const timing::Parameters* const costs_;  // exact timing: of answers and of reserving multicasts
  Cycle inject_free_at_ = 0;
  Cycle respond_free_at_ = 0;                     // exact timing: responses that wait for their time hold up no request
  std::array<Cycle, kPacketsHeld> held_until_{};  // when each of the last packets left
  unsigned oldest_held_ = 0;
  bool train_open_ = false;  // the last request was linked to the next one
  uint8_t issuing_ = 0;
  std::vector<TileId> receivers_;  // of the request being issued
  uint64_t packets_sent_ = 0;
  uint64_t bytes_sent_ = 0;
};

/// "MST_WR_ACK_RECEIVED" for 0x204, or "" if nothing is known there.
std::string niu_register_name(uint32_t offset);

}  // namespace kerr::emu
