#include "report/format_page.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "emu/math/pack_convert.hpp"
#include "emu/math/unpack_convert.hpp"

namespace kerr::report {

using namespace emu::math;

namespace {

std::vector<Format> all_formats() {
  std::vector<Format> formats;
  for (unsigned code = 0; code < 16; ++code) {
    if (is_named(format_from_code(code))) formats.push_back(format_from_code(code));
  }
  return formats;
}

std::string heading(const char* first) {
  std::string line = fmt::format("| {} |", first), rule = "|---|";
  for (const Format out : all_formats()) {
    line += fmt::format(" {} |", name_of(out));
    rule += "---|";
  }
  return line + " Why not the others |\n" + rule + "---|\n";
}

// Each sentence once.
void add_reason(std::string& reasons, const char* why) {
  if (reasons.find(why) != std::string::npos) return;
  reasons += fmt::format("{}{}", reasons.empty() ? "" : "; ", why);
}

std::string unpack_row(Format in) {
  std::string line = fmt::format("| {} ({}) |", name_of(in), code_of(in)), reasons;
  for (const Format out : all_formats()) {
    const UnpackFormat f{.in = in, .out = out};
    const char* to_src = unpack_to_src_refusal(f);
    const char* to_dst = unpack_to_dst_refusal(f);
    if (to_src != nullptr) add_reason(reasons, to_src);
    if (to_dst != nullptr) add_reason(reasons, to_dst);
    line += fmt::format(" {}{} |", to_src == nullptr ? "S" : "", to_dst == nullptr ? "D" : "");
  }
  return line + fmt::format(" {} |\n", reasons);
}

// The settings of the packer that choose among conversions, and the letter of each.
struct Setting {
  char letter;
  bool raw, ten, late_tf32;
};
constexpr Setting kSettings[] = {
    {'p', false, false, false}, {'r', true, false, false}, {'t', false, true, false}, {'l', false, true, true}};

PackFormat pack_format(Format intermediate, Format out, bool read_32b, const Setting& s) {
  return {.intermediate = intermediate,
          .out = out,
          .read_32b = read_32b,
          .read_raw = s.raw,
          .round_10b_mantissa = s.ten,
          .late_tf32 = s.late_tf32};
}

std::string pack_row(Format intermediate, bool read_32b) {
  const char* name = intermediate == Format::Bfp8a  ? "E5M6"
                     : intermediate == Format::Bfp8 ? "E8M6"
                                                    : name_of(intermediate);
  std::string line = fmt::format("| {} ({}) |", name, code_of(intermediate)), reasons;
  for (const Format out : all_formats()) {
    std::string letters;
    for (const Setting& s : kSettings) {
      if (s.late_tf32 && intermediate != Format::Bf16) continue;
      if (pack_refusal(pack_format(intermediate, out, read_32b, s)) == nullptr) letters += s.letter;
    }
    if (letters.empty()) add_reason(reasons, pack_refusal(pack_format(intermediate, out, read_32b, kSettings[0])));
    line += fmt::format(" {} |", letters);
  }
  return line + fmt::format(" {} |\n", reasons);
}

}  // namespace

std::string format_tables() {
  std::string page =
      "### Unpackers: L1 to SrcA, SrcB or Dst\n\n"
      "Rows: the format in L1 (in_data_format of the tile descriptor). Columns: Out_data_format. "
      "S: to SrcA and SrcB; D: to Dst.\n\n" +
      heading("From");
  for (const Format in : all_formats()) page += unpack_row(in);
  for (const bool wide : {false, true}) {
    page += fmt::format(
        "\n### Packer: {}-bit Dst to L1\n\n"
        "Rows: the intermediate format (ALU_FORMAT_SPEC_REG2_Dstacc and In_data_format). Columns: Out_data_format. "
        "p: plain; r: with Read_int8 (raw); t: with Round_10b_mant; l: with Round_10b_mant and TF32 as "
        "In_data_format.\n\n",
        wide ? 32 : 16);
    page += heading("Intermediate");
    for (const Format f : all_formats()) page += pack_row(f, wide);
  }
  return page;
}

}  // namespace kerr::report
