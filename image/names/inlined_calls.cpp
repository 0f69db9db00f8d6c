#include "image/names/inlined_calls.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "image/names/byte_reader.hpp"

namespace kerr::image {

namespace {

using isa::LineEntry;

// Files from anywhere may name the same code again and again.
constexpr size_t kMostCalls = 1 << 14, kMostPairs = 1 << 24, kMostEntries = 1 << 22, kMostAttributes = 1 << 16;

// DW_TAG_*, DW_AT_* and DW_RLE_* of the DWARF 5 standard, 7.5.3, 7.5.4 and 7.25.
constexpr uint64_t kInlinedSubroutine = 0x1d, kLowPc = 0x11, kHighPc = 0x12, kStatements = 0x10, kRanges = 0x55,
                   kCallFile = 0x58, kCallLine = 0x59, kImplicitConstant = 0x21;

struct Attribute {
  uint64_t name = 0, form = 0;
  int64_t constant = 0;  // of an implicit one
};
struct Abbreviation {
  uint64_t tag = 0;
  std::vector<Attribute> attributes;
};
struct Value {
  uint64_t number = 0;
  bool is_address = false, is_index = false;
};
struct Call {
  uint32_t begin = 0, end = 0, line = 0;
};

// By the forms of 7.5.6; false: how long it is, nobody knows.
bool read_value(ByteReader& in, const Attribute& a, Value& out) {
  const auto fixed = [&](size_t bytes) { out.number = in.number(bytes); };
  uint64_t form = a.form;
  for (int indirect = 0; form == 0x16 && indirect < 4; ++indirect) form = in.uleb();
  switch (form) {
    case 0x01:
      out.is_address = true;
      fixed(4);
      break;
    case 0x0b:
    case 0x0c:
    case 0x11:
    case 0x25:
    case 0x29: fixed(1); break;
    case 0x05:
    case 0x12:
    case 0x26:
    case 0x2a: fixed(2); break;
    case 0x27:
    case 0x2b: fixed(3); break;
    case 0x06:
    case 0x0e:
    case 0x10:
    case 0x13:
    case 0x17:
    case 0x1c:
    case 0x1d:
    case 0x1f:
    case 0x28:
    case 0x2c:
    case 0x1f20:
    case 0x1f21: fixed(4); break;
    case 0x07:
    case 0x14:
    case 0x20:
    case 0x24: fixed(8); break;
    case 0x1e: in.skip(16); break;
    case 0x08: in.text(); break;
    case 0x0d: out.number = static_cast<uint64_t>(in.sleb()); break;
    case 0x0f:
    case 0x15: out.number = in.uleb(); break;
    case 0x1a:
    case 0x1b:
    case 0x22:
    case 0x23:
      out.is_index = true;
      out.number = in.uleb();
      break;
    case 0x03: in.skip(in.number(2)); break;
    case 0x04: in.skip(in.number(4)); break;
    case 0x0a: in.skip(in.number(1)); break;
    case 0x09:
    case 0x18: in.skip(in.uleb()); break;
    case 0x19: out.number = 1; break;
    case kImplicitConstant: out.number = static_cast<uint64_t>(a.constant); break;
    default: return false;
  }
  return in.ok();
}

std::map<uint64_t, Abbreviation> read_abbreviations(ByteReader in) {
  std::map<uint64_t, Abbreviation> out;
  size_t attributes = 0;
  while (in.ok() && !in.done() && attributes < kMostAttributes) {
    const uint64_t code = in.uleb();
    if (code == 0) break;
    Abbreviation a{.tag = in.uleb()};
    in.skip(1);  // whether others are below it: their order is that of the bytes
    for (; in.ok() && ++attributes < kMostAttributes;) {
      Attribute attribute{in.uleb(), in.uleb()};
      if (attribute.form == kImplicitConstant) attribute.constant = in.sleb();
      if (attribute.name == 0 && attribute.form == 0) break;
      a.attributes.push_back(attribute);
    }
    out.emplace(code, std::move(a));
  }
  return out;
}

class Description {
 public:
  Description(const CallSections& sections, std::vector<LineUnit>& units) : sections_(sections), units_(units) {}

