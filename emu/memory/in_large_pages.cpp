#include "emu/memory/in_large_pages.hpp"

#include <cstdint>
#include <mutex>
#include <new>
#include <utility>

#include "emu/memory/pages.hpp"
#include "emu/process_mutex.hpp"

namespace kerr::emu {

#ifdef __SANITIZE_ADDRESS__

// The heap, whose blocks it watches, and in which it looks for pointers to others.
void* InLargePages::operator new(size_t bytes) { return ::operator new (bytes, std::align_val_t{64}); }
void InLargePages::operator delete(void* memory) noexcept { ::operator delete (memory, std::align_val_t{64}); }

#else

namespace {

constexpr size_t kAlignment = 64;

// The header of each piece. Objects follow it, and are only ever added behind the last one.
struct alignas(kAlignment) Piece {
  ZeroedPages pages;  // in which it lies itself
  size_t used = sizeof(Piece);
  size_t provided = 0;  // bytes; more than are used if objects are gone again
  size_t objects = 0;

  static Piece& of(void* object) {
    return *reinterpret_cast<Piece*>(reinterpret_cast<uintptr_t>(object) & ~(kLargePageBytes - 1));
  }
};

ProcessMutex mutex;
Piece* filling = nullptr;

Piece* map_piece() {
  ZeroedPages pages(kLargePageBytes, kLargePageBytes);
  uint8_t* const memory = pages.data();
  prefer_large_pages(memory, kLargePageBytes);
  return new (memory) Piece{std::move(pages)};
}

}  // namespace

void* InLargePages::operator new(size_t bytes) {
  bytes = (bytes + kAlignment - 1) & ~(kAlignment - 1);
  if (bytes > kLargePageBytes - sizeof(Piece)) throw std::bad_alloc();
  const std::lock_guard lock(mutex);
  if (filling == nullptr || filling->used + bytes > kLargePageBytes) filling = map_piece();
  std::byte* const object = reinterpret_cast<std::byte*>(filling) + filling->used;
  filling->used += bytes;
  ++filling->objects;
  if (filling->used > filling->provided) {
    provide_pages(reinterpret_cast<std::byte*>(filling) + filling->provided, filling->used - filling->provided);
    filling->provided = (filling->used + 4095) & ~size_t{4095};
  }
  return object;
}

void InLargePages::operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  const std::lock_guard lock(mutex);
  Piece& piece = Piece::of(memory);
  if (--piece.objects != 0) return;
  if (&piece == filling) {
    piece.used = sizeof(Piece);
  } else {
    const ZeroedPages gone = std::move(piece.pages);
  }
}

#endif

}  // namespace kerr::emu
