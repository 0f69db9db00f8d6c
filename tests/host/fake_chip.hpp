// Enough of a chip to test the host stack without an emulator: ARC's tables, firmware that answers at once, and the
// queue's two kernels as a plain interpreter of records.
#pragma once

#include <functional>
#include <set>
#include <vector>

#include "arch/arc.hpp"
#include "arch/bank_table.hpp"
#include "arch/banks.hpp"
#include "arch/boards.hpp"
#include "arch/cq_layout.hpp"
#include "arch/messages.hpp"
#include "arch/tile_registers.hpp"
#include "tests/host/fake_device.hpp"

namespace kerr::host {

struct FakeArc : FakeDevice {
  static constexpr uint32_t kTable = arch::arc::kCsmBase + 0x100, kValues = arch::arc::kCsmBase + 0x800;
  uint32_t entries = 0;

  FakeArc() {
    set_word(arch::kArcTile, arch::arc::kBootStatus, arch::arc::kBootStatusReady);
    set_word(arch::kArcTile, arch::arc::kTelemetryTablePointer, kTable);
    set_word(arch::kArcTile, arch::arc::kTelemetryValuesPointer, kValues);
  }
  void add(uint16_t tag, uint32_t value) {
    set_word(arch::kArcTile, kTable + 8 + 4 * entries, tag | entries << 16);
    set_word(arch::kArcTile, kValues + 4 * entries, value);
    set_word(arch::kArcTile, kTable + 4, ++entries);
  }
  void add_board(const arch::Board& board) {
    for (uint16_t tag = 0; tag < arch::kTelemetryEntries; ++tag) add(tag, arch::telemetry_value(board, tag));
  }
};

struct FakeChip : FakeArc {
  arch::FirmwareLayout layout;
  arch::DispatchPair pair;
  std::set<arch::NocCoord> dead;                             // tiles whose firmware never answers
  bool workers_finish = true;                                // what a program launched by either path does
  std::function<void(uint8_t)> on_command = [](uint8_t) {};  // dispatch command ids, in order
  uint32_t records = 0;
  uint32_t corrupt_event_by = 0;

  explicit FakeChip(const arch::Board& board = arch::kP100a)
      : layout(arch::firmware_layout_for(board.harvesting)), pair(arch::dispatch_pair(board.harvesting)) {
    add_board(board);
    on_write32 = [this](arch::NocCoord tile, uint64_t address, uint32_t value) {
      const bool release = address == arch::kSoftReset0 && value == arch::kSoftResetBriscRuns;
      const bool go = address == layout.go_messages && value >> 24 == static_cast<uint8_t>(arch::RunMessage::Go);
      if ((release || go) && !dead.contains(tile)) started_.push_back({tile, go});
    };
    tick = [this] { return step(); };
  }

 private:
  using Config = arch::cq::ConfigBlock;

  bool step() {
    bool moved = false;
    for (const auto& [tile, go] : std::exchange(started_, {})) {
      const bool queue_tile = tile == pair.prefetch || tile == pair.dispatch;
      if (go && queue_tile) {
        set_word(tile, arch::cq::kConfigBlock + offsetof(Config, diagnostics.ready), arch::cq::kReady);
        if (tile == pair.prefetch) start_queue();
      } else if (!go || workers_finish) {
        done(tile);
      }
      moved = true;
    }
    return (running_ && consume()) || moved;
  }

  void done(arch::NocCoord tile) { at(tile, layout.go_signal_byte()) = std::byte{0}; }

  uint32_t config(size_t offset) { return word(pair.prefetch, arch::cq::kConfigBlock + offset); }
  std::byte* host(uint32_t local, uint64_t bytes) { return host_memory(arch::pcie::kNocHostBase + local, bytes); }

  void start_queue() {
    running_ = true;
    slot_ = 0;
    read_ = config(offsetof(Config, issue_base));
    write_pointer_ = config(offsetof(Config, completion_base)) / 16;
  }

