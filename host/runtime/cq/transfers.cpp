#include "host/runtime/cq/transfers.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "host/runtime/cq/prefetch_commands.hpp"

namespace kerr::host::cq {

namespace wire = arch::cq;

namespace {

// Payload of one write: with headers it must fit a record.
constexpr uint32_t kWriteBytes = kRecordLimitBytes - 64;
// One read command's data; several pass through the completion ring while the host takes them out.
constexpr uint32_t kReadBytes = 1 << 20;
constexpr uint32_t kDramAlign = 64;

// Cuts a range of a buffer into parts of a page and runs of whole pages.
template <class Span, class Part, class Pages>
void cut(const Buffer& buffer, Span bytes, uint64_t offset, Part&& part, Pages&& pages) {
  const uint32_t page = buffer.page_bytes();
  while (!bytes.empty()) {
    const auto index = static_cast<uint32_t>(offset / page);
    const uint64_t in_page = offset % page;
    uint64_t n = bytes.size() / page * page;
    if (!buffer.is_sharded() && in_page == 0 && n != 0) {
      pages(index, bytes.first(n));
    } else {
      const bool is_run = buffer.is_sharded() && buffer.stride() == page;  // pages lie one behind the other
      n = std::min<uint64_t>(bytes.size(), uint64_t{is_run ? buffer.pages_in_a_row(index) : 1} * page - in_page);
      Buffer::Place place = buffer.page(index);
      place.address += in_page;
      part(place, bytes.first(n));
    }
    bytes = bytes.subspan(n);
    offset += n;
  }
}

}  // namespace

void Transfers::write_bytes(const Buffer::Place& place, std::span<const std::byte> bytes) {
  Buffer::Place at = place;
  const uint64_t odd = at.address % wire::kL1Align;
  if (odd != 0) {  // the dispatcher writes to multiples of 16 only: the few bytes before one go by the PCI window
    const size_t n = std::min<size_t>(bytes.size(), wire::kL1Align - odd);
    port_.wait(port_.send_event());
    port_.chip().io().write(at.tile, at.address, bytes.first(n));
    at.address += n;
    bytes = bytes.subspan(n);
  }
  while (!bytes.empty()) {
    const size_t n = std::min<size_t>(bytes.size(), kWriteBytes);
    const Bytes header = write_linear_header(at.tile.packed(), at.address, n);
    port_.push(record_header(header, n), bytes.first(n));
    at.address += n;
    bytes = bytes.subspan(n);
  }
}

void Transfers::write_pages(const Buffer& buffer, uint32_t first, std::span<const std::byte> bytes) {
  const uint32_t page = buffer.page_bytes(), stride = buffer.stride();
  const uint32_t at_once = kWriteBytes / stride;
  if (at_once == 0) {  // a page exceeds a record
    for (size_t at = 0; at < bytes.size(); at += page) write_bytes(buffer.page(first++), bytes.subspan(at, page));
    return;
  }
  Bytes padded;
  while (!bytes.empty()) {
    const auto n = static_cast<uint32_t>(std::min<size_t>(bytes.size() / page, at_once));
    std::span<const std::byte> data = bytes.first(size_t{n} * page);
    if (stride != page) {  // what lies between pages is written too
      padded.assign(size_t{n} * stride, {});
      for (uint32_t i = 0; i < n; ++i) {
        std::copy_n(data.begin() + static_cast<ptrdiff_t>(size_t{i} * page), page,
                    padded.begin() + static_cast<ptrdiff_t>(size_t{i} * stride));
      }
      data = padded;
    }
    const uint32_t row = first / buffer.banks() * stride;
    const Bytes header =
        write_paged_header(buffer.memory() == Memory::Dram, static_cast<uint16_t>(first % buffer.banks()),
                           buffer.address() + row, stride, n);
    port_.push(record_header(header, data.size()), data);
    bytes = bytes.subspan(size_t{n} * page);
    first += n;
  }
}

void Transfers::write(const Buffer& buffer, std::span<const std::byte> bytes, uint64_t offset) {
  cut(
      buffer, bytes, offset,
      [&](const Buffer::Place& place, std::span<const std::byte> part) { write_bytes(place, part); },
      [&](uint32_t first, std::span<const std::byte> pages) { write_pages(buffer, first, pages); });
}

void Transfers::settle_writes() {
  port_.send(cq::wait(wire::kWaitBarrier | wire::kWaitNotifyPrefetch));
  port_.add(stall());
}

void Transfers::read_bytes(Memory memory, const Buffer::Place& place, std::span<std::byte> out) {
  const uint32_t align = memory == Memory::Dram ? kDramAlign : wire::kL1Align;
  uint64_t address = place.address;
  while (!out.empty()) {
    const auto skip = static_cast<uint32_t>(address % align);
    const auto n = static_cast<uint32_t>(std::min<size_t>(out.size(), kReadBytes));
    const uint32_t length = skip + n;
    const uint32_t tag = port_.completions().expect({out.data(), n, length, skip, n, n});
    port_.add(relay_inline_noflush(host_data_header(length, tag)));
    port_.add(relay_linear(place.tile.packed(), address - skip, length));
    address += n;
    out = out.subspan(n);
  }
}

void Transfers::read_pages(const Buffer& buffer, uint32_t first, std::span<std::byte> out) {
  const uint32_t page = buffer.page_bytes(), stride = buffer.stride();
  while (!out.empty()) {
    const auto n = static_cast<uint32_t>(std::min<size_t>(out.size() / page, std::max(1u, kReadBytes / stride)));
    const uint32_t length = n * stride;
    const uint32_t tag = port_.completions().expect({out.data(), size_t{n} * page, length, 0, page, stride});
    port_.add(relay_inline_noflush(host_data_header(length, tag)));
    port_.add(relay_paged({.is_dram = buffer.memory() == Memory::Dram,
                           .start_page = static_cast<uint8_t>(first % buffer.banks()),
                           .base = buffer.address() + first / buffer.banks() * stride,
                           .page_bytes = stride,
                           .pages = n}));
    out = out.subspan(size_t{n} * page);
    first += n;
  }
}

void Transfers::read(const Buffer& buffer, std::span<std::byte> out, uint64_t offset) {
  cut(
      buffer, out, offset,
      [&](const Buffer::Place& place, std::span<std::byte> part) { read_bytes(buffer.memory(), place, part); },
      [&](uint32_t first, std::span<std::byte> pages) { read_pages(buffer, first, pages); });
}

}  // namespace kerr::host::cq