  void read(ByteReader in) {
    version_ = static_cast<int>(in.number(2));
    if (version_ < 2 || version_ > 5) return;
    if (version_ == 5) in.skip(2);  // kind and size of an address
    const auto abbreviations = read_abbreviations(ByteReader(sections_.abbreviations).from(in.number(4)));
    if (version_ < 5) in.skip(1);
    LineUnit* unit = nullptr;
    std::vector<Call> calls;
    for (bool first = true; in.ok() && !in.done() && calls.size() < kMostCalls && ++entries_ < kMostEntries;) {
      const uint64_t code = in.uleb();
      if (code == 0) continue;
      const auto a = abbreviations.find(code);
      if (a == abbreviations.end()) break;
      std::map<uint64_t, Value> values;
      for (const Attribute& attribute : a->second.attributes) {
        Value value;
        if (!read_value(in, attribute, value)) return apply(unit, calls);
        values.emplace(attribute.name, value);
      }
      if (std::exchange(first, false)) {
        base_ = number(values, kLowPc);
        const auto found = std::ranges::find(units_, number(values, kStatements), &LineUnit::offset);
        if (!values.contains(kStatements) || found == units_.end()) return;
        unit = &*found;
      } else if (a->second.tag == kInlinedSubroutine) {
        add(values, *unit, calls);
      }
    }
    apply(unit, calls);
  }

 private:
  using Values = std::map<uint64_t, Value>;

  static uint64_t number(const Values& values, uint64_t name) {
    const auto found = values.find(name);
    return found == values.end() || found->second.is_index ? 0 : found->second.number;
  }
  // Calls that stand in the file of the unit itself.
  void add(const Values& values, const LineUnit& unit, std::vector<Call>& calls) const {
    const uint64_t file = number(values, kCallFile);
    const auto line = static_cast<uint32_t>(number(values, kCallLine));
    if (line == 0 || unit.files.size() < 2 || file >= unit.files.size()) return;
    if (unit.files[static_cast<size_t>(file)] != unit.files[1]) return;
    const auto put = [&](uint64_t begin, uint64_t end) {
      if (begin < end && end <= UINT32_MAX && calls.size() < kMostCalls)
        calls.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end), line});
    };
    if (const auto high = values.find(kHighPc); high != values.end()) {
      const uint64_t low = number(values, kLowPc);
      return put(low, high->second.is_address ? high->second.number : low + high->second.number);
    }
    if (!values.contains(kRanges)) return;
    const uint64_t at = number(values, kRanges);
    version_ == 5 ? read_range_list(ByteReader(sections_.range_lists).from(at), put)
                  : read_ranges(ByteReader(sections_.ranges).from(at), put);
  }
  template <class Put>
  void read_ranges(ByteReader in, Put put) const {
    for (uint64_t base = base_; in.ok();) {
      const uint64_t begin = in.number(4), end = in.number(4);
      if (begin == 0 && end == 0) return;
      if (begin == UINT32_MAX) {
        base = end;
      } else {
        put(base + begin, base + end);
      }
    }
  }
  template <class Put>
  void read_range_list(ByteReader in, Put put) const {
    for (uint64_t base = base_; in.ok();) {
      switch (in.byte()) {
        case 4: {
          const uint64_t begin = in.uleb(), end = in.uleb();
          put(base + begin, base + end);
          break;
        }
        case 5: base = in.number(4); break;
        case 6: {
          const uint64_t begin = in.number(4), end = in.number(4);
          put(begin, end);
          break;
        }
        case 7: {
          const uint64_t begin = in.number(4), length = in.uleb();
          put(begin, begin + length);
          break;
        }
        default: return;  // the end, or indices into tables that no linked kernel has
      }
    }
  }

  // The last call that covers an address is the innermost one.
  static void apply(LineUnit* unit, const std::vector<Call>& calls) {
    if (unit == nullptr || unit->files.size() < 2) return;
    const std::string own = unit->files[1];
    std::map<uint32_t, LineEntry*> by_address;
    for (LineEntry& line : unit->lines) {
      if (line.line != 0) by_address[line.address] = &line;
    }
    if (calls.size() * by_address.size() > kMostPairs) return;
    for (auto call = calls.rbegin(); call != calls.rend(); ++call) {
      for (auto at = by_address.lower_bound(call->begin); at != by_address.end() && at->first < call->end; ++at) {
        LineEntry& line = *at->second;
        if (!line.inner_file.empty() || line.file == own) continue;
        line.inner_file = std::exchange(line.file, own);
        line.inner_line = std::exchange(line.line, call->line);
      }
    }
  }

  const CallSections& sections_;
  std::vector<LineUnit>& units_;
  int version_ = 0;
  uint64_t base_ = 0;
  size_t entries_ = 0;
};

}  // namespace

void name_callers(const CallSections& sections, std::vector<LineUnit>& units) {
  Description description(sections, units);
  for (ByteReader in(sections.info); !in.done() && in.ok();) {
    const uint64_t length = in.number(4);
    if (length >= 0xFFFF'FFF0) return;  // of 64 bits
    description.read(in.part(length));
  }
}

}  // namespace kerr::image
