#include "cli/dumps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>

#include "isa/riscv/registers.hpp"

namespace kerr::cli {

namespace {

using jobs::Element;
using jobs::RunHart;
using jobs::RunOutcome;

// Words if they are whole, else bytes.
bool as_words(const jobs::RunDump& dump) { return dump.bytes.size() % 4 == 0 && dump.address % 4 == 0; }

std::string hex_at(const std::byte* bytes, bool word) {
  if (!word) return fmt::format("{:02x}", static_cast<unsigned>(*bytes));
  uint32_t value;
  std::memcpy(&value, bytes, sizeof value);
  return fmt::format("{:08x}", value);
}

std::string number_text(Element element, const std::byte* bytes) {
  const double value = jobs::number_at(element, bytes);
  if (!jobs::info(element).is_float) return fmt::format("{}", static_cast<int64_t>(value));
  return element == Element::Fp32 ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{:.6g}", value);
}

constexpr size_t kColumns = 8;

}  // namespace

std::string_view name_of(RunHart::End end) {
  constexpr std::string_view kNames[] = {"returned", "paused", "loops in place", "waits", "runs", "faulted"};
  return kNames[static_cast<size_t>(end)];
}

std::string_view name_of(RunOutcome::End end) {
  constexpr std::string_view kNames[] = {"finished", "faulted", "deadlocked", "out of cycles"};
  return kNames[static_cast<size_t>(end)];
}

std::string registers_text(const RunHart& hart, const std::string& indent) {
  std::string out;
  const auto add = [&](const std::array<uint32_t, 32>& values, auto name) {
    for (uint8_t i = 0; i < values.size(); ++i) {
      if (i % 4 == 0) out += indent;
      out += fmt::format("{:<4} {:08x}{}", name(i), values[i], i % 4 == 3 ? "\n" : "   ");
    }
  };
  add(hart.x, [](uint8_t i) { return isa::name(isa::Reg{i}); });
  if (std::ranges::any_of(hart.f, [](uint32_t bits) { return bits != 0; }))
    add(hart.f, [](uint8_t i) { return isa::name(isa::FReg{i}); });
  return out;
}

std::string memory_text(const jobs::PlacedData& asked, const jobs::RunDump& dump, const std::string& indent) {
  const bool semaphores = asked.place.area == jobs::Place::Area::Semaphores;
  // Pages of DRAM lie in several banks: there it is the offset in the buffer.
  const bool pages = asked.place.area == jobs::Place::Area::Buffer && !dump.core;
  const uint64_t begin = pages ? 0 : dump.address;
  const bool words = as_words(dump);
  const size_t step = asked.element ? jobs::info(*asked.element).bytes : words ? 4 : 1;
  const size_t columns = asked.element || words ? kColumns : 2 * kColumns;
  std::vector<std::string> all;
  size_t width = 0;
  for (size_t at = 0; at < dump.bytes.size(); at += step) {
    all.push_back(asked.element ? number_text(*asked.element, &dump.bytes[at]) : hex_at(&dump.bytes[at], words));
    width = std::max(width, all.back().size());
  }
  std::string out;
  for (size_t i = 0; i < all.size(); ++i) {
    if (i % columns == 0)
      out += semaphores ? fmt::format("{}{:>10}:", indent, i) : fmt::format("{}{:#010x}:", indent, begin + i * step);
    out += fmt::format(" {:>{}}", all[i], width);
    if (i % columns == columns - 1 || i + 1 == all.size()) out += '\n';
  }
  return out;
}

report::Json registers_json(const RunHart& hart) {
  report::Json x = report::Json::object(), f = report::Json::object();
  for (uint8_t i = 0; i < hart.x.size(); ++i) x[isa::name(isa::Reg{i})] = hart.x[i];
  for (uint8_t i = 0; i < hart.f.size(); ++i) f[isa::name(isa::FReg{i})] = hart.f[i];
  return {{"x", x}, {"f", f}};
}

report::Json memory_json(const jobs::PlacedData& asked, const jobs::RunDump& dump) {
  const Element element = asked.element.value_or(as_words(dump) ? Element::U32 : Element::U8);
  const jobs::ElementInfo& of = jobs::info(element);
  report::Json values = report::Json::array();
  for (size_t at = 0; at < dump.bytes.size(); at += of.bytes) {
    const double value = jobs::number_at(element, &dump.bytes[at]);
    values.push_back(of.is_float ? report::Json(value) : report::Json(static_cast<int64_t>(value)));
  }
  report::Json json = {{"what", asked.text}, {"address", dump.address}, {"format", of.name}};
  json["core"] = dump.core ? report::Json::array() : report::Json();
  if (dump.core) {
    json["core"].push_back(dump.core->x);
    json["core"].push_back(dump.core->y);
  }
  json["values"] = std::move(values);
  return json;
}

}  // namespace kerr::cli
