#include "jobs/run/places.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <vector>

#include "arch/memory_map.hpp"
#include "isa/text/parts.hpp"
#include "isa/text/whole_number.hpp"
#include "jobs/run/cores.hpp"
#include "jobs/run/words.hpp"

namespace kerr::jobs {

namespace {

constexpr const char* kForms =
    "a place is NAME, l1:ADDRESS+BYTES, dram:ADDRESS+BYTES, reg or sem; @COLUMN,ROW behind the first word names a "
    "core, @BANK a bank";

[[noreturn]] void refuse(std::string_view text, std::string_view why) {
  throw std::invalid_argument(fmt::format("'{}': {}", text, why));
}

// "0x10000+64": what stands before the mark, and behind it if it is there.
struct Pair {
  Pair(std::string_view text, char mark) : first(text.substr(0, text.find(mark))) {
    if (first.size() < text.size()) second = text.substr(first.size() + 1);
  }
  std::string_view first;
  std::optional<std::string_view> second;
};

uint64_t number(std::string_view text, std::string_view digits, const char* what) {
  const auto value = isa::text::whole_number(digits);
  if (!value) refuse(text, fmt::format("'{}' is no {}", digits, what));
  return *value;
}

void set_bytes(std::string_view text, std::optional<std::string_view> digits, Place& place) {
  if (!digits) return;
  place.bytes = number(text, *digits, "number of bytes");
  if (*place.bytes == 0) refuse(text, "no bytes are asked for");
}

void set_range(std::string_view text, std::string_view range, Place& place) {
  const Pair parts(range, '+');
  place.address = number(text, parts.first, "address");
  set_bytes(text, parts.second, place);
  const bool l1 = place.area == Place::Area::L1;
  const uint64_t end = l1 ? arch::kL1Bytes : arch::kDramRegisterBase;
  if (place.address >= end || (place.bytes && *place.bytes > end - place.address))
    refuse(text, fmt::format("{} ends at {:#x}", l1 ? "L1" : "a bank of DRAM", end));
}

Place::Area area_of(std::string_view word) {
  return word == "l1"     ? Place::Area::L1
         : word == "dram" ? Place::Area::Dram
         : word == "reg"  ? Place::Area::Registers
         : word == "sem"  ? Place::Area::Semaphores
                          : Place::Area::Buffer;
}

// "l1@1,2", "dram@3", "buffer+64".
void set_head(std::string_view text, std::string_view head, Place& place) {
  const Pair with_length(head, '+');
  const Pair with_owner(with_length.first, '@');
  place.area = area_of(with_owner.first);
  if (place.area == Place::Area::Buffer) {
    if (!looks_like_name(with_owner.first)) refuse(text, kForms);
    place.name = with_owner.first;
    set_bytes(text, with_length.second, place);
  } else if (with_length.second) {
    refuse(text, kForms);
  }
  if (!with_owner.second) return;
  if (place.area != Place::Area::Dram) {
    place.core = parse_core(*with_owner.second);
    return;
  }
  const uint64_t bank = number(text, *with_owner.second, "bank of DRAM");
  if (bank >= arch::kDramBanks) refuse(text, fmt::format("banks are 0 to {}", arch::kDramBanks - 1));
  place.bank = static_cast<uint32_t>(bank);
}

}  // namespace

PlacedData parse_placed_data(std::string_view text) {
  PlacedData out{.place = {}, .element = {}, .file = {}, .text = std::string(text)};
  const Pair with_file(text, '=');
  if (with_file.second && with_file.second->empty()) refuse(text, "a file is missing behind '='");
  out.file = with_file.second.value_or("");
  const std::vector<std::string_view> parts = isa::text::parts(with_file.first, ':');
  set_head(text, parts[0], out.place);
  const bool has_address = out.place.area == Place::Area::L1 || out.place.area == Place::Area::Dram;
  const size_t needed = has_address ? 2 : 1;
  if (parts.size() < needed || parts.size() > needed + 1) refuse(text, kForms);
  if (has_address) set_range(text, parts[1], out.place);
  const bool has_elements = has_address || out.place.area == Place::Area::Buffer;
  if (parts.size() > needed && !has_elements) refuse(text, "its words have no other format");
  if (parts.size() > needed) out.element = parse_element(parts[needed]);
  return out;
}

}  // namespace kerr::jobs
