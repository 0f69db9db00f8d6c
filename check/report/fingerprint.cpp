#include "check/report/fingerprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "check/report/places.hpp"

namespace kerr::check {

namespace {

// FNV-1a: the same in every build and on every machine.
uint64_t hash(std::string_view bytes) {
  uint64_t value = 0xcbf29ce484222325;
  for (const char c : bytes) value = (value ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return value;
}

uint32_t opcode(const Site& site) {
  const bool tensix = site.who == Site::Who::Thread || site.who == Site::Who::Unpacker || site.who == Site::Who::Packer;
  return tensix ? site.word >> 24 : site.word & 0x707F;  // of a hart: opcode and funct3
}

std::string text(const Site& site) {
  std::string out = fmt::format("{}|{}|{}|", site.op, name(site.who), site.kernel);
  if (site.word != 0) out += fmt::format("{:x}", opcode(site));
  for (const Frame& frame : site.frames) out += fmt::format("|{}|{}|{}", frame.function, frame.file, frame.line);
  if (site.frames.empty() && site.pc) out += fmt::format("|{:x}", *site.pc);
  return out;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

std::string without_places(std::string_view name) {
  static constexpr std::array<std::string_view, 5> kBefore{"page", "pages", "byte", "bytes", "+"};
  std::string out, last;
  for (size_t at = 0; at < name.size();) {
    size_t end = at;
    if (!is_word(name[at])) {
      if (name[at] == '+') last = "+";
      if (name[at] != ' ' && name[at] != '+' && name[at] != '.') last.clear();
      out += name[at++];
      continue;
    }
    while (end < name.size() && is_word(name[end])) ++end;
    const std::string word(name.substr(at, end - at));
    const bool number = std::ranges::all_of(word, [](unsigned char c) { return std::isdigit(c) != 0; });
    const bool place = word.starts_with("0x") || (number && std::ranges::find(kBefore, last) != kBefore.end());
    if (!place) {
      out += word;
      last = word;
    }
    at = end;
  }
  out.erase(out.find_last_not_of(" +.") + 1);
  return out;
}

uint64_t fingerprint(const Finding& finding) {
  std::string first = finding.first ? text(*finding.first) : "", then = text(finding.then);
  if (then < first) std::swap(first, then);
  return hash(fmt::format("{}\n{}\n{}\n{}\n{}", name(finding.rule), first, then, name(finding.object.space),
                          without_places(finding.object.name)));
}

std::string text_of_fingerprint(uint64_t fingerprint) { return fmt::format("{:016x}", fingerprint); }

}  // namespace kerr::check
