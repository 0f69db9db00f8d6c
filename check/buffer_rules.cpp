// Pages of circular buffers that change hands.
#include <fmt/format.h>

#include "check/tile_checker.hpp"

namespace kerr::check {

using emu::Agent;

namespace {

constexpr uint32_t kCount = 0xFFFF;  // counters of pages wrap there in software

}  // namespace

void TileChecker::check_push(const Actor&, const Stamp& by, const View& view, int id, uint32_t before, uint32_t after) {
  CircularBuffers::Buffer& b = buffers_[id];
  const uint32_t pages = (after - before) & kCount;
  if (after == 0 || pages == 0) {
    b.pushed = after & kCount;
    if (after == 0) b.next_push = 0;
    return;
  }
  const auto object = [&](uint32_t page) -> Object {
    return {.space = Space::Buffer,
            .tile = view_.tile,
            .address = static_cast<uint64_t>(id),
            .bytes = b.page_bytes,
            .name = fmt::format("CB {} page {}", id, page)};
  };
  if (pages > b.pages) {
    found(Rule::CbWrap, nullptr, "", by, "push", object(0),
          fmt::format("CB {}: {} pages pushed at once, it has {}", id, pages, b.pages));
  } else if (((after - b.popped) & kCount) > b.pages) {
    found(Rule::CbOverrun, nullptr, "", by, "push", object(b.next_push),
          fmt::format("CB {}: {} pages pushed and not popped, it has {}", id, (after - b.popped) & kCount, b.pages));
  }
  for (uint32_t n = 0; n < pages && n < b.pages; ++n) {
    const uint32_t page = (b.next_push + n) % b.pages;
    bool done = false;
    l1_.each_write(b.address + uint64_t{page} * b.page_bytes, b.page_bytes, [&](const Stamp& w, uint64_t) {
      if (done || view.knows(w, directory_)) return;
      done = true;
      found(Rule::CbIncomplete, &w, "write", by, "push", object(page),
            fmt::format("CB {} page {}: pushed while {} may still fill it", id, page,
                        is_transfer(w.part) ? "a transfer" : "somebody"));
    });
  }
  b.next_push = (b.next_push + pages) % b.pages;
  b.pushed = after & kCount;
  b.last_push = by;
}

void TileChecker::check_pop(const Actor&, const Stamp& by, const View& view, int id, uint32_t before, uint32_t after) {
  CircularBuffers::Buffer& b = buffers_[id];
  const uint32_t pages = (after - before) & kCount;
  if (after == 0 || pages == 0) {
    b.popped = after & kCount;
    if (after == 0) b.next_pop = 0;
    return;
  }
  const auto object = [&](uint32_t page) -> Object {
    return {.space = Space::Buffer,
            .tile = view_.tile,
            .address = static_cast<uint64_t>(id),
            .bytes = b.page_bytes,
            .name = fmt::format("CB {} page {}", id, page)};
  };
  if (((b.pushed - after) & kCount) > 0x7FFF) {
    found(Rule::CbUnderrun, nullptr, "", by, "pop", object(b.next_pop),
          fmt::format("CB {}: {} pages popped, {} have been pushed", id, after & kCount, b.pushed));
  }
  for (uint32_t n = 0; n < pages && n < b.pages; ++n) {
    const uint32_t page = (b.next_pop + n) % b.pages;
    bool done = false;
    l1_.each_read(b.address + uint64_t{page} * b.page_bytes, b.page_bytes, [&](const Stamp& r, uint64_t) {
      if (done || view.knows(r, directory_)) return;
      done = true;
      found(Rule::CbEarlyPop, &r, "read", by, "pop", object(page),
            fmt::format("CB {} page {}: popped while {} may still read it", id, page,
                        is_transfer(r.part) ? "a transfer" : "somebody"));
    });
  }
  b.next_pop = (b.next_pop + pages) % b.pages;
  b.popped = after & kCount;
  b.last_pop = by;
}

// A unit begins with a page only now that its hart has handed on before: the word was pushed in front of the hart's store.
void TileChecker::check_page_of_unit(const Stamp& by, const View& view, uint64_t address, bool writes) {
  int id = 0;
  const CircularBuffers::Buffer* const b = buffers_.at(address, id);
  if (b == nullptr) return;
  const uint32_t page = b->page_at(address);
  const Stamp& moved = writes ? b->last_push : b->last_pop;
  // Another agent is the other side of the buffer: compute kernels keep partial sums in pages that they have reserved.
  const int thread = static_cast<int>(by.agent) - static_cast<int>(Agent::Thread0);
  if (moved.agent != by.agent && static_cast<int>(moved.agent) != static_cast<int>(Agent::Trisc0) + thread) return;
  if (moved.part == Part::Nobody || b->holds(page) != writes || view.knows(moved, directory_)) return;
  found(writes ? Rule::CbIncomplete : Rule::CbEarlyPop, &by, writes ? "write" : "read", moved, writes ? "push" : "pop",
        {.space = Space::Buffer,
         .tile = view_.tile,
         .address = static_cast<uint64_t>(id),
         .bytes = b->page_bytes,
         .name = fmt::format("CB {} page {}", id, page)},
        fmt::format("CB {} page {}: {} before the {} is done with it", id, page, writes ? "pushed" : "popped",
                    writes ? "packer" : "unpacker"));
}

}  // namespace kerr::check
