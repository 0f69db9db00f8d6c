// Whose pages of circular buffers are used by whom.
#include <fmt/format.h>

#include <cstring>

#include "arch/firmware_layout.hpp"
#include "arch/stream_registers.hpp"
#include "check/tile_checker.hpp"

namespace kerr::check {

// Base firmware has taken a launch message, and its harts are about to enter their kernels.
void TileChecker::begin_launch(Cycle now) {
  constexpr const arch::FirmwareLayout& kLayout = arch::kFwB;
  uint32_t slot = 0;
  arch::LaunchMessage message;
  std::memcpy(&slot, view_.l1.data() + kLayout.launch_rd_ptr, sizeof slot);
  slot %= kLayout.launch_entries;
  std::memcpy(&message, view_.l1.data() + kLayout.launch_entry(slot), sizeof message);
  rules_changed();
  buffers_.launched(view_.l1, message);
  shared_.begin(message.brisc_noc_mode == static_cast<uint8_t>(arch::NocMode::Dedicated));
  launch_.begin(directory_.names(), view_.tile, view_.l1, message, slot);
  launched_.launched(view_.l1, message, now);
  if (launch_.known()) forget_contents();
  check_overlap(now);
  coprocessor_.dst.program_begins();
  coprocessor_.vector.program_begins();
  coprocessor_.config.program_begins();
  coprocessor_.started = coprocessor_.ended = 0;
}

// The memory that the program is given has none yet, as far as it may rely on.
void TileChecker::forget_contents() {
  const uint64_t end = std::min<uint64_t>(launch_.note().l1_end, view_.l1.size());
  for (uint64_t at = launch_.note().l1_begin; at < end; at = (at / Shadow::kBlock + 1) * Shadow::kBlock)
    has_contents_[at / Shadow::kBlock] = false;
}

// Buffers whose pages begin at the same place, and are as many bytes, are one under two ids.
void TileChecker::check_overlap(Cycle now) {
  if (!launch_.known()) return;
  const auto tell = [&](uint64_t address, uint64_t end, std::string what) {
    Actor host{view_.tile, emu::Agent::Host, now};
    found(Rule::Overlap, nullptr, "", stamp_of(host, kHostPlace, component::kHost, 1), "launch",
          l1_object(address, end - address), fmt::format("program '{}': {}", launch_.note().program, std::move(what)));
  };
  const auto& buffers = launch_.note().circular_buffers;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const auto& b = buffers[i];
    const uint64_t end = uint64_t{b.address} + b.bytes;
    for (size_t k = 0; k < i; ++k) {
      const auto& other = buffers[k];
      const uint64_t first = std::max(b.address, other.address),
                     last = std::min(end, uint64_t{other.address} + other.bytes);
      if (first >= last || (b.address == other.address && b.bytes == other.bytes)) continue;
      tell(first, last, fmt::format("CB {} and CB {} share {} bytes", other.id, b.id, last - first));
    }
    if (const uint64_t shared = std::min<uint64_t>(end, launch_.note().config_end); b.address < shared)
      tell(b.address, shared, fmt::format("CB {} lies over its arguments and code", b.id));
  }
}

// Who waits for pages to come takes from the buffer; who waits for room fills it.
void TileChecker::look_at_pages(const Actor& a, uint32_t address) {
  const uint32_t stream = (address - arch::kOverlayBase) / arch::kStreamStride;
  const uint32_t id = stream - arch::kFwB.first_cb_stream;
  const uint32_t reg = address % arch::kStreamStride / 4;
  if (id >= kBuffers || !in_kernel(a.agent) || !code_.use_of_load(a.pc).waits) return;
  CircularBuffers::Buffer& b = buffers_[static_cast<int>(id)];
  if (reg == arch::stream::kRemoteDestBufSize) b.takes |= party_of(a.agent);
  if (reg == arch::stream::kRemoteDestBufStart) b.fills |= party_of(a.agent);
}

