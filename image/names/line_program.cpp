#include "image/names/line_program.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "image/names/byte_reader.hpp"

namespace kerr::image {

namespace {

using isa::LineEntry;

// Files from anywhere may say the same again and again.
constexpr size_t kMostLines = 1 << 17, kMostNames = 1 << 17;  // of all units

// DW_FORM_*, DW_LNCT_*, DW_LNS_* and DW_LNE_* of the DWARF 5 standard, 7.5.6 and 7.22.
enum Form : uint64_t {
  kBlock = 0x09,
  kData1 = 0x0b,
  kData2 = 0x05,
  kData4 = 0x06,
  kData8 = 0x07,
  kData16 = 0x1e,
  kString = 0x08,
  kStrp = 0x0e,
  kUdata = 0x0f,
  kLineStrp = 0x1f,
};
enum Content : uint64_t { kPath = 1, kDirectory = 2 };
enum Standard : uint8_t {
  kExtended,
  kCopy,
  kAdvancePc,
  kAdvanceLine,
  kSetFile,
  kSetColumn,
  kNegate,
  kBlockBegin,
  kConstAddPc,
  kFixedAdvancePc,
  kPrologueEnd,
  kEpilogueBegin,
  kSetIsa,
};
enum Extended : uint8_t { kEndSequence = 1, kSetAddress = 2 };

struct File {
  std::string name;
  uint64_t directory = 0;
};

class Unit {
 public:
  Unit(ByteReader unit, const LineSections& sections, size_t& names, size_t& lines, LineUnit& out)
      : in_(unit), sections_(sections), names_(names), lines_(lines), out_(out) {}

  void read() {
    version_ = static_cast<int>(in_.number(2));
    if (version_ < 2 || version_ > 5) return;
    if (version_ == 5) in_.skip(2);  // sizes of addresses and segments
    const uint64_t header = in_.number(4);
    ByteReader program = in_.from(in_.at() + header);
    instruction_ = std::max<uint32_t>(in_.byte(), 1);
    if (version_ >= 4) in_.skip(1);  // operations of an instruction
    in_.skip(1);                     // whether lines begin as statements
    line_base_ = static_cast<int8_t>(in_.byte());
    line_range_ = in_.byte();
    opcode_base_ = in_.byte();
    for (int op = 1; op < opcode_base_; ++op) operands_.push_back(in_.byte());
    version_ == 5 ? read_tables() : read_lists();
    for (const File& file : files_) out_.files.push_back(path(file));
    if (in_.ok() && line_range_ != 0) run(program);
  }

 private:
  void read_lists() {
    directories_.emplace_back();
    while (in_.ok() && ++names_ < kMostNames) {
      std::string text = in_.text();
      if (text.empty()) break;
      directories_.push_back(std::move(text));
    }
    files_.emplace_back();
    while (in_.ok() && ++names_ < kMostNames) {
      File file{in_.text()};
      if (file.name.empty()) break;
      file.directory = in_.uleb();
      in_.uleb();
      in_.uleb();
      files_.push_back(std::move(file));
    }
  }
  void read_tables() {
    for (File& directory : read_table()) directories_.push_back(std::move(directory.name));
    files_ = read_table();
  }
  std::vector<File> read_table() {
    std::vector<std::pair<uint64_t, uint64_t>> format(in_.byte());
    for (auto& [content, form] : format) {
      content = in_.uleb();
      form = in_.uleb();
    }
    std::vector<File> out;
    for (uint64_t count = in_.uleb(); count > 0 && in_.ok() && ++names_ < kMostNames; --count) {
      File& file = out.emplace_back();
      for (const auto& [content, form] : format) {
        std::string text;
        const uint64_t number = value(form, text);
        if (content == kPath) file.name = std::move(text);
        if (content == kDirectory) file.directory = number;
      }
      if (format.empty()) break;
    }
    return out;
  }
  uint64_t value(uint64_t form, std::string& text) {
    switch (form) {
      case kString: text = in_.text(); return 0;
      case kLineStrp: text = ByteReader(sections_.line_texts).from(in_.number(4)).text(); return 0;
      case kStrp: text = ByteReader(sections_.texts).from(in_.number(4)).text(); return 0;
      case kData1: return in_.number(1);
      case kData2: return in_.number(2);
      case kData4: return in_.number(4);
      case kData8: return in_.number(8);
      case kData16: in_.skip(16); return 0;
      case kUdata: return in_.uleb();
      case kBlock: in_.skip(in_.uleb()); return 0;
      default: in_.skip(~uint64_t{0}); return 0;  // how long it is, nobody knows
    }
  }

