#include "host/runtime/cq/completions.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "arch/cq.hpp"
#include "host/error.hpp"

namespace kerr::host::cq {

namespace wire = arch::cq;

uint32_t Completions::expect(PendingRead read) {
  read.tag = next_tag_++;
  reads_.push_back(read);
  return read.tag;
}

void Completions::take(std::span<const std::byte> page, uint32_t written, bool is_possible) {
  if (position_ != 0) return take_data(page);

  wire::WriteLinearHHost header;
  std::memcpy(&header, page.data(), sizeof header);
  const auto refuse = [&] {
    throw DeviceError(Category::Protocol,
                      fmt::format("completion queue: neither event {} nor data that were asked for (write pointer "
                                  "{:#x}, id {}, is_event {}, length {})",
                                  reached_ + 1, written, header.id, header.is_event, uint64_t{header.length}));
  };
  const auto rest = page.subspan(sizeof header);
  if (!is_possible || header.id != static_cast<uint8_t>(wire::DispatchId::WriteLinearHHost) || header.is_event > 1) {
    refuse();
  }
  if (header.is_event == 0) {
    if (reads_.empty() || header.length != reads_.front().length + sizeof header || header.pad2 != reads_.front().tag) {
      refuse();
    }
    position_ = sizeof header;
    return take_data(rest);
  }
  if (header.length != sizeof header + wire::kEventBytes) refuse();
  uint32_t id;
  std::memcpy(&id, rest.data(), sizeof id);
  take_event(id);
}

void Completions::take_data(std::span<const std::byte> bytes) {
  const PendingRead& read = reads_.front();
  const uint64_t left = read.length + sizeof(wire::WriteLinearHHost) - position_;
  const auto n = static_cast<size_t>(std::min<uint64_t>(left, bytes.size()));
  read.take(position_ - sizeof(wire::WriteLinearHHost), bytes.first(n));
  position_ += n;
  if (n == left) {
    reads_.pop_front();
    position_ = 0;
  }
}

void Completions::take_event(uint32_t id) {
  if (id != reached_ + 1) {
    throw DeviceError(Category::Protocol,
                      fmt::format("completion queue: event {} came where {} was expected", id, reached_ + 1));
  }
  reached_ = id;
  if (!partial_.empty() && partial_.front() == id) {
    partial_.pop_front();
  } else {
    finished_ = id;
  }
}

}  // namespace kerr::host::cq
