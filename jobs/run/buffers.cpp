#include "jobs/run/buffers.hpp"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>

#include "isa/text/whole_number.hpp"
#include "jobs/run/words.hpp"

namespace kerr::jobs {

namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 35;  // of a buffer: all DRAM there is

[[noreturn]] void refuse(std::string_view text, std::string_view why) {
  throw std::invalid_argument(fmt::format("'{}': {}", text, why));
}

// A number from `least` to `most`.
uint64_t number(std::string_view text, std::string_view digits, const char* what, uint64_t least, uint64_t most) {
  if (const auto problem = isa::text::problem_with_number(digits, least, most))
    refuse(text, std::string(what) + *problem);
  return *isa::text::whole_number(digits);
}

struct Pages {
  uint32_t pages = 0, page_bytes = 0;
};
Pages pages(std::string_view text, std::string_view size) {
  const size_t x = size.find('x', size.starts_with("0x") ? 2 : 0);
  if (x == std::string_view::npos) refuse(text, fmt::format("'{}' is no size: write PAGESxBYTES, as 2x2048", size));
  constexpr uint64_t kMost = std::numeric_limits<uint32_t>::max();
  return {static_cast<uint32_t>(number(text, size.substr(0, x), "the number of pages", 1, kMost)),
          static_cast<uint32_t>(number(text, size.substr(x + 1), "the bytes of a page", 1, kMost))};
}

}  // namespace

host::CircularBuffer parse_circular_buffer(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) refuse(text, "write ID:PAGESxBYTES, as 0:2x2048");
  const uint64_t id = number(text, text.substr(0, colon), "the id", 0, 31);
  const Pages size = pages(text, text.substr(colon + 1));
  return {.id = static_cast<uint8_t>(id), .pages = size.pages, .page_bytes = size.page_bytes};
}

BufferText parse_buffer(std::string_view text, host::Memory memory) {
  BufferText out{.buffer = {.memory = memory}, .element = {}, .file = {}};
  const size_t equals = text.find('=');
  if (equals != std::string_view::npos) {
    out.file = text.substr(equals + 1);
    if (out.file.empty()) refuse(text, "a file is missing behind '='");
  }
  std::string_view rest = text.substr(0, equals);
  const size_t colon = rest.find(':');
  if (colon == std::string_view::npos)
    refuse(text, memory == host::Memory::L1 ? "write NAME:BYTES, as numbers:4096"
                                            : "write NAME:PAGESxBYTES, as numbers:4x2048");
  out.buffer.name = rest.substr(0, colon);
  check_name(out.buffer.name);
  rest = rest.substr(colon + 1);
  const size_t second = rest.find(':');
  const std::string_view size = rest.substr(0, second);
  if (second != std::string_view::npos) out.element = parse_element(rest.substr(second + 1));
  if (memory == host::Memory::L1) {
    out.buffer.bytes = number(text, size, "its size", 1, arch::kL1Bytes);
  } else {
    const Pages of = pages(text, size);
    out.buffer.bytes = uint64_t{of.pages} * of.page_bytes;
    out.buffer.page_bytes = of.page_bytes;
    if (out.buffer.bytes > kMostBytes) refuse(text, "the board has less DRAM");
  }
  return out;
}

}  // namespace kerr::jobs
