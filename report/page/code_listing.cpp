#include "report/page/code_listing.hpp"

#include <algorithm>
#include <tuple>

#include "image/image.hpp"
#include "isa/disassembler.hpp"
#include "report/page/packed.hpp"
#include "report/page/sources.hpp"

namespace kerr::report {

namespace {

constexpr size_t kMostWords = 20'000;  // Tensix words of one code that are shown

// All tiles together.
struct Total {
  CodeUse use;
  uint64_t tiles = 0;
};

void add(Total& total, const CodeUse& use) {
  ++total.tiles;
  for (const auto& [place, of] : use.places) {
    CodeUse::Place& sum = total.use.places[place];
    sum.times += of.times;
    sum.cycles += of.cycles;
    sum.word = of.word;
  }
  for (const auto& [key, of] : use.words) {
    CodeUse::Word& sum = total.use.words[key];
    sum.times += of.times;
    sum.busy += of.busy;
  }
}

class Lines {
 public:
  Lines(const ProfiledCode& code, Sources& sources) : code_(code), sources_(sources) {}

  // The index of the line that a place is from; -1: not known.
  int64_t index(uint32_t place) {
    const isa::LineEntry* line = code_.image ? code_.image->line_at(code_.image_address + place) : nullptr;
    const isa::Symbol* symbol = code_.image ? code_.image->symbol_at(code_.image_address + place) : nullptr;
    if (line == nullptr && symbol == nullptr) return -1;
    Line key;
    if (line != nullptr) key = {line->file, line->line, line->function, line->inner_file, line->inner_line};
    if (symbol != nullptr && (line == nullptr || line->function.empty())) key.function = symbol->name;
    const auto [at, is_new] = known_.try_emplace(key, json_.size());
    if (is_new) json_.push_back(key);
    return static_cast<int64_t>(at->second);
  }
  Json json() const {
    Json out = Json::array();
    for (const Line& line : json_) {
      Json one = Json::object();
      one["file"] = line.file;
      one["line"] = line.line;
      one["function"] = line.function;
      if (!line.inner_file.empty()) {
        one["inner_file"] = line.inner_file;
        one["inner_line"] = line.inner_line;
      }
      const bool inner = !line.inner_file.empty();
      if (std::string text = sources_.line(inner ? line.inner_file : line.file, inner ? line.inner_line : line.line);
          !text.empty())
        one["text"] = std::move(text);
      out.push_back(std::move(one));
    }
    return out;
  }

 private:
  struct Line {
    std::string file;
    uint32_t line = 0;
    std::string function, inner_file;
    uint32_t inner_line = 0;
    friend auto operator<=>(const Line&, const Line&) = default;
  };
  const ProfiledCode& code_;
  Sources& sources_;
  std::map<Line, size_t> known_;
  std::vector<Line> json_;
};

const char* kind_name(ProfiledCode::Kind kind) {
  constexpr const char* names[] = {"kernel", "firmware", "unknown"};
  return names[static_cast<size_t>(kind)];
}

Json json_of(const ProfiledCode& code, const Total& total, Sources& sources) {
  const bool known = code.kind != ProfiledCode::Kind::Unknown;
  Lines lines(code, sources);
  Json places = Json::array(), words = Json::array();
  for (const auto& [place, of] : total.use.places) {
    places.push_back(Json::array());
    const uint32_t pc = known ? code.image_address + place : place;
    for (Json& field : std::vector<Json>{place, isa::disassemble(of.word, pc), lines.index(place), of.times, of.cycles})
      places.back().push_back(std::move(field));
  }
  std::vector<std::pair<std::pair<uint32_t, uint32_t>, CodeUse::Word>> most(total.use.words.begin(),
                                                                            total.use.words.end());
  if (most.size() > kMostWords) {
    std::ranges::stable_sort(most, std::greater<>{}, [](const auto& w) { return w.second.times; });
    most.resize(kMostWords);
    std::ranges::sort(most, {}, [](const auto& w) { return w.first; });
  }
  for (const auto& [key, of] : most) {
    words.push_back(Json::array());
    for (Json& field : std::vector<Json>{key.first, isa::disassemble_tensix(key.second), of.times, of.busy})
      words.back().push_back(std::move(field));
  }
  Json out = Json::object();
  out["name"] = code.name;
  out["hart"] = arch::kHartNames[static_cast<size_t>(code.hart)];
  out["kind"] = kind_name(code.kind);
  out["tiles"] = total.tiles;
  out["places"] = std::move(places);
  out["words"] = std::move(words);
  out["lines"] = lines.json();
  return out;
}

}  // namespace

Json code_listing(const Profile& profile, int chip, std::string& bytes) {
  std::map<size_t, Total> totals;
  std::vector<std::pair<uint8_t, std::vector<CodeUse>>> nodes;
  for (int node = 0; node < arch::kGridTiles; ++node) {
    std::vector<CodeUse> uses = profile.uses(static_cast<uint8_t>(node), chip);
    for (const CodeUse& use : uses) add(totals[use.code], use);
    if (!uses.empty()) nodes.emplace_back(static_cast<uint8_t>(node), std::move(uses));
  }
  Sources sources;
  std::map<size_t, size_t> shown;  // index among those that were executed
  Json out = Json::array();
  for (const auto& [code, total] : totals) {
    shown.emplace(code, shown.size());
    out.push_back(json_of(profile.code()[code], total, sources));
  }
  put_number(bytes, nodes.size());
  for (const auto& [node, uses] : nodes) {
    put_number(bytes, node);
    put_number(bytes, uses.size());
    std::string all;
    for (const CodeUse& use : uses) {
      put_number(all, shown.at(use.code));
      put_number(all, use.places.size());
      uint32_t last = 0;
      for (const auto& [place, of] : use.places) {
        for (const uint64_t number : {uint64_t{(place - last) / 4}, of.times, of.cycles}) put_number(all, number);
        last = place;
      }
    }
    put_number(bytes, all.size());
    bytes += all;
  }
  return out;
}

}  // namespace kerr::report
