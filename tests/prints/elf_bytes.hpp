// A small ELF file with code and sections, as a kernel of tt-metal has them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kerr::prints {

struct SectionBytes {
  std::string name;
  uint32_t address = 0;
  std::vector<uint8_t> bytes;
};

/// 32-bit RISC-V. `code`: its one segment, at `code_address`.
inline std::vector<uint8_t> elf_bytes(uint32_t code_address, const std::vector<uint8_t>& code,
                                      std::vector<SectionBytes> sections) {
  std::vector<uint8_t> out(52 + 32);
  const auto put = [&](size_t at, uint32_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) out.at(at + i) = static_cast<uint8_t>(value >> 8 * i);
  };
  const auto append = [&](const std::vector<uint8_t>& bytes) {
    const auto at = static_cast<uint32_t>(out.size());
    out.insert(out.end(), bytes.begin(), bytes.end());
    return at;
  };
  std::vector<uint8_t> names{0};
  std::vector<uint32_t> name_at, place;
  sections.push_back({".shstrtab", 0, {}});
  for (const SectionBytes& section : sections) {
    name_at.push_back(static_cast<uint32_t>(names.size()));
    names.insert(names.end(), section.name.begin(), section.name.end());
    names.push_back(0);
  }
  sections.back().bytes = names;
  const uint32_t code_place = append(code);
  for (const SectionBytes& section : sections) place.push_back(append(section.bytes));
  while (out.size() % 4 != 0) out.push_back(0);
  const auto table = static_cast<uint32_t>(out.size());
  out.resize(out.size() + 40 * sections.size());
  for (size_t i = 0; i < sections.size(); ++i) {
    const size_t at = table + 40 * i;
    put(at, name_at[i], 4);
    put(at + 4, 1, 4);
    put(at + 12, sections[i].address, 4);
    put(at + 16, place[i], 4);
    put(at + 20, static_cast<uint32_t>(sections[i].bytes.size()), 4);
  }
  const uint8_t head[] = {0x7F, 'E', 'L', 'F', 1, 1, 1};
  for (size_t i = 0; i < sizeof head; ++i) out[i] = head[i];
  put(16, 2, 2);    // executable
  put(18, 243, 2);  // RISC-V
  put(20, 1, 4);
  put(24, code_address, 4);
  put(28, 52, 4);
  put(32, table, 4);
  put(40, 52, 2);
  put(42, 32, 2);
  put(44, 1, 2);
  put(46, 40, 2);
  put(48, static_cast<uint32_t>(sections.size()), 2);
  put(50, static_cast<uint32_t>(sections.size() - 1), 2);
  put(52, 1, 4);  // a segment to load
  put(56, code_place, 4);
  put(60, code_address, 4);
  put(64, code_address, 4);
  put(68, static_cast<uint32_t>(code.size()), 4);
  put(72, static_cast<uint32_t>(code.size()), 4);
  put(76, 5, 4);
  return out;
}

/// Formats of DEVICE_PRINT as the two sections that hold them.
struct DeviceFormat {
  std::string format, file;
  uint32_t line = 0;
};
inline std::vector<SectionBytes> device_sections(const std::vector<DeviceFormat>& formats) {
  constexpr uint32_t kInfo = 0x0600'0000, kStrings = 0x0650'0000;
  SectionBytes info{".device_print_strings_info", kInfo, {}}, strings{".device_print_strings", kStrings, {}};
  const auto text = [&](const std::string& value) {
    const auto at = kStrings + static_cast<uint32_t>(strings.bytes.size());
    strings.bytes.insert(strings.bytes.end(), value.begin(), value.end());
    strings.bytes.push_back(0);
    return at;
  };
  for (const DeviceFormat& format : formats) {
    for (const uint32_t word : {text(format.format), text(format.file), format.line, 0u})
      for (unsigned i = 0; i < 4; ++i) info.bytes.push_back(static_cast<uint8_t>(word >> 8 * i));
  }
  return {info, strings};
}

}  // namespace kerr::prints
