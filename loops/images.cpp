#include "loops/images.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace kerr::loops {

namespace {

bool same(const host::Buffer& a, const host::Buffer& b) { return a.address() == b.address(); }

}  // namespace

Images::Images(host::Chip& chip, std::span<const View> views) : views_(views) {
  std::vector<const View*> sorted;
  for (const View& view : views)
    if (view.bytes != 0) sorted.push_back(&view);
  std::ranges::sort(sorted, [](const View* a, const View* b) {
    return std::pair(a->buffer.address(), a->offset) < std::pair(b->buffer.address(), b->offset);
  });
  for (const View* view : sorted) {
    const uint64_t end = view->offset + view->bytes;
    if (!pieces_.empty() && same(*pieces_.back().buffer, view->buffer) && view->offset < pieces_.back().end) {
      pieces_.back().end = std::max(pieces_.back().end, end);
    } else {
      pieces_.push_back({&view->buffer, view->offset, end, {}, {}});
    }
  }
  read(chip);
}

std::span<std::byte> Images::view(size_t k) {
  const View& view = views_[k];
  if (view.bytes == 0) return {};
  for (Piece& piece : pieces_) {
    if (same(*piece.buffer, view.buffer) && piece.begin <= view.offset && view.offset + view.bytes <= piece.end)
      return std::span(piece.now).subspan(view.offset - piece.begin, view.bytes);
  }
  return {};
}

std::vector<std::span<std::byte>> Images::all() {
  std::vector<std::span<std::byte>> out;
  for (size_t k = 0; k < views_.size(); ++k) out.push_back(view(k));
  return out;
}

void Images::read(host::Chip& chip) {
  for (Piece& piece : pieces_) {
    piece.before.resize(piece.end - piece.begin);
    chip.read(*piece.buffer, piece.before, piece.begin);
    piece.now = piece.before;
  }
}

void Images::write_changes(host::Chip& chip) const {
  for (const Piece& piece : pieces_) {
    const uint64_t size = piece.now.size();
    const auto differs = [&](uint64_t at) {
      return std::memcmp(&piece.before[at], &piece.now[at], std::min<uint64_t>(kPageBytes, size - at)) != 0;
    };
    for (uint64_t at = 0; at < size;) {
      if (!differs(at)) {
        at += kPageBytes;
        continue;
      }
      uint64_t end = at + kPageBytes;
      while (end < size && differs(end)) end += kPageBytes;
      end = std::min(end, size);
      chip.write(*piece.buffer, std::span(piece.now).subspan(at, end - at), piece.begin + at);
      at = end;
    }
  }
}

}  // namespace kerr::loops
