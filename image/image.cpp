#include "image/image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kerr::image {
namespace {

// The last entry at or below `address` in a vector sorted by address, or end().
template <class T>
auto last_at(const std::vector<T>& entries, uint32_t address) {
  const auto after = std::upper_bound(entries.begin(), entries.end(), address,
                                      [](uint32_t a, const T& entry) { return a < entry.address; });
  return after == entries.begin() ? entries.end() : std::prev(after);
}

const Segment* segment_of(const Image& image, uint32_t address) {
  for (const Segment& segment : image.segments) {
    if (segment.contains(address)) return &segment;
  }
  return nullptr;
}

std::string_view base_name(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

}  // namespace

Image Image::from(const isa::Code& code, std::string name) {
  Image image;
  image.name = std::move(name);
  image.entry = code.base;
  image.segments.push_back({.address = code.base,
                            .load_address = code.base,
                            .bytes = code.bytes,
                            .memory_bytes = static_cast<uint32_t>(code.bytes.size()),
                            .executable = true});
  image.symbols = code.symbols;
  image.lines = code.lines;
  image.comments = code.comments;
  return image;
}

const Symbol* Image::symbol(std::string_view symbol_name) const {
  for (const Symbol& s : symbols) {
    if (s.name == symbol_name) return &s;
  }
  return nullptr;
}

const Symbol* Image::symbol_at(uint32_t address) const {
  const auto nearest = last_at(symbols, address);
  if (nearest == symbols.end()) return nullptr;
  for (auto s = nearest;; --s) {
    if (s->kind == Symbol::Kind::Function && address - s->address < s->size_bytes) return &*s;
    if (s == symbols.begin()) break;
  }
  const Segment* segment = segment_of(*this, address);
  return segment && segment->contains(nearest->address) ? &*nearest : nullptr;
}

const LineEntry* Image::line_at(uint32_t address) const {
  const auto line = last_at(lines, address);
  if (line == lines.end() || line->line == 0) return nullptr;
  const Segment* segment = segment_of(*this, address);
  return segment && segment->contains(line->address) ? &*line : nullptr;
}

std::string_view Image::comment_at(uint32_t address) const {
  const auto comment = last_at(comments, address);
  return comment == comments.end() || comment->address != address ? std::string_view{} : comment->text;
}

std::optional<uint32_t> Image::word_at(uint32_t address) const {
  const Segment* segment = segment_of(*this, address);
  if (!segment || segment->memory_bytes < 4 || address - segment->address > segment->memory_bytes - 4) return {};
  uint32_t word = 0;
  for (uint32_t k = 0; k < 4; ++k) {
    const size_t at = size_t{address - segment->address} + k;
    if (at < segment->bytes.size()) word |= uint32_t{segment->bytes[at]} << 8 * k;
  }
  return word;
}

std::string Image::describe(uint32_t address) const {
  std::string text;
  const LineEntry* line = line_at(address);
  if (const Symbol* s = symbol_at(address)) {
    text = s->kind == Symbol::Kind::Function ? s->name + "()" : s->name;
    if (address != s->address) text += fmt::format("+{:#x}", address - s->address);
  } else if (line && !line->function.empty()) {
    text = line->function;
  }
  if (line) text += fmt::format("{}{}:{}", text.empty() ? "" : "  ", base_name(line->file), line->line);
  if (line && !line->inner_file.empty()) text += fmt::format(" ({}:{})", base_name(line->inner_file), line->inner_line);
  return text;
}

std::string Image::listing() const {
  std::string text;
  for (const Segment& segment : segments) {
    if (!segment.executable) continue;
    isa::Code code;
    code.base = segment.address;
    for (const Symbol& s : symbols) {
      if (s.kind != Symbol::Kind::Data && segment.contains(s.address)) code.symbols.push_back(s);
    }
    if (!code.symbols.empty()) code.base = code.symbols.front().address;
    const size_t skipped = std::min<size_t>(code.base - segment.address, segment.bytes.size());
    code.bytes.assign(segment.bytes.begin() + static_cast<ptrdiff_t>(skipped), segment.bytes.end());
    for (const Comment& c : comments) {
      if (c.address >= code.base && segment.contains(c.address)) code.comments.push_back(c);
    }
    text += code.listing();
  }
  return text;
}

Image Image::moved_by(uint32_t delta) const {
  Image moved = *this;
  moved.entry += delta;
  // What leads elsewhere, to registers for example, leads there from every place.
  const auto leads_out = [&](const Relocation& r) {
    return std::ranges::none_of(segments, [&](const Segment& s) { return r.target - s.address <= s.memory_bytes; });
  };
  std::erase_if(moved.relocations, leads_out);
  for (Segment& s : moved.segments) {
    relocate(s.bytes, s.address, moved.relocations, delta);
    s.address += delta, s.load_address += delta;
  }
  for (Relocation& r : moved.relocations) r.address += delta, r.target += delta;
  for (Symbol& s : moved.symbols) s.address += delta;
  for (LineEntry& l : moved.lines) l.address += delta;
  for (Comment& c : moved.comments) c.address += delta;
  return moved;
}

}  // namespace kerr::image
