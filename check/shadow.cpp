#include "check/shadow.hpp"

#include <algorithm>

namespace kerr::check {

Shadow::Block& Shadow::block(uint64_t n) {
  std::unique_ptr<Block>& found = n < dense_.size() ? dense_[n] : sparse_[n];
  if (!found) found = std::make_unique<Block>();
  return *found;
}

const Shadow::Block* Shadow::find(uint64_t n) const {
  if (n < dense_.size()) return dense_[n].get();
  const auto found = sparse_.find(n);
  return found == sparse_.end() ? nullptr : found->second.get();
}

void Shadow::split(Block& b) {
  b.lines = std::make_unique<std::array<Line, kLines>>();
  for (Line& line : *b.lines) line.all = {copy(b.all.write), copy(b.all.read)};
  clear(b.all);
}

void Shadow::split(Line& line) {
  line.granules = std::make_unique<std::array<Cell, kGranules>>();
  for (Cell& cell : *line.granules) cell = {copy(line.all.write), copy(line.all.read)};
  clear(line.all);
}

void Shadow::clear(Cell& cell) {
  drop(cell.write);
  drop(cell.read);
}

void Shadow::clear(Line& line) {
  clear(line.all);
  if (line.granules == nullptr) return;
  for (Cell& cell : *line.granules) clear(cell);
  line.granules.reset();
}

void Shadow::clear(Block& b) {
  clear(b.all);
  for (Line& line : *b.lines) clear(line);
  b.lines.reset();
}

uint64_t Shadow::list() {
  if (free_lists_.empty()) {
    lists_.emplace_back();
    return lists_.size() - 1;
  }
  const uint64_t n = free_lists_.back();
  free_lists_.pop_back();
  return n;
}

void Shadow::drop(Stamp& stamp) {
  if (stamp.part == Part::Several) {
    lists_[stamp.number].clear();
    free_lists_.push_back(stamp.number);
  }
  stamp = {};
}

Stamp Shadow::copy(const Stamp& stamp) {
  if (stamp.part != Part::Several) return stamp;
  Stamp out = stamp;
  out.number = list();
  lists_[out.number] = lists_[stamp.number];
  return out;
}

void Shadow::add(Stamp& to, const Stamp& one) {
  if (to.part == Part::Nobody) {
    to = one;
  } else if (to.part == Part::Several) {
    lists_[to.number].push_back(one);
  } else {
    const uint64_t n = list();
    lists_[n].push_back(to);
    lists_[n].push_back(one);
    to = {};
    to.part = Part::Several;
    to.number = n;
  }
}

void Shadow::cut(Stamp& from, uint16_t mask) {
  if (from.part == Part::Nobody) return;
  if (from.part != Part::Several) {
    from.mask &= static_cast<uint16_t>(~mask);
    if (from.mask == 0) from = {};
    return;
  }
  std::vector<Stamp>& all = lists_[from.number];
  for (Stamp& one : all) one.mask &= static_cast<uint16_t>(~mask);
  std::erase_if(all, [](const Stamp& one) { return one.mask == 0; });
  if (all.empty()) drop(from);
}

bool Shadow::all_are_of(const Stamp& list, const Event& by, uint16_t mask) const {
  if (list.part != Part::Several) return false;
  return std::ranges::all_of(lists_[list.number],
                             [&](const Stamp& one) { return (one.mask & mask) == 0 || is_of(one, by); });
}

// It takes the place of what it covers, and goes to the end. Mostly that is one.
void Shadow::read_in_list(Stamp& reads, const Stamp& by) {
  std::vector<Stamp>& all = lists_[reads.number];
  const auto is_covered = [&](const Stamp& one) { return (one.mask & ~by.mask) == 0; };
  auto to = std::ranges::find_if(all, is_covered);
  for (auto from = to; from != all.end(); ++from)
    if (!is_covered(*from)) *to++ = *from;
  all.erase(to, all.end());
  if (all.size() >= kMostReaders) {
    all.erase(all.begin());
    ++lost_;
  }
  all.push_back(by);
}

void Shadow::write_in_list(Cell& cell, const Stamp& by) {
  cut(cell.read, by.mask);
  cut(cell.write, by.mask);
  add(cell.write, by);
}

// What happened before a later read of the same bytes is covered by whoever waits for that one.
void Shadow::note_read(Stamp& reads, const Stamp& by, Look& look, uint32_t granules) {
  const auto replaced = [&](const Stamp& earlier) {
    return (earlier.mask & ~by.mask) == 0 && (earlier.same_access(by) || look.knows(earlier));
  };
  if (reads.part == Part::Several) {
    std::vector<Stamp>& all = lists_[reads.number];
    std::erase_if(all, replaced);
    if (all.size() >= kMostReaders) {
      all.erase(all.begin());
      lost_ += granules;
    }
    all.push_back(by);
    return;
  }
  if (reads.part == Part::Nobody || replaced(reads)) {
    reads = by;
    return;
  }
  add(reads, by);
}

void Shadow::forget_readers(uint64_t address, uint64_t bytes) {
  for (uint64_t at = address / kGranule * kGranule; at < address + bytes; at += kGranule) {
    Block& b = block(at / kBlock);
    if (b.lines == nullptr) split(b);
    Line& line = (*b.lines)[at % kBlock / kLine];
    if (line.granules == nullptr) split(line);
    cut((*line.granules)[at % kLine / kGranule].read,
        mask_of(std::max(address, at), std::min(address + bytes, at + kGranule)));
  }
}

}  // namespace kerr::check
