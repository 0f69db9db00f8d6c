#include "image/kernel_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "image/error.hpp"

namespace kerr::image {
namespace {

using Kind = Relocation::Kind;

constexpr uint32_t kMostBytes = 0x18'0000;  // L1
constexpr uint32_t kAuipc = 0x17, kLui = 0x37;

[[noreturn]] void fail(const Image& image, const std::string& what) {
  throw Error(fmt::format("kernel '{}': {}", image.name, what));
}

std::string name_of(const Relocation& r) {
  const std::string symbol = r.symbol.empty() ? fmt::format("{:#x}", r.target) : fmt::format("'{}'", r.symbol);
  return r.section.empty() ? symbol : fmt::format("{} of {}", symbol, r.section);
}

bool is_kind(const Image& image, Use::Kind kind) {
  return std::any_of(image.uses.begin(), image.uses.end(), [&](const Use& u) { return u.kind == kind; });
}

std::string range_of(const Segment& s) { return fmt::format("{:#x} to {:#x}", s.address, s.address + s.memory_bytes); }

size_t code_segment(const Image& image) {
  const auto code = std::find_if(image.segments.begin(), image.segments.end(),
                                 [&](const Segment& s) { return s.contains(image.entry); });
  if (code == image.segments.end())
    fail(image, fmt::format("its entry {:#x} lies in none of its segments", image.entry));
  return static_cast<size_t>(code - image.segments.begin());
}

void check_segments(const Image& image) {
  for (size_t i = 0; i < image.segments.size(); ++i) {
    const Segment& a = image.segments[i];
    if (a.bytes.size() > a.memory_bytes || a.memory_bytes > kMostBytes) {
      fail(image, fmt::format("its segment of {:#x} bytes at {:#x} is larger than L1", a.memory_bytes, a.address));
    }
    for (size_t k = 0; k < i; ++k) {
      const Segment& b = image.segments[k];
      if (a.address - b.address < b.memory_bytes || b.address - a.address < a.memory_bytes) {
        fail(image, fmt::format("its segments {} and {} overlap", range_of(b), range_of(a)));
      }
    }
  }
}

// Initial values go behind the code, where the linker script has said that they are.
void append_initial_values(Image& image, Segment& code, const Segment& variables) {
  if (variables.bytes.empty()) return;
  const uint32_t offset = variables.load_address - code.address;
  if (variables.load_address == variables.address || offset < code.bytes.size() ||
      offset > kMostBytes - variables.bytes.size()) {
    fail(image,
         fmt::format("the initial values of {} are not behind its code, which ends at {:#x}: link it with Kerr's "
                     "script (kerr_add_kernel of CMake does)",
                     range_of(variables), code.address + code.bytes.size()));
  }
  code.bytes.resize(offset);
  code.bytes.insert(code.bytes.end(), variables.bytes.begin(), variables.bytes.end());
  code.memory_bytes = static_cast<uint32_t>(code.bytes.size());
}

// Where the linker put a word, as an offset into the joined code; nothing for what is not loaded.
struct Places {
  const Segment& code;  // before initial values were appended
  const std::vector<Segment>& variables;

  bool moves(uint32_t target) const { return target - code.address <= code.memory_bytes; }
  uint64_t offset_of(uint32_t address) const {
    if (code.contains(address)) return address - code.address;
    for (const Segment& v : variables) {
      if (address - v.address < v.bytes.size()) return uint64_t{v.load_address - code.address} + (address - v.address);
    }
    return ~uint64_t{0};
  }
};

class Rewriter {
 public:
  Rewriter(Image& image, std::vector<uint8_t>& bytes, const Places& places)
      : image_(image), bytes_(bytes), places_(places) {}

  // In two passes: a lower half follows what became of its auipc.
  void run() {
    for (const Relocation& r : image_.relocations) first(r);
    for (const Relocation& r : image_.relocations) second(r);
    image_.relocations = std::move(left_);
  }

 private:
  uint32_t word_at(uint64_t offset) const {
    uint32_t word;
    std::memcpy(&word, &bytes_[offset], 4);
    return word;
  }
  void put(uint64_t offset, uint32_t word) { std::memcpy(&bytes_[offset], &word, 4); }

