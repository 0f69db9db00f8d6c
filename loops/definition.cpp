#include "loops/definition.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <vector>

#include "loops/interpret.hpp"

namespace kerr::loops {

namespace {

// Bytes of one device buffer that a view, or several that overlap, cover; as they were, and as they are now.
struct Piece {
  const host::Buffer* buffer;
  uint64_t begin, end;
  std::vector<std::byte> before, now;
};

bool same(const host::Buffer& a, const host::Buffer& b) { return a.address() == b.address(); }

// Sorted, and none overlaps another.
std::vector<Piece> pieces_of(std::span<const View> views) {
  std::vector<const View*> sorted;
  for (const View& view : views)
    if (view.bytes != 0) sorted.push_back(&view);
  std::ranges::sort(sorted, [](const View* a, const View* b) {
    return std::pair(a->buffer.address(), a->offset) < std::pair(b->buffer.address(), b->offset);
  });
  std::vector<Piece> pieces;
  for (const View* view : sorted) {
    const uint64_t end = view->offset + view->bytes;
    if (!pieces.empty() && same(*pieces.back().buffer, view->buffer) && view->offset < pieces.back().end) {
      pieces.back().end = std::max(pieces.back().end, end);
    } else {
      pieces.push_back({&view->buffer, view->offset, end, {}, {}});
    }
  }
  return pieces;
}

std::span<std::byte> span_of(std::vector<Piece>& pieces, const View& view) {
  if (view.bytes == 0) return {};
  for (Piece& piece : pieces) {
    if (same(*piece.buffer, view.buffer) && piece.begin <= view.offset && view.offset + view.bytes <= piece.end)
      return std::span(piece.now).subspan(view.offset - piece.begin, view.bytes);
  }
  return {};
}

void write_back(host::Chip& chip, const Piece& piece) {
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

}  // namespace

void interpret_on(host::Chip& chip, const Program& program, std::span<const View> views,
                  std::span<const int64_t> numbers, const std::function<void()>& poll) {
  std::vector<Piece> pieces = pieces_of(views);
  for (Piece& piece : pieces) {
    piece.before.resize(piece.end - piece.begin);
    chip.read(*piece.buffer, piece.before, piece.begin);
    piece.now = piece.before;
  }
  std::vector<std::span<std::byte>> buffers;
  for (const View& view : views) buffers.push_back(span_of(pieces, view));
  std::exception_ptr error;
  try {
    interpret(program, buffers, numbers, {.progress = poll});
  } catch (...) {
    error = std::current_exception();
  }
  for (const Piece& piece : pieces) write_back(chip, piece);
  if (error) std::rethrow_exception(error);
}

}  // namespace kerr::loops
