// A code as bytes, for caches. Nothing in them is believed: lengths are checked, and what cannot be is refused.
#include <cstring>
#include <stdexcept>
#include <type_traits>

#include "loops/scalar/compile.hpp"
#include "loops/scalar/others.hpp"

namespace kerr::loops::scalar {
namespace {

constexpr uint32_t kMagic = 0x314C4353;  // "SCL1"

class Writer {
 public:
  template <class T>
  void number(T value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    const auto word = static_cast<uint64_t>(value);
    for (size_t k = 0; k < 8; ++k) out.push_back(static_cast<std::byte>(word >> (8 * k)));
  }
  void text(const std::string& value) {
    number(value.size());
    for (char c : value) out.push_back(static_cast<std::byte>(c));
  }
  template <class Range, class Each>
  void list(const Range& values, Each&& each) {
    number(values.size());
    for (const auto& value : values) each(value);
  }
  std::vector<std::byte> out;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  uint64_t number(uint64_t most = ~0ull) {
    need(8);
    uint64_t value = 0;
    for (size_t k = 0; k < 8; ++k) value |= static_cast<uint64_t>(bytes_[k]) << (8 * k);
    bytes_ = bytes_.subspan(8);
    if (value > most) damaged();
    return value;
  }
  uint32_t word() { return static_cast<uint32_t>(number(0xFFFFFFFF)); }
  std::string text() {
    const uint64_t size = number();
    need(size);
    std::string out(reinterpret_cast<const char*>(bytes_.data()), size);
    bytes_ = bytes_.subspan(size);
    return out;
  }
  template <class T, class Each>
  void list(std::vector<T>& out, size_t least_bytes, Each&& each) {
    const uint64_t size = number();
    if (size > bytes_.size() / least_bytes) damaged();
    for (uint64_t k = 0; k < size; ++k) out.push_back(each());
  }
  void end() const {
    if (!bytes_.empty()) damaged();
  }
  [[noreturn]] static void damaged() {
    throw std::invalid_argument("this is no code of a loop program, or it is damaged");
  }

 private:
  void need(uint64_t size) const {
    if (size > bytes_.size()) damaged();
  }
  std::span<const std::byte> bytes_;
};

}  // namespace

std::vector<std::byte> to_bytes(const Code& code) {
  Writer w;
  w.number(kMagic);
  w.number(code.harvesting.tensix_columns);
  w.number(code.harvesting.ethernet);
  w.number(code.harvesting.dram_banks);
  w.number(code.harvesting.pcie_instance);
  w.number(code.options.check_bounds);
  w.number(code.options.max_harts);
  w.list(code.facts.object, [&](uint32_t x) { w.number(x); });
  w.list(code.facts.misaligned, [&](bool x) { w.number(x); });
  w.number(code.work_bytes);
  w.number(code.instructions_worth_a_hart);
  w.list(code.nest.loops, [&](uint32_t x) { w.number(x); });
  w.text(code.nest.why_not);
  w.number(code.sharing.has_value());
  if (code.sharing) {
    w.number(code.sharing->iterations);
    w.number(code.sharing->instructions);
    w.number(code.sharing->independent);
    w.text(code.sharing->why_not);
  }
  w.list(code.remarks, [&](const std::string& x) { w.text(x); });
  w.text(std::string(code.text.bytes.begin(), code.text.bytes.end()));
  w.list(code.text.symbols, [&](const isa::Symbol& x) {
    w.text(x.name);
    w.number(x.address);
    w.number(x.size_bytes);
    w.number(x.kind);
  });
  w.list(code.text.lines, [&](const isa::LineEntry& x) {
    w.number(x.address);
    w.text(x.file);
    w.number(x.line);
  });
  return std::move(w.out);
}

Code from_bytes(std::span<const std::byte> bytes) {
  Reader r(bytes);
  if (r.number() != kMagic) Reader::damaged();
  Code code;
  code.harvesting.tensix_columns = static_cast<uint16_t>(r.number(0xFFFF));
  code.harvesting.ethernet = static_cast<uint16_t>(r.number(0xFFFF));
  code.harvesting.dram_banks = static_cast<uint8_t>(r.number(0xFF));
  code.harvesting.pcie_instance = static_cast<uint8_t>(r.number(0xFF));
  if (!arch::is_valid(code.harvesting)) Reader::damaged();
  code.options.check_bounds = r.number(1) != 0;
  code.options.max_harts = r.word();
  r.list(code.facts.object, 8, [&] { return r.word(); });
  r.list(code.facts.misaligned, 8, [&] { return r.number(1) != 0; });
  code.work_bytes = static_cast<uint32_t>(r.number(1 << 20));
  code.instructions_worth_a_hart = r.number();
  if (code.instructions_worth_a_hart == 0) Reader::damaged();
  r.list(code.nest.loops, 8, [&] { return r.word(); });
  code.nest.why_not = r.text();
  if (r.number(1) != 0) {
    Sharing sharing;
    sharing.iterations = r.number();
    sharing.instructions = r.number();
    sharing.independent = r.number(1) != 0;
    sharing.why_not = r.text();
    code.sharing = sharing;
  }
  r.list(code.remarks, 8, [&] { return r.text(); });
  const std::string text = r.text();
  code.text.bytes.assign(text.begin(), text.end());
  if (code.text.bytes.size() % 4 != 0 || code.text.bytes.empty()) Reader::damaged();
  r.list(code.text.symbols, 32, [&] {
    isa::Symbol x{.name = r.text()};
    x.address = r.word();
    x.size_bytes = r.word();
    x.kind = static_cast<isa::Symbol::Kind>(r.number(2));
    return x;
  });
  r.list(code.text.lines, 24, [&] {
    isa::LineEntry x{.address = r.word()};
    x.file = r.text();
    x.line = r.word();
    return x;
  });
  r.end();
  code.others = std::make_shared<Code::Others>();
  return code;
}

}  // namespace kerr::loops::scalar