  bool consume() {
    const uint64_t entry = arch::cq::kPrefetchQ + 2 * slot_;
    const uint32_t size =
        (static_cast<uint32_t>(at(pair.prefetch, entry)) | static_cast<uint32_t>(at(pair.prefetch, entry + 1)) << 8)
        << 4;
    if (size == 0) return false;
    const uint32_t base = config(offsetof(Config, issue_base)), bytes = config(offsetof(Config, issue_bytes));
    uint32_t from = read_;
    if (from + size > base + bytes) from = base;
    const std::byte* record = host(from, size);
    if (record == nullptr) throw std::logic_error("record outside the region");
    if (!execute(record, size)) return false;
    read_ = from + size;
    at(pair.prefetch, entry) = at(pair.prefetch, entry + 1) = std::byte{0};
    slot_ = (slot_ + 1) % arch::cq::kPrefetchQEntries;
    ++records;
    const uint64_t count = arch::cq::kConfigBlock + offsetof(Config, diagnostics.commands_executed);
    set_word(pair.prefetch, count, word(pair.prefetch, count) + 1);
    return true;
  }

  template <class Struct>
  static Struct take(const std::byte* from) {
    Struct s;
    std::memcpy(&s, from, sizeof s);
    return s;
  }

  // False while the record, or what is left of it, cannot be executed yet.
  bool execute(const std::byte* record, uint32_t size) {
    using namespace arch::cq;
    while (executed_ != size) {
      const std::byte* command = record + executed_;
      if (static_cast<PrefetchId>(command[0]) == PrefetchId::Terminate) {
        running_ = false;
        done(pair.prefetch);
        break;
      }
      if (const uint32_t fixed = of_the_ring_buffer(command); fixed != 0) {
        executed_ += fixed;
        continue;
      }
      const auto header = take<RelayInline>(command);
      if (header.id != 5 || header.stride % 64 != 0 || header.stride > size - executed_ ||
          header.length + 16 > header.stride) {
        throw std::logic_error("malformed record");
      }
      if (!execute_command(command + 16)) return false;
      if (!running_) break;
      executed_ += header.stride;
    }
    executed_ = 0;
    return true;
  }

  // Commands around the prefetcher's ring buffer; returns the stride, 0 for others.
  uint32_t of_the_ring_buffer(const std::byte* command) {
    using namespace arch::cq;
    switch (static_cast<PrefetchId>(command[0])) {
      case PrefetchId::Stall: return kPcieAlign;
      case PrefetchId::SetRingbufferOffset: {
        const auto c = take<SetRingbufferOffset>(command);
        (c.update_wp != 0 ? ring_write_ : ring_offset_) = c.offset;
        return kPcieAlign;
      }
      case PrefetchId::PagedToRingbuffer: {
        const auto c = take<PagedToRingbuffer>(command);
        ring_offset_ = ring_write_;
        for (uint32_t i = 0; i < c.length; ++i) {
          ring_.at(ring_write_ + i) = dram_byte(c.base_addr, 1u << c.log2_page_size, c.start_page, i);
        }
        ring_write_ += c.wp_offset_update;
        return kPcieAlign;
      }
      case PrefetchId::RelayInlineNoflush: {
        const auto c = take<RelayInline>(command);
        payload_.assign(command + sizeof c, command + sizeof c + c.length);
        return c.stride;
      }
      case PrefetchId::RelayRingbuffer: {
        const auto c = take<RelayRingbuffer>(command);
        for (uint32_t i = 0; i < c.count; ++i) {
          const auto piece = take<RelayRingbufferSub>(command + sizeof c + sizeof(RelayRingbufferSub) * i);
          const std::byte* from = ring_.data() + ring_offset_ + piece.start;
          payload_.insert(payload_.end(), from, from + piece.length);
        }
        execute_command(payload_.data());
        return c.stride;
      }
      default: return 0;
    }
  }
  std::byte& dram_byte(uint32_t base, uint32_t page_bytes, uint32_t start_page, uint32_t i) {
    const uint32_t page = start_page + i / page_bytes, banks = config(offsetof(Config, dram_banks));
    const uint32_t xy = config(offsetof(Config, dram_xy) + 4 * (page % banks));
    return at(arch::NocCoord::unpack(xy), base + page / banks * page_bytes + i % page_bytes);
  }