  uint64_t offset_of(const Relocation& r) const {
    const uint64_t offset = places_.offset_of(r.address);
    if (offset > bytes_.size() || bytes_.size() - offset < 4)
      fail(image_, fmt::format("a relocation for {} lies at {:#x}, outside its code and data", name_of(r), r.address));
    return offset;
  }

  void first(const Relocation& r) {
    switch (r.kind) {
      case Kind::PcHi20: return pc_relative(r, offset_of(r));
      case Kind::Word:
      case Kind::Hi20:
      case Kind::Lo12I:
      case Kind::Lo12S: return absolute(r, offset_of(r));
      case Kind::Near:
        if (!places_.moves(r.target))
          fail(image_, fmt::format("it calls or jumps to {}, which is not part of it", name_of(r)));
        return;
      case Kind::Global:
        if (places_.moves(r.target))
          fail(image_, fmt::format("it reaches {}, which moves with its code, by way of gp", name_of(r)));
        return;
      case Kind::Table:
        fail(image_,
             fmt::format("it reaches {} by way of a table that nobody fills (relocation {}): compile without -fpic "
                         "and thread_local",
                         name_of(r), r.type));
      case Kind::Unknown: fail(image_, fmt::format("nobody knows relocation {} for {}", r.type, name_of(r)));
      case Kind::PcLo12I:
      case Kind::PcLo12S: return;
    }
  }

  void second(const Relocation& r) {
    if (r.kind != Kind::PcLo12I && r.kind != Kind::PcLo12S) return;
    const auto pair = pairs_.find(r.target);
    if (pair == pairs_.end())
      fail(image_, fmt::format("the instruction at {:#x} is half of a pair whose auipc at {:#x} is not there",
                               r.address, r.target));
    if (places_.moves(pair->second)) return;  // relative to the pc, as it was
    const uint64_t offset = offset_of(r);
    put(offset, with_target(word_at(offset), r.kind == Kind::PcLo12I ? Kind::Lo12I : Kind::Lo12S, pair->second));
  }

  // Code moves and local RAM does not: an auipc that leads there becomes a lui.
  void pc_relative(const Relocation& r, uint64_t offset) {
    pairs_[r.address] = r.target;
    if (places_.moves(r.target)) return;
    const uint32_t word = word_at(offset);
    if ((word & 0x7F) != kAuipc)
      fail(image_, fmt::format("the relocation for {} at {:#x} belongs to no auipc", name_of(r), r.address));
    put(offset, with_target((word & 0xF80) | kLui, Kind::Hi20, r.target));
  }

  void absolute(const Relocation& r, uint64_t offset) {
    if (!places_.moves(r.target)) return;
    Relocation left = r;
    left.address = static_cast<uint32_t>(places_.code.address + offset);
    left_.push_back(std::move(left));
  }

  Image& image_;
  std::vector<uint8_t>& bytes_;
  const Places& places_;
  std::map<uint32_t, uint32_t> pairs_;  // target by address of the auipc
  std::vector<Relocation> left_;
};

}  // namespace

Image kernel_code(Image image) {
  if (image.segments.empty() || (image.segments.size() == 1 && image.relocations.empty())) return image;
  check_segments(image);
  const size_t at = code_segment(image);
  const Segment code = image.segments[at];
  std::vector<Segment> variables = std::move(image.segments);
  variables.erase(variables.begin() + static_cast<ptrdiff_t>(at));
  image.segments = {code};
  if (!variables.empty() && !is_kind(image, Use::Kind::StartUp)) {
    const Segment& first = variables.front();
    fail(image,
         fmt::format(
             "it has a second segment of {} bytes at {:#x}{}, and nobody prepares data for it. Build it with "
             "kerr_add_kernel of CMake (docs/guide/kernels-in-cpp.md), or link constants behind the code, and keep "
             "variables on the stack or in L1 that an argument points to (docs/guide/c-kernels.md)",
             first.memory_bytes, first.address, first.writable ? " (.data or .bss)" : ""));
  }
  for (const Segment& v : variables) {
    if (v.executable) fail(image, fmt::format("it has a second segment of code at {:#x}", v.address));
  }
  std::ranges::sort(variables, {}, &Segment::load_address);
  Segment& joined = image.segments[0];
  for (const Segment& v : variables) append_initial_values(image, joined, v);
  Rewriter(image, joined.bytes, Places{code, variables}).run();
  return image;
}

}  // namespace kerr::image
