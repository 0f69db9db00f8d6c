#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "check/report/baseline.hpp"
#include "check/report/json.hpp"
#include "check/report/report.hpp"
#include "check/report/rules_file.hpp"
#include "check/report/sarif.hpp"
#include "check/report/text.hpp"
#include "tests/fuzz/input.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/fuzz/targets.hpp"

namespace kerr::fuzz {

namespace {

uint64_t hash_of(std::string_view text) {
  uint64_t hash = text.size();
  for (const char c : text) hash = hash * 31 + static_cast<uint8_t>(c);
  return hash;
}

// Up to 200 bytes of any kind.
std::string name(Input& in) {
  std::string out;
  for (uint32_t n = in.below(200); n > 0 && !in.empty(); --n) out += static_cast<char>(in.byte());
  return out;
}

// A file of words that such files have.
std::string of_pieces(Input& in) {
  static constexpr const char* kPieces[] = {"race",
                                            "cb-incomplete",
                                            "*",
                                            "flag",
                                            "monotonic",
                                            "private",
                                            "region",
                                            "0x39800",
                                            "4096",
                                            "# why",
                                            "\n",
                                            " ",
                                            "\t",
                                            "reader*",
                                            "\"reports\"",
                                            "[",
                                            "{",
                                            "}",
                                            "]",
                                            ",",
                                            ":",
                                            "\"fingerprint\"",
                                            "\"00000000000000ff\"",
                                            "\"kerr_check\"",
                                            "1",
                                            "\n# why\nrace a\n"};
  std::string out;
  while (!in.empty()) out += kPieces[in.below(std::size(kPieces))];
  return out;
}

check::Site site(Input& in) {
  check::Site s{
      .op = "read",
      .who = static_cast<check::Site::Who>(in.byte() % 7),
  };
  s.tile.node = static_cast<uint8_t>(in.below(204));
  s.cycle = in.word();
  if (in.byte() % 2 != 0) s.pc = in.word();
  s.word = in.word();
  s.kernel = name(in);
  s.frames.push_back({.function = name(in), .offset = in.byte(), .file = name(in), .line = in.byte()});
  for (uint32_t n = in.below(4); n > 0; --n) s.detail.push_back(name(in));
  return s;
}

// Names are what a kernel's symbols, lines and buffers are: anything.
check::Findings findings(Input& in) {
  check::Findings all;
  for (uint32_t n = in.below(4); n > 0; --n) {
    check::Finding finding{.rule = static_cast<check::Rule>(in.byte() % check::rules().size()), .what = name(in)};
    finding.object = {.space = check::Space::L1, .address = in.word(), .bytes = in.byte(), .name = name(in)};
    if (in.byte() % 2 != 0) finding.first = site(in);
    finding.then = site(in);
    finding.order.push_back(name(in));
    finding.mend.text = name(in);
    all.all.push_back(std::move(finding));
  }
  return all;
}

}  // namespace

uint64_t fuzz_check(std::span<const uint8_t> bytes) {
  Input in(bytes);
  const uint32_t kind = in.byte();
  const std::string text = kind % 4 < 2 ? std::string(in.text()) : of_pieces(in);
  check::RulesFile rules;
  check::Baseline baseline;
  uint64_t hash = 0;
  try {
    if (kind % 2 == 0)
      baseline = check::parse_baseline(text, "fuzz");
    else
      rules = check::parse_rules_file(text, "fuzz");
  } catch (const std::invalid_argument& error) {
    hash = hash_of(error.what());
    require(std::string_view(error.what()).starts_with("'fuzz'"), "an error names its file");
  }
  Input again(bytes);
  const check::Report report = check::report_of(findings(again), &rules, &baseline);
  const std::string written = check::text(report, check::Places(), 32);
  for (size_t begin = 0, end; begin < written.size(); begin = end + 1) {
    end = written.find('\n', begin);
    const bool summary = written.compare(begin, 12, "kerr: check:") == 0;
    require(summary || end - begin <= check::kColumns, "no line of a report is longer than it may be");
  }
  const std::string json = check::json(report, check::Places()).dump(0);
  require(check::parse_baseline(json, "own").known.size() <= report.defects.size(), "a report is a baseline");
  return hash + hash_of(written) + hash_of(json) + hash_of(check::sarif(report, check::Places(), "0").dump(0));
}

}  // namespace kerr::fuzz
