#include "prints/device_print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <utility>

#include "image/code_finder.hpp"
#include "prints/stock.hpp"

namespace kerr::prints {

namespace {

using Bytes = std::span<const uint8_t>;

// Little-endian; 0 beyond the end.
uint64_t number_in(Bytes bytes, size_t at, unsigned count) {
  uint64_t value = 0;
  for (unsigned i = 0; i < count && at + i < bytes.size(); ++i) value |= uint64_t{bytes[at + i]} << 8 * i;
  return value;
}

// {N,T:SPEC}. An enumeration's T is /e_B_Name or /E_B_Name, where B is the type of its values.
struct Place {
  size_t begin = 0, end = 0;  // in the format, with its braces
  uint32_t number = 0;
  char type = 0;
  std::string enumeration, spec;
};

std::optional<Place> place_at(std::string_view format, size_t begin) {
  const size_t end = format.find('}', begin);
  if (end == format.npos) return std::nullopt;
  Place place{.begin = begin, .end = end + 1};
  std::string_view inner = format.substr(begin + 1, end - begin - 1);
  size_t digits = 0;
  for (; digits < inner.size() && inner[digits] >= '0' && inner[digits] <= '9'; ++digits)
    place.number = std::min(place.number * 10 + static_cast<uint32_t>(inner[digits] - '0'), 1000u);
  if (digits == 0 || digits >= inner.size() || inner[digits] != ',') return std::nullopt;
  inner.remove_prefix(digits + 1);
  constexpr size_t kEnumHead = 5;  // /e_B_
  if (inner.size() > kEnumHead && inner[0] == '/' && inner[2] == '_' && inner[4] == '_') {
    place.type = inner[3];
    inner.remove_prefix(kEnumHead);
    // A name may hold "::"; what it means begins behind a single colon.
    size_t at = 0;
    while (at < inner.size() && (inner[at] != ':' || inner.substr(at, 2) == "::")) at += inner[at] == ':' ? 2 : 1;
    place.enumeration = inner.substr(0, at);
    inner.remove_prefix(std::min(at, inner.size()));
  } else if (!inner.empty()) {
    place.type = inner[0];
    inner.remove_prefix(1);
  }
  if (place.type == 0 || (!inner.empty() && inner[0] != ':')) return std::nullopt;
  if (!inner.empty()) place.spec = inner.substr(1);
  return place;
}

// Bytes of a value that begins at `at`; 0: there is no such type.
size_t size_of(char type, Bytes values, size_t at) {
  constexpr size_t kSliceHead = 16;
  switch (type) {
    case 'b':
    case 'B':
    case '?': return 1;
    case 'h':
    case 'H':
    case 'e':
    case 'E':
    case 'w': return 2;
    case 'i':
    case 'I':
    case 'f':
    case 'p':
    case 's': return 4;
    case 'q':
    case 'Q':
    case 'd': return 8;
    case 't': return kSliceHead + number_in(values, at + kSliceHead - 1, 1);  // a slice of a tile says how long it is
    case 'A': return 4 * (1 + number_in(values, at + 2, 2));                  // words, behind their type and number
    default: return 0;
  }
}

// A spec that does not suit the value is as if there were none.
template <class T>
std::string formatted(const T& value, std::string_view spec) {
  size_t digits = 0;
  const bool is_wide = std::ranges::any_of(spec, [&](char c) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    return digits > 3;
  });
  if (spec.empty() || is_wide) return fmt::format("{}", value);
  try {
    return fmt::format(fmt::runtime(fmt::format("{{:{}}}", spec)), value);
  } catch (const fmt::format_error&) {
    return fmt::format("{}", value);
  }
}

std::string value_of(char type, Bytes bytes, std::string_view spec, const StringAt& string_at) {
  const uint64_t bits = number_in(bytes, 0, 8);
  switch (type) {
    case 'b': return formatted(static_cast<int>(static_cast<int8_t>(bits)), spec);
    case 'B': return formatted(static_cast<unsigned>(static_cast<uint8_t>(bits)), spec);
    case 'h': return formatted(static_cast<int>(static_cast<int16_t>(bits)), spec);
    case 'H': return formatted(static_cast<unsigned>(static_cast<uint16_t>(bits)), spec);
    case 'i': return formatted(static_cast<int32_t>(bits), spec);
    case 'I': return formatted(static_cast<uint32_t>(bits), spec);
    case 'q': return formatted(static_cast<int64_t>(bits), spec);
    case 'Q': return formatted(bits, spec);
    case 'f': return formatted(std::bit_cast<float>(static_cast<uint32_t>(bits)), spec);
    case 'd': return formatted(std::bit_cast<double>(bits), spec);
    case '?': return formatted((bits & 0xFF) != 0 ? std::string("true") : std::string("false"), spec);
    case 'w': return formatted(std::bit_cast<float>(static_cast<uint32_t>(bits & 0xFFFF) << 16), spec);
    case 'e': return formatted(fmt::format("bf4({:#06x})", bits & 0xFFFF), spec);
    case 'E': return formatted(fmt::format("bf8({:#06x})", bits & 0xFFFF), spec);
    case 'p': return formatted(fmt::format("{:#x}", bits & 0xFFFF'FFFF), spec);
    case 's': return formatted(string_at(static_cast<uint32_t>(bits)), spec);
    case 't': {
      StockItems slice;
      std::string out;
      for (const std::string& line : slice.take_slice(bytes)) out += line + "\n";
      return out + slice.rest();
    }
    default: {  // words
      std::string out;
      for (size_t at = 4; at + 4 <= bytes.size(); at += 4)
        out += fmt::format("{}{:#x}", out.empty() ? "" : " ", number_in(bytes, at, 4));
      return out;
    }
  }
}

}  // namespace

std::string text_of_device_print(std::string_view format, Bytes values, const StringAt& string_at) {
  std::vector<Place> places;
  for (size_t at = 0; at < format.size(); ++at) {
    if (format[at] != '{') continue;
    if (format.substr(at, 2) == "{{") {
      ++at;
    } else if (auto place = place_at(format, at)) {
      at = place->end - 1;
      places.push_back(std::move(*place));
    }
  }
  std::map<uint32_t, std::pair<char, Bytes>> by_number;  // behind one another in this order
  for (const Place& place : places) by_number.try_emplace(place.number, place.type, Bytes());
  size_t at = 0;
  for (auto& [number, value] : by_number) {
    const size_t size = size_of(value.first, values, at);
    if (size == 0) break;  // where the others lie is not known
    if (at <= values.size() && size <= values.size() - at) value.second = values.subspan(at, size);
    at += size;
  }
  const auto unescaped = [&](std::string_view part) {
    std::string out;
    for (size_t i = 0; i < part.size(); ++i) {
      out += part[i];
      if (i + 1 < part.size() && (part[i] == '{' || part[i] == '}') && part[i + 1] == part[i]) ++i;
    }
    return out;
  };
  std::string out;
  size_t done = 0;
  for (const Place& place : places) {
    out += unescaped(format.substr(done, place.begin - done));
    done = place.end;
    const auto& [type, bytes] = by_number.at(place.number);
    if (bytes.empty()) {
      out += size_of(type, {}, 0) == 0 ? fmt::format("(a value of unknown type '{}')", type) : "?";
    } else if (place.enumeration.empty()) {
      out += value_of(type, bytes, place.spec, string_at);
    } else {
      out += fmt::format("({}){}", place.enumeration, value_of(type, bytes, "", string_at));
    }
  }
  return out + unescaped(format.substr(done));
}

// --- files -----------------------------------------------------------------------------------------------------------

void DeviceFiles::add(ElfFile file) {
  if (file.device.empty()) return;
  file.contents = nullptr;  // all of the file: prints need no more of it
  const bool is_firmware = ("/" + file.path).find("/firmware/") != std::string::npos;
  files_.push_back({std::move(file), is_firmware});
}

const ElfFile* DeviceFiles::find(size_t hart, bool is_kernel, Bytes l1) const {
  std::vector<const ElfFile*> candidates;
  for (const File& file : files_) {
    const auto own = file.elf.hart();
    if ((!own || *own == static_cast<arch::Hart>(hart)) && file.is_firmware == !is_kernel)
      candidates.push_back(&file.elf);
  }
  if (candidates.size() == 1) return candidates[0];
  const image::CodeFinder finder(l1);
  std::erase_if(candidates, [&](const ElfFile* file) { return finder.places(*file->image).empty(); });
  return candidates.size() == 1 ? candidates[0] : nullptr;
}

// --- records ---------------------------------------------------------------------------------------------------------

void DeviceRecords::written(uint32_t wpos, Bytes data, Bytes l1, const DeviceFiles& files, const StringOf& string_of,
                            const Say& say) {
  if (wpos == stock::kStarting || wpos == stock::kDisabled) {
    on_ = wpos == stock::kStarting;
    shown_ = 0;
    return;
  }
  const uint32_t end = wpos & ~device_print::kStalled;
  if (!on_ || end > data.size()) return;
  if (end < shown_) shown_ = 0;  // the writer has begun again at the front
  while (shown_ + 4 <= end) {
    const auto header = static_cast<uint32_t>(number_in(data, shown_, 4));
    constexpr uint32_t kNewKernel = 0x3FF;
    const uint32_t payload = header >> 6 & 0x3FF;
    const bool is_new = payload == kNewKernel;
    const size_t bytes = is_new ? 0 : payload;
    if (bytes > end - shown_ - 4) {
      const size_t hart = header >> 1 & 31;
      say({hart < arch::kHarts ? hart : 0, "", "(the print buffer is damaged: a record does not end in it)"});
      shown_ = end;
      return;
    }
    record(header, data.subspan(shown_ + 4, bytes), l1, files, string_of, say);
    shown_ += static_cast<uint32_t>(4 + bytes);
  }
}

void DeviceRecords::record(uint32_t header, Bytes values, Bytes l1, const DeviceFiles& files, const StringOf& string_of,
                           const Say& say) {
  const bool is_kernel = (header & 1) != 0;
  const uint32_t hart = header >> 1 & 31, payload = header >> 6 & 0x3FF, id = header >> 16;
  if (hart >= arch::kHarts) return say({0, "", fmt::format("(a print of hart {}, which there is not)", hart)});
  Hart& of = harts_[hart];
  if (payload != values.size()) {  // a new kernel
    of = {.kernel = id};
    return;
  }
  auto& file = of.files[is_kernel ? 1 : 0];
  if (!file) file = files.find(hart, is_kernel, l1);
  const auto info = *file ? (*file)->device.at(id) : std::nullopt;
  if (!info) {
    std::string text = fmt::format("print {} of {}:", id, is_kernel ? fmt::format("kernel {}", of.kernel) : "firmware");
    for (size_t at = 0; at < values.size(); at += 4) text += fmt::format(" {:#x}", number_in(values, at, 4));
    return say({hart, "", text});
  }
  const StringAt string_at = [&](uint32_t address) {
    const auto in_file = (*file)->device.string_at(address);
    return in_file ? *in_file : string_of(hart, address);
  };
  say({hart, fmt::format("{}:{}", info->file.substr(info->file.find_last_of('/') + 1), info->line),
       text_of_device_print(info->format, values, string_at)});
}

}  // namespace kerr::prints
