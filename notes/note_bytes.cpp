#include "notes/note_bytes.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "emu/snapshot/archive.hpp"
#include "emu/snapshot/chunk_file.hpp"
#include "image/image.hpp"

namespace kerr::notes {

namespace {

using emu::Archive;
namespace note = arch::note;

constexpr size_t kMost = size_t{1} << 20;       // elements of a list
constexpr size_t kMostBytes = size_t{1} << 28;  // of a segment
constexpr size_t kMostTiles = size_t{1} << 12;
constexpr size_t kMostText = size_t{1} << 16;
constexpr int kUseKinds = static_cast<int>(image::UseKind::Hart) + 1;

/// Gives the parts of notes to an archive, which saves or loads.
class Parts {
 public:
  Parts(Archive& archive, Images& images) : a_(archive), images_(images) {}

  void operator()(note::Booted& n) {
    list(n.tiles, kMostTiles);
    for (note::Code& code : n.firmware) part(code);
    a_(n.chip);
  }
  void operator()(note::Allocated& n) {
    a_(n.id);
    a_.below(2, n.space);
    a_(n.address, n.per_bank, n.bytes, n.page_bytes, n.stride, n.pages_per_shard);
    list(n.banks, kMostTiles);
    a_(n.chip);
  }
  void operator()(note::Named& n) {
    a_(n.id);
    text(n.name);
    a_(n.chip);
  }
  void operator()(note::Freed& n) { a_(n.id, n.chip); }
  void operator()(note::Launched& n) {
    a_(n.id);
    text(n.program);
    list(n.groups, kMostTiles);
    a_(n.config_begin, n.config_end);
    list(n.circular_buffers, kMost);
    list(n.semaphores, kMost);
    a_(n.l1_begin, n.l1_end, n.chip);
  }
  void operator()(note::Ended& n) { a_(n.id, n.chip); }

 private:
  void text(std::string& t) { a_.text(t, kMostText); }

  template <class T>
  void list(std::vector<T>& values, size_t most) {
    auto count = static_cast<uint32_t>(values.size());
    a_(count);
    a_.require(count <= most, "a list of a note is too long");
    if (a_.loading()) {
      values.clear();
      for (uint32_t i = 0; i < count; ++i) part(values.emplace_back());  // grows with what is really there
    } else {
      for (T& value : values) part(value);
    }
  }

  void part(uint32_t& n) { a_(n); }
  void part(arch::NocCoord& at) { a_(at.x, at.y); }
  void part(note::Code& code) {
    text(code.name);
    a_(code.address, code.bytes, code.image_address);
    image(code.image);
  }
  void part(note::Launched::Kernel& k) {
    a_.below(arch::kHarts, k.hart);
    part(k.code);
    a_(k.args_address, k.common_args_address, k.common_args_words);
    list(k.args_words, kMostTiles);
  }
  void part(note::Launched::CircularBuffer& b) { a_(b.id, b.address, b.bytes, b.pages, b.page_bytes); }
  void part(note::Launched::Semaphore& s) { a_(s.address, s.initial); }
  void part(note::Launched::Group& g) {
    list(g.cores, kMostTiles);
    list(g.slots, kMostTiles);
    list(g.kernels, arch::kHarts);
    for (const note::Launched::Kernel& k : g.kernels)
      a_.require(k.args_words.size() <= g.cores.size(), "a kernel has arguments for more cores than its group");
    a_.require(g.slots.size() <= g.cores.size(), "a group has more slots than cores");
  }

  void image(std::shared_ptr<const image::Image>& p) {
    uint32_t number = 0;
    const auto known = static_cast<uint32_t>(images_.all.size());
    if (!a_.loading() && p != nullptr) {
      number = images_.numbers.try_emplace(p.get(), known + 1).first->second;
      if (number > known) images_.all.push_back(p);
    }
    a_(number);
    a_.require(number <= known + 1, "a note names an image that no note has brought");
    if (number <= known) {
      if (a_.loading()) p = number == 0 ? nullptr : images_.all[number - 1];
      return;
    }
    auto copy = std::make_shared<image::Image>(a_.loading() ? image::Image{} : *p);
    contents(*copy);
    if (!a_.loading()) return;
    images_.all.push_back(copy);
    p = std::move(copy);
  }
  void contents(image::Image& i) {
    text(i.name);
    a_(i.entry);
    list(i.segments, kMost);
    list(i.symbols, kMost);
    list(i.lines, kMost);
    list(i.comments, kMost);
    list(i.uses, kMost);
  }
  void part(image::Segment& s) {
    a_(s.address, s.load_address, s.memory_bytes, s.executable, s.writable);
    a_.blob(s.bytes, kMostBytes);
    a_.require(s.bytes.size() <= s.memory_bytes, "a segment of an image holds more than its memory");
  }
  void part(image::Symbol& s) {
    text(s.name);
    a_(s.address, s.size_bytes);
    a_.below(3, s.kind);
  }
  void part(image::LineEntry& l) {
    a_(l.address, l.line, l.inner_line);
    text(l.file);
    text(l.function);
    text(l.inner_file);
  }
  void part(image::Use& u) {
    a_.below(kUseKinds, u.kind);
    a_(u.value);
  }
  void part(image::Comment& c) {
    a_(c.address);
    text(c.text);
  }

  Archive& a_;
  Images& images_;
};

class SpanSource final : public emu::ByteSource {
 public:
  explicit SpanSource(std::span<const uint8_t> bytes) : rest_(bytes) {}
  void read(std::span<uint8_t> out) override {
    if (out.size() > rest_.size()) throw emu::SnapshotError("a note of the input log is cut off");
    std::copy_n(rest_.begin(), out.size(), out.begin());
    rest_ = rest_.subspan(out.size());
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::span<const uint8_t> rest_;
};

template <size_t kKind = 0>
note::Note note_of_kind(size_t kind) {
  if constexpr (kKind < std::variant_size_v<note::Note>) {
    if (kind == kKind) return note::Note(std::in_place_index<kKind>);
    return note_of_kind<kKind + 1>(kind);
  } else {
    throw emu::SnapshotError("the input log holds a note of an unknown kind");
  }
}

}  // namespace

std::vector<uint8_t> NoteWriter::bytes_of(const note::Note& note) {
  emu::MemorySink sink;
  sink.data.reserve(4096);  // most notes are no longer
  emu::SaveArchive archive(sink);
  auto kind = static_cast<uint8_t>(note.index());
  archive(kind);
  note::Note copy = note;
  std::visit(Parts(archive, images_), copy);
  return std::move(sink.data);
}

note::Note NoteReader::note_of(std::span<const uint8_t> bytes) {
  SpanSource source(bytes);
  emu::LoadArchive archive(source);
  uint8_t kind = 0;
  archive(kind);
  note::Note out = note_of_kind(kind);
  std::visit(Parts(archive, images_), out);
  if (!source.at_end()) throw emu::SnapshotError("a note of the input log is longer than what it says");
  return out;
}

}  // namespace kerr::notes
