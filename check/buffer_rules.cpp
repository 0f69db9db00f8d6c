// Pages of circular buffers that change hands.
#include <fmt/format.h>

#include <algorithm>

#include "check/tile_checker.hpp"

namespace kerr::check {

namespace {

// Who fills the buffer sends from its pages while others take them, as multicasts of what was pushed do: a pop gives
// the page back to the one that knows of the transfer, and has to wait for it before the next store.
bool goes_back_to_its_reader(const CircularBuffers::Buffer& b, const Stamp& read, const Stamp& pop) {
  return is_transfer(read.part) && read.agent != pop.agent && b.pushed.last.part != Part::Nobody &&
         b.pushed.last.agent == read.agent;
}

}  // namespace

Object TileChecker::page_object(int id, uint32_t page) const {
  return {.space = Space::Buffer,
          .tile = view_.tile,
          .address = static_cast<uint64_t>(id),
          .bytes = buffers_[id].page_bytes,
          .name = fmt::format("CB {} page {}", id, page)};
}

void TileChecker::check_pages(bool pushes, const Stamp& by, const View& view, int id, uint32_t before, uint32_t after) {
  CircularBuffers::Buffer& b = buffers_[id];
  CircularBuffers::Side& side = pushes ? b.pushed : b.popped;
  const uint32_t pages = (after - before) & kCountMask;
  // A count that comes to 0 by itself has been pushed or popped.
  const bool resets = after == 0 && (pages == 0 || pages > b.pages || side.count == 0);
  if (resets || pages == 0) {
    side.count = after & kCountMask;
    if (resets) side.next = 0;
    return;
  }
  const std::string_view verb = pushes ? "push" : "pop";
  check_side(pushes, by, view, id);
  const uint32_t held = (after - b.popped.count) & kCountMask;  // after a push
  if (pushes && pages > b.pages) {
    found(Rule::CbWrap, nullptr, "", by, verb, page_object(id, 0),
          fmt::format("CB {}: {} pages pushed at once, it has {}", id, pages, b.pages));
  } else if (pushes && held > b.pages) {
    found(Rule::CbOverrun, nullptr, "", by, verb, page_object(id, side.next),
          fmt::format("CB {}: {} pages pushed and not popped, it has {}", id, held, b.pages));
  } else if (!pushes && ((b.pushed.count - after) & kCountMask) > kCountMask / 2) {
    found(Rule::CbUnderrun, nullptr, "", by, verb, page_object(id, side.next),
          fmt::format("CB {}: {} pages popped, {} have been pushed", id, after & kCountMask, b.pushed.count));
  }
  for (uint32_t n = 0; n < pages && n < b.pages; ++n) {
    const uint32_t page = (side.next + n) % b.pages;
    const uint64_t address = b.address + uint64_t{page} * b.page_bytes;
    size_t finding = FindingLog::kNone;
    std::optional<Stamp> last;  // what whoever uses the page will meet
    const auto look = [&](const Stamp& earlier, uint64_t) {
      if (view.knows(earlier, directory_)) return;
      if (!pushes && goes_back_to_its_reader(b, earlier, by)) return;
      if (last) {
        if (last->same_agent(earlier) && earlier.number > last->number) last = earlier;
        return;
      }
      last = earlier;
      finding = found(pushes ? Rule::CbIncomplete : Rule::CbEarlyPop, &earlier, pushes ? "write" : "read", by, verb,
                      page_object(id, page),
                      fmt::format("CB {} page {}: {} while {} may still {} it", id, page, pushes ? "pushed" : "popped",
                                  is_transfer(earlier.part) ? "a transfer" : "somebody", pushes ? "fill" : "read"));
    };
    if (pushes) {
      l1_.each_write(address, b.page_bytes, look);
    } else {
      l1_.each_read(address, b.page_bytes, look);
    }
    if (last) hand_on(finding, *last, address, b.page_bytes);
  }
  if (pushes) b.given = std::min(b.pages, b.given + pages);
  side.next = (side.next + pages) % b.pages;
  side.count = after & kCountMask;
  side.last = by;
}

// The hart has handed the page on, and its unit begins with it only now: the word was pushed before the hart's store.
void TileChecker::check_page_of_unit(const Stamp& by, const View& view, uint64_t address, bool writes) {
  int id = 0;
  const CircularBuffers::Buffer* const b = buffers_.at(address, id);
  if (b == nullptr) return;
  const uint32_t page = b->page_at(address);
  const Stamp& moved = (writes ? b->pushed : b->popped).last;
  // Another agent is the other side of the buffer: compute kernels keep partial sums in pages that they have reserved.
  if (moved.agent != by.agent && moved.agent != hart_of_thread(by.agent)) return;
  if (moved.part == Part::Nobody || b->holds(page) != writes || view.knows(moved, directory_)) return;
  const size_t finding = found(writes ? Rule::CbIncomplete : Rule::CbEarlyPop, &by, writes ? "write" : "read", moved,
                               writes ? "push" : "pop", page_object(id, page),
                               fmt::format("CB {} page {}: {} before the {} is done with it", id, page,
                                           writes ? "pushed" : "popped", writes ? "packer" : "unpacker"));
  hand_on(finding, by, b->address + uint64_t{page} * b->page_bytes, b->page_bytes);
}

}  // namespace kerr::check
