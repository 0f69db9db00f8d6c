#include "host/runtime/cq/lowering.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "arch/bytes.hpp"
#include "arch/cq_layout.hpp"
#include "host/runtime/cq/go_targets.hpp"
#include "host/runtime/cq/prefetch_commands.hpp"

namespace kerr::host::cq {
namespace {

namespace wire = arch::cq;

// Destinations of one multicast write: enough that large sets take few commands, few enough that the payload, which is
// repeated for each of them, stays large.
constexpr size_t kRectanglesPerWrite = wire::kPackedLargeMaxSubCommands;

// Bytes that one sub-command of a multicast write carries.
constexpr size_t kLargestMulticastPiece = 0x10000;

// Largest payload of one joined command: far below the limit of a record.
constexpr size_t kJoinedBytes = 64 * 1024;

// Less than this goes by unicast to cores that make no rectangle of so many. The first multicast waits for what was
// written before, and for its path; each further one for the answers of the one before, which takes longer.
constexpr size_t kSmallWrite = 1024;
constexpr uint32_t kFewestOfFirst = 10;
constexpr uint32_t kFewestOfNext = 12;

// Entries of the go table that one command to dispatch_s carries: it lies in one page (fast-dispatch.md 8.3).
constexpr size_t kSubordinateEntries = ((1u << wire::kDispatchSCbLog2Page) - sizeof(wire::SetGoSignalNocData)) / 4;

void lower_args(std::vector<Command>& out, const LaunchPlan& plan) {
  lower_per_core(out, wire::PackedType::Rta, plan.args_address, plan.cores, plan.args, plan.args_bytes);
}

}  // namespace

void lower_subordinate_go(std::vector<Command>& out, std::span<const uint32_t> words, arch::GoMessage go,
                          uint32_t wait_count) {
  const uint32_t group = go.dispatch_message_offset;
  for (size_t first = 0; first < words.size(); first += kSubordinateEntries) {
    const auto some = words.subspan(first, std::min(kSubordinateEntries, words.size() - first));
    // Each go signal uses up one notification.
    out.push_back({notify_subordinate_go_signal(true, static_cast<uint16_t>(1u << group))});
    out.push_back({set_go_signal_noc_data(some), wire::Dispatcher::DispatchS});
    out.push_back({send_go_signal(go, static_cast<uint32_t>(some.size()), 0, wait_count, wire::kFirstStream + group),
                   wire::Dispatcher::DispatchS});
  }
}

void lower_shared(std::vector<Command>& out, wire::PackedLargeType type, uint32_t address,
                  std::span<const arch::NocCoord> cores, std::span<const std::byte> bytes, uint32_t most_at_once) {
  const std::vector<Rectangle> rectangles = cover(cores, Gap::IsSpanned);
  for (size_t first = 0; first < rectangles.size(); first += kRectanglesPerWrite) {
    const auto some = std::span(rectangles).subspan(first, std::min(kRectanglesPerWrite, rectangles.size() - first));
    const uint32_t capacity = std::min(most_at_once, packed_large_capacity(some.size()));
    for (size_t at = 0; at < bytes.size(); at += capacity) {
      const auto piece = bytes.subspan(at, std::min<size_t>(capacity, bytes.size() - at));
      out.push_back({write_packed_large(type, address + static_cast<uint32_t>(at), some, piece)});
    }
  }
}

void lower_per_core(std::vector<Command>& out, wire::PackedType type, uint32_t address,
                    std::span<const arch::NocCoord> cores, std::span<const std::byte> data, uint32_t bytes_per_core,
                    uint32_t most_at_once) {
  for (uint32_t at = 0; at < bytes_per_core; at += most_at_once) {
    const uint32_t size = std::min(most_at_once, bytes_per_core - at);
    const size_t room = (kRecordLimitBytes - sizeof(wire::RelayInline) - wire::kPageBytes) / size;
    const size_t step = std::min<size_t>(room, kMaxPackedCores);
    for (size_t first = 0; first < cores.size(); first += step) {
      const auto some = cores.subspan(first, std::min(step, cores.size() - first));
      Bytes piece;
      for (size_t i = 0; i < some.size(); ++i) {
        const auto core_data = data.subspan((first + i) * bytes_per_core + at, size);
        piece.insert(piece.end(), core_data.begin(), core_data.end());
      }
      out.push_back({write_packed(type, address + at, some, piece)});
    }
  }
}

std::vector<Command> lower_writes(const LaunchPlan& plan, const arch::FirmwareLayout& layout,
                                  const std::function<uint32_t(arch::NocCoord)>& slot, const WriteOptions& options) {
  std::vector<Command> out;
  for (const KernelGroup& group : plan.groups) {
    const std::span<const std::byte> all = group.image;
    const auto image = options.resident ? all.first(group.changing_bytes) : all;
    std::map<uint32_t, std::vector<arch::NocCoord>> by_slot;
    for (arch::NocCoord core : group.cores) by_slot[slot(core)].push_back(core);
    if (options.joined && by_slot.size() == 1) {
      std::vector<MulticastPiece> pieces;
      if (!image.empty()) pieces.push_back({group.image_address, image});
      pieces.push_back({layout.launch_entry(by_slot.begin()->first), arch::bytes_of(group.launch)});
      const bool small = image.size() <= kSmallWrite;
      const auto [rectangles, others] =
          large_rectangles(group.cores, small ? kFewestOfFirst : 0, small ? kFewestOfNext : 0);
      if (rectangles.size() * pieces.size() <= wire::kPackedLargeMaxSubCommands &&
          rectangles.size() * (image.size() + sizeof group.launch) <= kJoinedBytes) {
        if (!rectangles.empty()) {
          out.push_back({write_packed_large_pieces(wire::PackedLargeType::Binaries, rectangles, pieces)});
        }
        if (others.empty()) continue;
        for (const MulticastPiece& piece : pieces) {
          out.push_back({write_packed_shared(wire::PackedType::Launch, piece.address, others, piece.data)});
        }
        continue;
      }
    }
    lower_shared(out, wire::PackedLargeType::Binaries, group.image_address, group.cores, image);
    for (const auto& [entry, cores] : by_slot) {
      lower_shared(out, wire::PackedLargeType::Config, layout.launch_entry(entry), cores, arch::bytes_of(group.launch));
    }
  }
  lower_args(out, plan);
  return out;
}

std::optional<RingWrites> lower_ring_writes(const LaunchPlan& plan, const arch::FirmwareLayout& layout, uint32_t slot) {
  RingWrites out;
  const auto append_to = [](Bytes& bytes, std::span<const std::byte> more, size_t alignment) {
    bytes.insert(bytes.end(), more.begin(), more.end());
    bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
  };
  for (const KernelGroup& group : plan.groups) {
    const std::vector<Rectangle> rectangles = cover(group.cores, Gap::IsSpanned);
    std::vector<MulticastPiece> pieces = {{layout.launch_entry(slot), arch::bytes_of(group.launch)}};
    if (!group.image.empty()) pieces.insert(pieces.begin(), {group.image_address, group.image});
    if (rectangles.size() * pieces.size() > wire::kPackedLargeMaxSubCommands ||
        group.image.size() > kLargestMulticastPiece) {
      return std::nullopt;
    }
    const auto begin = static_cast<uint32_t>(out.data.size());
    for (const MulticastPiece& piece : pieces) append_to(out.data, piece.data, wire::kL1Align);
    const RingPiece all{begin, static_cast<uint32_t>(out.data.size()) - begin};
    out.data.resize((out.data.size() + wire::kPcieAlign - 1) / wire::kPcieAlign * wire::kPcieAlign);
    const Bytes header = write_packed_large_pieces_header(wire::PackedLargeType::Binaries, rectangles, pieces);
    append_to(out.commands, relay_inline_noflush(header), 1);
    append_to(out.commands, relay_ringbuffer(std::vector(rectangles.size(), all)), 1);
  }
  std::vector<Command> args;
  lower_args(args, plan);
  for (const Command& command : args) append_to(out.commands, record(command.payload, command.to), 1);
  return out;
}

std::vector<Command> lower_run(std::span<const arch::NocCoord> cores, arch::GoMessage go, bool subordinate) {
  constexpr uint8_t kUntil = wire::kWaitStream | wire::kWaitClearStream;
  const auto count = static_cast<uint32_t>(cores.size());
  std::vector<Command> out;
  if (subordinate) {
    lower_subordinate_go(out, go_targets(cores, 0, false), go, 0);
  } else {
    out.push_back({set_go_signal_noc_data(cores)});
    out.push_back({wait(kUntil, wire::kFirstStream, 0)});
    out.push_back({send_go_signal(go, count)});
  }
  out.push_back({wait(kUntil, wire::kFirstStream, count)});
  return out;
}

InOrderLaunch in_order(const LaunchRequest& request) {
  InOrderLaunch out{lower_writes(request.plan, request.layout, request.slot, {.joined = false}),
                    lower_run(request.plan.cores, request.go, request.subordinate)};
  out.writes.push_back({wait(wire::kWaitBarrier)});  // no go signal before every write has arrived (12.4)
  return out;
}

}  // namespace kerr::host::cq