// Pages are pushed, or popped.
void TileChecker::check_side(bool pushes, const Stamp& by, const View& view, int id) {
  CircularBuffers::Buffer& b = buffers_[id];
  const CircularBuffers::Side& side = pushes ? b.pushed : b.popped;
  (pushes ? b.fills : b.takes) |= party_of(by.agent);
  const Stamp& last = side.last;
  if (last.part == Part::Nobody || (last.place == by.place && last.component == by.component)) return;
  if (view.knows(last, directory_)) return;
  const std::string_view verb = pushes ? "push" : "pop";
  found(pushes ? Rule::CbTwoProducers : Rule::CbTwoConsumers, &last, verb, by, verb, page_object(id, side.next),
        fmt::format("CB {}: two {} pages, and nothing orders them", id, pushes ? "push" : "pop"));
}

void TileChecker::check_buffer_index(const Stamp& by, uint32_t reg, int id, const Event& event) {
  const bool pushes = reg == arch::stream::kRemoteDestBufSize;
  if (!pushes && reg != arch::stream::kRemoteDestBufStart) return;
  if (event.place != place_ || !in_kernel(by.agent) || !buffers_.is_foreign(id)) return;
  found(Rule::CbWrongIndex, nullptr, "", by, pushes ? "push" : "pop",
        {.space = Space::Buffer,
         .tile = view_.tile,
         .address = static_cast<uint64_t>(id),
         .name = fmt::format("CB {}", id)},
        fmt::format("CB {} is used, which the program does not have", id));
}

// A page that was never pushed holds nothing for those who only take.
void TileChecker::check_page_read(const Stamp& by, uint64_t address) {
  int id = 0;
  const CircularBuffers::Buffer* const b = buffers_.at(address, id);
  if (b == nullptr || b->given >= b->pages) return;
  const uint8_t party = party_of(by.agent);
  if ((b->takes & party) == 0 || (b->fills & party) != 0) return;
  const uint32_t page = b->page_at(address);
  if (page < b->given) return;
  found(Rule::CbUnderrun, nullptr, "", by, "read", page_object(id, page),
        fmt::format("CB {} page {}: read, although {} pages have been pushed", id, page, b->given));
}

// A page that was pushed, and not popped, is no longer for those who only fill.
void TileChecker::check_page_write(const Stamp& by, uint64_t address) {
  int id = 0;
  const CircularBuffers::Buffer* const b = buffers_.at(address, id);
  if (b == nullptr || b->pushed.last.part == Part::Nobody) return;
  const uint8_t party = party_of(by.agent);
  if ((b->fills & party) == 0 || (b->takes & party) != 0) return;
  const uint32_t page = b->page_at(address);
  if (b->pushed.last.agent != by.agent || !b->holds(page)) return;
  found(Rule::CbOverrun, &b->pushed.last, "push", by, "write", page_object(id, page),
        fmt::format("CB {} page {}: written, although it is pushed and not popped", id, page));
}

// From one buffer into another one, of which none holds all of it.
void TileChecker::check_end_of_transfer(const Stamp& by, uint64_t address, uint64_t bytes) {
  if (!launch_.known()) return;
  int id = 0, last = 0;
  const CircularBuffers::Buffer* const b = buffers_.at(address, id);
  if (b == nullptr || address + bytes <= uint64_t{b->address} + b->bytes) return;
  const CircularBuffers::Buffer* const end = buffers_.at(address + bytes - 1, last);
  if (end == nullptr || buffers_.has_all(address, bytes)) return;
  found(Rule::CrossesRegions, nullptr, "", by, "transfer",
        {.space = Space::L1, .tile = view_.tile, .address = address, .bytes = bytes, .name = fmt::format("CB {}", id)},
        fmt::format("{} bytes from L1 {:#x} on begin in CB {} and end in CB {}", bytes, address, id, last));
}

}  // namespace kerr::check
