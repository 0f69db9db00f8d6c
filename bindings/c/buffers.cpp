#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "bindings/c/api.hpp"

namespace kerr::c {

namespace {

constexpr uint64_t kMostBytes = std::numeric_limits<uint32_t>::max();  // of a buffer: loop programs count in 32 bits
constexpr uint64_t kPieceBytes = 4 << 20;                              // between two polls

void require_range(const BufferObject& buffer, uint64_t offset, uint64_t bytes, const char* what) {
  if (offset <= buffer.bytes && bytes <= buffer.bytes - offset) return;
  invalid_argument(
      fmt::format("{}: {} bytes at offset {} do not lie in a buffer of {} bytes", what, bytes, offset, buffer.bytes));
}

// Calls piece(begin, bytes) for [0, bytes), from the end if `backwards`.
template <class Piece>
void each_piece(Device& device, uint64_t bytes, bool backwards, Piece&& piece) {
  for (uint64_t done = 0; done < bytes;) {
    const uint64_t now = std::min(kPieceBytes, bytes - done);
    piece(backwards ? bytes - done - now : done, now);
    done += now;
    if (done < bytes) device.supervision().poll();
  }
}

void write(BufferObject& to, uint64_t offset, const void* data, uint64_t bytes, const char* what) {
  to.device->call(what, [&] {
    each_piece(*to.device, bytes, false, [&](uint64_t at, uint64_t now) {
      to.device->chip().write(to.buffer, {static_cast<const std::byte*>(data) + at, now}, offset + at);
    });
  });
}

void read(BufferObject& from, uint64_t offset, void* data, uint64_t bytes, const char* what) {
  from.device->call(what, [&] {
    each_piece(*from.device, bytes, false, [&](uint64_t at, uint64_t now) {
      from.device->chip().read(from.buffer, {static_cast<std::byte*>(data) + at, now}, offset + at);
    });
  });
}

void copy(BufferObject& to, uint64_t to_offset, BufferObject& from, uint64_t from_offset, uint64_t bytes) {
  std::vector<std::byte> piece(std::min(kPieceBytes, bytes));
  if (to.device != from.device) {  // a call to each, one after the other: never both devices at once
    for (uint64_t at = 0; at < bytes; at += piece.size()) {
      const uint64_t now = std::min<uint64_t>(piece.size(), bytes - at);
      read(from, from_offset + at, piece.data(), now, "copy");
      write(to, to_offset + at, piece.data(), now, "copy");
    }
    return;
  }
  to.device->call("copy", [&] {
    const bool backwards = to_offset > from_offset;
    each_piece(*to.device, bytes, backwards, [&](uint64_t at, uint64_t now) {
      to.device->chip().read(from.buffer, std::span(piece).first(now), from_offset + at);
      to.device->chip().write(to.buffer, std::span(piece).first(now), to_offset + at);
    });
  });
}

void fill(BufferObject& buffer, uint64_t offset, uint64_t bytes, const void* pattern, uint64_t pattern_bytes) {
  const uint64_t whole = std::min(bytes, kPieceBytes / pattern_bytes * pattern_bytes);
  std::vector<std::byte> piece(whole);
  for (uint64_t at = 0; at < whole; at += pattern_bytes)
    std::memcpy(&piece[at], pattern, std::min(pattern_bytes, whole - at));
  buffer.device->call("fill", [&] {
    for (uint64_t at = 0; at < bytes; at += whole) {
      buffer.device->chip().write(buffer.buffer, std::span(piece).first(std::min(whole, bytes - at)), offset + at);
      buffer.device->supervision().poll();
    }
  });
}

}  // namespace

}  // namespace kerr::c

using namespace kerr::c;

int kerr_buffer_alloc(kerr_device device, uint64_t bytes, kerr_buffer* buffer, kerr_error* error) {
  return answer(error, [&] {
    require(buffer, "kerr_buffer_alloc()", "buffer");
    const std::shared_ptr<Device> found = find(device);
    if (bytes == 0) invalid_argument("kerr_buffer_alloc(): a buffer of 0 bytes");
    found->call("alloc", [&] {
      if (bytes > kMostBytes) {
        throw kerr::host::OutOfDeviceMemory(
            fmt::format("a buffer of {} bytes: at most {} are possible", bytes, kMostBytes));
      }
      kerr::host::Buffer memory = found->with_room(
          [&] { return found->chip().allocate(kerr::host::Memory::Dram, bytes, kerr::loops::kPageBytes); });
      auto made = std::make_shared<BufferObject>(BufferObject{found, std::move(memory), bytes});
      *buffer = handle_of<kerr_buffer>(Handles::all().put(Kind::Buffer, std::move(made), found.get()));
    });
  });
}

int kerr_buffer_free(kerr_buffer buffer, kerr_error* error) {
  return answer(error, [&] {
    find(buffer)->device->require_own_process();
    const std::shared_ptr<void> taken = Handles::all().take(Kind::Buffer, number_of(buffer));
    if (!taken) throw Failure(KERR_INVALID_HANDLE, "another thread has freed this buffer");
  });
}

int kerr_buffer_write(kerr_buffer buffer, uint64_t offset, const void* data, uint64_t bytes, kerr_error* error) {
  return answer(error, [&] {
    const std::shared_ptr<BufferObject> found = find(buffer);
    require_range(*found, offset, bytes, "kerr_buffer_write()");
    if (bytes != 0) require(data, "kerr_buffer_write()", "data");
    write(*found, offset, data, bytes, "write");
  });
}

int kerr_buffer_read(kerr_buffer buffer, uint64_t offset, void* data, uint64_t bytes, kerr_error* error) {
  return answer(error, [&] {
    const std::shared_ptr<BufferObject> found = find(buffer);
    require_range(*found, offset, bytes, "kerr_buffer_read()");
    if (bytes != 0) require(data, "kerr_buffer_read()", "data");
    read(*found, offset, data, bytes, "read");
  });
}

int kerr_buffer_copy(kerr_buffer to, uint64_t to_offset, kerr_buffer from, uint64_t from_offset, uint64_t bytes,
                     kerr_error* error) {
  return answer(error, [&] {
    const std::shared_ptr<BufferObject> target = find(to), source = find(from);
    require_range(*target, to_offset, bytes, "kerr_buffer_copy()");
    require_range(*source, from_offset, bytes, "kerr_buffer_copy()");
    copy(*target, to_offset, *source, from_offset, bytes);
  });
}

int kerr_buffer_fill(kerr_buffer buffer, uint64_t offset, uint64_t bytes, const void* pattern, uint64_t pattern_bytes,
                     kerr_error* error) {
  return answer(error, [&] {
    const std::shared_ptr<BufferObject> found = find(buffer);
    require_range(*found, offset, bytes, "kerr_buffer_fill()");
    require(pattern, "kerr_buffer_fill()", "pattern");
    if (pattern_bytes == 0 || pattern_bytes > 4096)
      invalid_argument(fmt::format("kerr_buffer_fill(): a pattern of {} bytes; 1 to 4096 are possible", pattern_bytes));
    if (bytes != 0) fill(*found, offset, bytes, pattern, pattern_bytes);
  });
}

int kerr_buffer_place(kerr_buffer buffer, kerr_place* place, kerr_error* error) {
  return answer(error, [&] {
    const std::shared_ptr<BufferObject> found = find(buffer);
    require(place, "kerr_buffer_place()", "place");
    *place = place_of(found->buffer);
    place->bytes = found->bytes;
  });
}