  void run(ByteReader program) {
    reset();
    while (!program.done() && program.ok() && lines_ < kMostLines) {
      const uint8_t op = program.byte();
      if (op >= opcode_base_) {
        const uint32_t n = op - opcode_base_;
        address_ += n / line_range_ * instruction_;
        line_ += static_cast<uint32_t>(line_base_) + n % line_range_;
        add();
        continue;
      }
      switch (op) {
        case kExtended: extended(program.part(program.uleb())); break;
        case kCopy: add(); break;
        case kAdvancePc: address_ += static_cast<uint32_t>(program.uleb()) * instruction_; break;
        case kAdvanceLine: line_ += static_cast<uint32_t>(program.sleb()); break;
        case kSetFile: file_ = program.uleb(); break;
        case kConstAddPc: address_ += (255u - opcode_base_) / line_range_ * instruction_; break;
        case kFixedAdvancePc: address_ += static_cast<uint32_t>(program.number(2)); break;
        default:
          for (uint8_t n = operands_[op - 1u]; n > 0; --n) program.uleb();
      }
    }
  }
  void extended(ByteReader op) {
    switch (op.byte()) {
      case kEndSequence:
        out_.lines.push_back({address_, "", 0, ""});
        reset();
        break;
      case kSetAddress: address_ = static_cast<uint32_t>(op.number(std::min<size_t>(op.left(), 8))); break;
      default: break;
    }
  }
  void reset() {
    address_ = 0;
    line_ = 1;
    file_ = 1;
  }
  void add() {
    ++lines_;
    const auto file = static_cast<size_t>(file_);
    out_.lines.push_back({address_, file < out_.files.size() ? out_.files[file] : "", line_, ""});
  }
  std::string path(const File& file) const {
    // Directory 0 is the one that the compiler ran in.
    if (file.directory == 0 || file.directory >= directories_.size() || file.name.starts_with('/')) return file.name;
    return directories_[static_cast<size_t>(file.directory)] + "/" + file.name;
  }

  ByteReader in_;
  const LineSections& sections_;
  size_t &names_, &lines_;  // read so far
  LineUnit& out_;
  int version_ = 0;
  uint32_t instruction_ = 1;
  int8_t line_base_ = 0;
  uint8_t line_range_ = 0, opcode_base_ = 0;
  std::vector<uint8_t> operands_;  // of the standard opcodes from 1 on
  std::vector<std::string> directories_;
  std::vector<File> files_;

  uint32_t address_ = 0, line_ = 1;
  uint64_t file_ = 1;
};

}  // namespace

std::vector<LineUnit> read_line_units(const LineSections& sections) {
  std::vector<LineUnit> out;
  ByteReader in(sections.lines);
  size_t names = 0, lines = 0;
  while (!in.done() && in.ok() && lines < kMostLines && names < kMostNames) {
    LineUnit unit{.offset = in.at()};
    const uint64_t length = in.number(4);
    if (length >= 0xFFFF'FFF0) break;  // of 64 bits
    Unit(in.part(length), sections, names, lines, unit).read();
    out.push_back(std::move(unit));
  }
  return out;
}

std::vector<LineEntry> merged_lines(std::vector<LineUnit> units) {
  std::vector<LineEntry> all, once;
  for (LineUnit& unit : units) std::ranges::move(unit.lines, std::back_inserter(all));
  // At one address an end of a sequence comes before the next one's first line, and the last of several lines counts.
  std::ranges::stable_sort(all, [](const LineEntry& a, const LineEntry& b) {
    return a.address != b.address ? a.address < b.address : (a.line == 0) > (b.line == 0);
  });
  for (LineEntry& line : all) {
    if (!once.empty() && once.back().address == line.address) once.pop_back();
    once.push_back(std::move(line));
  }
  return once;
}

}  // namespace kerr::image