  bool execute_command(const std::byte* command) {
    using namespace arch::cq;
    const auto id = static_cast<DispatchId>(command[0]);
    if (id == DispatchId::WriteLinearHHost && !complete(command)) return false;
    on_command(static_cast<uint8_t>(id));
    if (id == DispatchId::Terminate) done(pair.dispatch);
    if (id == DispatchId::Timestamp) {
      const uint64_t now = ++clock_;
      std::memcpy(host(take<Timestamp>(command).addr, 8), &now, 8);
    }
    if (id == DispatchId::WritePaged) write_paged(command);
    if (id == DispatchId::WriteLinear) write_linear(command);
    if (id == DispatchId::WritePacked) write_packed(command);
    if (id == DispatchId::WritePackedLarge) write_packed_large(command);
    if (id == DispatchId::Wait && !workers_finish) running_ = take<Wait>(command).count == 0;
    return true;
  }

  bool complete(const std::byte* command) {
    using namespace arch::cq;
    const uint32_t read = word(pair.dispatch, kDevCompletionQRdPtr);
    if ((read ^ write_pointer_) == kCompletionToggle) return false;  // full
    std::byte* page = host((write_pointer_ & kCompletionPointerMask) * 16, 32);
    std::memcpy(page, command, 32);
    page[16] = static_cast<std::byte>(static_cast<uint32_t>(page[16]) + corrupt_event_by);
    const uint32_t end = (config(offsetof(Config, completion_base)) + config(offsetof(Config, completion_bytes))) / 16;
    write_pointer_ += kCompletionPageUnits;
    if ((write_pointer_ & kCompletionPointerMask) == end) {
      write_pointer_ =
          (config(offsetof(Config, completion_base)) / 16) | ((write_pointer_ & kCompletionToggle) ^ kCompletionToggle);
    }
    std::memcpy(host(config(offsetof(Config, region_base_lo)) + kHostCompletionQWr, 4), &write_pointer_, 4);
    return true;
  }

  void store(arch::NocCoord tile, uint32_t address, const std::byte* data, uint32_t bytes) {
    for (uint32_t i = 0; i < bytes; ++i) at(tile, address + i) = data[i];
  }

  void write_paged(const std::byte* command) {  // to DRAM
    const auto c = take<arch::cq::WritePaged>(command);
    for (uint32_t i = 0; i < c.pages * c.page_size; ++i) {
      dram_byte(c.base_addr, c.page_size, c.start_page, i) = command[sizeof c + i];
    }
  }
  void write_linear(const std::byte* command) {
    const auto c = take<arch::cq::WriteLinear>(command);
    store(arch::NocCoord::unpack(c.noc_xy_addr), static_cast<uint32_t>(c.addr), command + sizeof c,
          static_cast<uint32_t>(c.length));
  }

  void write_packed(const std::byte* command) {
    const auto c = take<arch::cq::WritePacked>(command);
    const std::byte* data = command + 16 + (4u * c.count + 15) / 16 * 16;
    for (uint32_t i = 0; i < c.count; ++i) {
      store(arch::NocCoord::unpack(take<uint32_t>(command + 16 + 4 * i)), c.addr, data, c.size);
      if ((c.flags & arch::cq::kPackedNoStride) == 0) data += (c.size + 15u) / 16 * 16;
    }
  }

  void write_packed_large(const std::byte* command) {
    const auto c = take<arch::cq::WritePackedLarge>(command);
    const std::byte* data = command + 16 + (12u * c.count + 15) / 16 * 16;
    for (uint32_t i = 0; i < c.count; ++i) {
      const auto sub = take<arch::cq::WritePackedLargeSub>(command + 16 + 12 * i);
      const auto first = arch::NocCoord::unpack(sub.noc_xy_addr >> 12), last = arch::NocCoord::unpack(sub.noc_xy_addr);
      for (uint8_t y = first.y; y <= last.y; ++y) {
        for (uint8_t x = first.x; x <= last.x; ++x) store({x, y}, sub.addr, data, sub.length_minus1 + 1u);
      }
      data += (sub.length_minus1 + 16u) / 16 * 16;
    }
  }

  struct Start {
    arch::NocCoord tile;
    bool go;
  };
  std::vector<Start> started_;
  bool running_ = false;
  uint32_t slot_ = 0, read_ = 0, write_pointer_ = 0;
  uint32_t executed_ = 0;  // bytes of the record in hand
  uint64_t clock_ = 1000;
  std::vector<std::byte> ring_ = std::vector<std::byte>(arch::cq::kRingbufferBytes);
  uint32_t ring_write_ = 0, ring_offset_ = 0;
  std::vector<std::byte> payload_;  // that RELAY_INLINE_NOFLUSH began
};

}  // namespace kerr::host
