// Bytes of L1 that nobody has written, also after they were copied.
#include <fmt/format.h>

#include "check/tile_checker.hpp"

namespace kerr::check {

// Whether nothing at all of these bytes was written; `copy` is then the last transfer that has brought such bytes.
bool TileChecker::is_unwritten(uint64_t address, uint64_t bytes, Stamp& copy) const {
  bool written = false;
  l1_.each_write(address, bytes, [&](const Stamp& s, uint64_t) {
    const Transfer* const t = s.part == Part::Data ? directory_.find(s.place, s.number) : nullptr;
    if (t == nullptr || !t->brought_nothing) {
      written = true;
    } else {
      copy = s;
    }
  });
  return !written;
}

// A request reads `bytes` of this tile for another one, or for itself. docs/architecture.md "Checking"
void TileChecker::look_at_source(const Transfer& t, uint64_t address, uint64_t bytes) {
  if (!directory_.saw_all(view_.tile.chip) || has_contents_[address / Shadow::kBlock]) return;
  Stamp copy;
  if (is_unwritten(address, bytes, copy)) {
    t.mark_unwritten();
  } else {
    has_contents_[address / Shadow::kBlock] = true;
  }
}

// Its bytes have come. Before that the page is in flight, and what it will hold is nobody's business: the tile that is
// read may say so at the same time.
void TileChecker::look_at_answer(Transfer& t) {
  if (!t.is_unwritten() || t.bytes == 0) return;
  t.brought_nothing = true;
  for (uint64_t at = t.local / Shadow::kBlock; at <= (uint64_t{t.local} + t.bytes - 1) / Shadow::kBlock; ++at)
    has_contents_[at] = false;
}

// What was written before the program was told of, in memory that it was given without contents.
void TileChecker::check_age(const Stamp& by, uint64_t address, uint64_t bytes) {
  if (!launch_.gives(address, bytes) || directory_.memory(view_.tile.chip).is_buffer_in_l1(address, bytes)) return;
  bool is_new = false;
  Stamp writer;
  l1_.each_write(address, bytes, [&](const Stamp& s, uint64_t) {
    is_new |= s.place == kHostPlace || s.cycle >= launch_.since();
    writer = s;
  });
  if (is_new || writer.part == Part::Nobody) return;
  found(Rule::StaleL1, &writer, "write", by, "read", l1_object(address, bytes),
        fmt::format("L1 {:#x} is read, which nobody has written since program '{}' was launched", address,
                    launch_.note().program));
}

// An unpacker reads. Pages may have holes: only one that holds nothing at all is told.
void TileChecker::check_contents(const Stamp& by, uint64_t address, uint64_t bytes) {
  if (!launch_.known() || !directory_.saw_all(view_.tile.chip)) return;
  int id = 0;
  uint64_t from = address, length = bytes;
  if (const CircularBuffers::Buffer* const b = buffers_.at(address, id)) {
    from = b->address + uint64_t{b->page_at(address)} * b->page_bytes;
    length = std::max<uint64_t>(b->page_bytes, address + bytes - from);
  }
  Stamp copy;
  if (!is_unwritten(from, length, copy)) {
    has_contents_[address / Shadow::kBlock] = true;
    return check_age(by, from, length);
  }
  found(Rule::UninitL1, copy.part != Part::Nobody ? &copy : nullptr, "copy", by, "read", l1_object(address, bytes),
        copy.part != Part::Nobody
            ? fmt::format("L1 {:#x} is read, which holds a copy of bytes that nobody has written", address)
            : fmt::format("L1 {:#x} is read, and nobody has written to it", address));
}

}  // namespace kerr::check
