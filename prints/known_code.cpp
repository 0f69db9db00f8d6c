#include "prints/known_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <variant>

#include "isa/hints.hpp"

namespace kerr::prints {

namespace {

std::string_view base_name(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

std::string source_of(const isa::Print& print, const image::Image& image, uint32_t address) {
  if (!print.file.empty()) return fmt::format("{}:{}", base_name(print.file), print.line);
  const image::LineEntry* const line = image.line_at(address);
  return line && line->line != 0 ? fmt::format("{}:{}", base_name(line->file), line->line) : "";
}

// How many of the words around `pc` of L1 are those around `address` of the image, of 17.
int likeness(std::span<const uint8_t> l1, uint32_t pc, const image::Image& image, uint32_t address) {
  int same = 0;
  for (int32_t offset = -32; offset <= 32; offset += 4) {
    const uint32_t at = pc + static_cast<uint32_t>(offset);
    const auto expected = image.word_at(address + static_cast<uint32_t>(offset));
    if (!expected || at > l1.size() || l1.size() - at < 4) continue;
    uint32_t word = 0;
    std::memcpy(&word, l1.data() + at, 4);
    same += word == *expected ? 1 : 0;
  }
  return same;
}

}  // namespace

PrintTable::PrintTable(std::shared_ptr<const image::Image> image) : image_(std::move(image)) {
  for (const image::Comment& comment : image_->comments) {
    auto print = isa::print_in(comment.text);
    const auto word = image_->word_at(comment.address);
    const auto hint = word ? isa::hint::decode(*word) : std::nullopt;
    if (!print || !hint || hint->kind != isa::hint::Kind::Print) continue;
    std::string source = source_of(*print, *image_, comment.address);
    entries_.push_back({comment.address, hint->print_id(), std::move(*print), std::move(source)});
  }
  std::ranges::stable_sort(entries_, {}, &Entry::address);
}

const PrintTable::Entry* PrintTable::at(uint32_t address) const {
  const auto found = std::ranges::lower_bound(entries_, address, {}, &Entry::address);
  return found != entries_.end() && found->address == address ? &*found : nullptr;
}

std::shared_ptr<const PrintTable> KnownCode::table_of(const std::shared_ptr<const image::Image>& image) {
  auto& table = tables_[image.get()];
  if (!table) table = std::make_shared<const PrintTable>(image);  // which keeps the image, so no other is in its place
  return table;
}

void KnownCode::add(std::shared_ptr<const image::Image> image) {
  if (auto table = table_of(image); !table->entries().empty()) anywhere_.push_back(std::move(table));
}

void KnownCode::put(int chip, arch::NocCoord tile, arch::Hart hart, const arch::note::Code& code) {
  if (!code.image) return;
  const Range range{code.address, code.bytes, code.image_address, table_of(code.image)};
  if (range.table->entries().empty()) return;
  std::deque<Range>& ranges = ranges_[{chip, tile}][static_cast<size_t>(hart)];
  std::erase(ranges, range);
  ranges.push_front(range);
  if (ranges.size() > kMostRanges) ranges.pop_back();
}

void KnownCode::noted(const arch::note::Note& note) {
  if (const auto* launched = std::get_if<arch::note::Launched>(&note)) {
    for (const auto& group : launched->groups) {
      for (const auto& kernel : group.kernels) {
        for (const arch::NocCoord core : group.cores) put(launched->chip, core, kernel.hart, kernel.code);
      }
    }
  } else if (const auto* booted = std::get_if<arch::note::Booted>(&note)) {
    for (const arch::NocCoord tile : booted->tiles) {
      for (size_t hart = 0; hart < arch::kHarts; ++hart)
        put(booted->chip, tile, static_cast<arch::Hart>(hart), booted->firmware[hart]);
    }
  }
}

const PrintTable::Entry* KnownCode::find(int chip, arch::NocCoord tile, arch::Hart hart, uint32_t pc, uint32_t id,
                                         std::span<const uint8_t> l1) const {
  if (const auto known = ranges_.find({chip, tile}); known != ranges_.end()) {
    for (const Range& range : known->second[static_cast<size_t>(hart)]) {
      if (pc - range.address >= range.bytes) continue;
      const PrintTable::Entry* const entry = range.table->at(pc - range.address + range.image_address);
      if (entry && entry->id == id) return entry;
    }
  }
  constexpr int kEnough = 6;
  const PrintTable::Entry* best = nullptr;
  int most = kEnough - 1;
  for (const auto& table : anywhere_) {
    for (const PrintTable::Entry& entry : table->entries()) {
      if (entry.id != id) continue;
      const int like = likeness(l1, pc, table->image(), entry.address);
      if (like <= most) continue;
      most = like;
      best = &entry;
    }
  }
  return best;
}

}  // namespace kerr::prints
