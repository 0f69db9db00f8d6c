#include "prints/elf_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "image/elf_folder.hpp"
#include "image/error.hpp"
#include "image/print_records.hpp"

namespace kerr::prints {

namespace {

using Bytes = std::span<const uint8_t>;

constexpr std::string_view kInfoSection = ".device_print_strings_info", kStringsSection = ".device_print_strings";
constexpr size_t kInfoBytes = 16;

// An ELF header, and tables of it: everything is checked against the file.
class Reader {
 public:
  Reader(Bytes bytes, const std::string& path) : bytes_(bytes), path_(path) {
    constexpr uint8_t kMagic[] = {0x7F, 'E', 'L', 'F'};
    constexpr uint16_t kRiscv = 243;
    if (bytes_.size() < kHeaderBytes || !std::ranges::equal(bytes_.first(sizeof kMagic), kMagic))
      fail("it is no ELF file");
    const bool is_32_bit = bytes_[4] == 1, is_little_endian = bytes_[5] == 1;
    if (!is_32_bit || !is_little_endian || half(18) != kRiscv) fail("it is no ELF file of a 32-bit RISC-V program");
  }

  uint16_t half(size_t at) const { return static_cast<uint16_t>(part(at, 2)[0] | part(at, 2)[1] << 8); }
  uint32_t word(size_t at) const { return half(at) | static_cast<uint32_t>(half(at + 2)) << 16; }
  Bytes part(size_t at, size_t bytes) const {
    if (at > bytes_.size() || bytes > bytes_.size() - at) fail("it is damaged: something lies behind its end");
    return bytes_.subspan(at, bytes);
  }
  [[noreturn]] void fail(std::string_view why) const { throw image::Error(fmt::format("{}: {}", path_, why)); }

  /// act(where the header lies) for each entry of the table whose place, size of an entry and count lie there.
  template <class Act>
  void each(size_t place, size_t size_at, size_t count_at, size_t least, const Act& act) const {
    const size_t size = half(size_at), count = half(count_at);
    if (count != 0 && size < least) fail("it is damaged: a table's entries are too small");
    for (size_t i = 0; i < count; ++i) {
      part(word(place) + i * size, size);
      act(word(place) + i * size);
    }
  }

 private:
  static constexpr size_t kHeaderBytes = 52;
  Bytes bytes_;
  const std::string& path_;
};

std::string text_in(Bytes bytes, size_t at) {
  constexpr size_t kMost = 4096;
  const auto begin = bytes.begin() + static_cast<ptrdiff_t>(std::min(at, bytes.size()));
  return {begin, std::find(begin, begin + std::min<ptrdiff_t>(kMost, bytes.end() - begin), uint8_t{0})};
}

image::Image segments_of(const Reader& file, const std::string& path) {
  constexpr uint32_t kLoad = 1, kExecutable = 1, kWritable = 2, kMostBytes = 4u << 20;
  uint64_t all = 0;
  image::Image image{.name = path, .entry = file.word(24)};
  file.each(28, 42, 44, 32, [&](size_t at) {
    if (file.word(at) != kLoad) return;
    const Bytes bytes = file.part(file.word(at + 4), file.word(at + 16));
    const uint32_t memory_bytes = std::max(file.word(at + 20), file.word(at + 16));
    if ((all += memory_bytes) > kMostBytes) file.fail("its segments are larger than all memory");
    image.segments.push_back({.address = file.word(at + 8),
                              .load_address = file.word(at + 12),
                              .bytes = {bytes.begin(), bytes.end()},
                              .memory_bytes = memory_bytes,
                              .executable = (file.word(at + 24) & kExecutable) != 0,
                              .writable = (file.word(at + 24) & kWritable) != 0});
  });
  return image;
}

}  // namespace

ElfFile ElfFile::read(const std::string& path) {
  constexpr size_t kMostBytes = size_t{256} << 20;  // a device has no end
  std::ifstream stream(path, std::ios::binary);
  std::vector<uint8_t> bytes;
  std::array<char, 1 << 16> part;
  // read() keeps to itself what the buffer below it throws, of a folder for example.
  while (stream.is_open() && bytes.size() <= kMostBytes &&
         (stream.read(part.data(), part.size()) || stream.gcount() > 0))
    bytes.insert(bytes.end(), part.begin(), part.begin() + stream.gcount());
  if (!stream.is_open() || stream.bad())
    throw image::Error(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  if (bytes.size() > kMostBytes) throw image::Error(fmt::format("{}: it is larger than {} bytes", path, kMostBytes));
  ElfFile out = of(bytes, path);
  out.contents = std::make_shared<const std::string>(bytes.begin(), bytes.end());
  return out;
}

std::optional<arch::Hart> ElfFile::hart() const {
  constexpr std::string_view kNames[] = {"brisc", "ncrisc", "trisc0", "trisc1", "trisc2"};
  const std::string_view name = std::string_view(path).substr(path.find_last_of('/') + 1);
  for (size_t i = 0; i < std::size(kNames); ++i)
    if (name.starts_with(kNames[i])) return static_cast<arch::Hart>(i);
  return std::nullopt;
}

std::vector<ElfFile> elf_files_at(const std::string& path, const std::function<void(const std::string&)>& complain) {
  namespace fs = std::filesystem;
  constexpr size_t kMostBytes = size_t{1} << 30;
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_directory(path, error) && !fs::is_regular_file(path, error))
    throw image::Error(path + ": is neither a file nor a folder");
  if (!fs::is_directory(path, error)) return {ElfFile::read(path)};
  const image::ElfFolder folder = image::elf_files_under(path);
  if (folder.has_more)
    throw image::Error(
        fmt::format("{}: more than {} files are under it: name a smaller folder", path, image::ElfFolder::kMostFiles));
  if (folder.error) throw image::Error(fmt::format("{}: cannot be read: {}", path, folder.error.message()));
  std::vector<ElfFile> out;
  size_t bytes = 0;
  for (const fs::path& file : folder.files) {
    try {
      out.push_back(ElfFile::read(file.string()));
      bytes += out.back().contents->size();
    } catch (const image::Error& bad) {
      complain(bad.what());
    }
    if (bytes > kMostBytes)
      throw image::Error(
          fmt::format("{}: its files are larger than {} bytes: name a smaller folder", path, kMostBytes));
  }
  if (out.empty()) throw image::Error(fmt::format("{}: no ELF file of a kernel is under it (NAME.elf)", path));
  return out;
}

ElfFile ElfFile::of(Bytes bytes, const std::string& path) {
  constexpr uint32_t kNoBits = 8;
  const Reader file(bytes, path);
  ElfFile out{.path = path};
  image::Image image = segments_of(file, path);
  Bytes names;
  size_t index = 0;
  file.each(32, 46, 48, 40, [&](size_t at) {
    if (index++ == file.half(50)) names = file.part(file.word(at + 16), file.word(at + 20));
  });
  std::vector<uint8_t> records;
  file.each(32, 46, 48, 40, [&](size_t at) {
    const std::string name = text_in(names, file.word(at));
    if (file.word(at + 4) == kNoBits ||
        (name != image::kPrintSection && name != kInfoSection && name != kStringsSection))
      return;
    const Bytes contents = file.part(file.word(at + 16), file.word(at + 20));
    if (name == image::kPrintSection) {
      if (records.size() + contents.size() > bytes.size()) file.fail("it is damaged: sections share their bytes");
      records.insert(records.end(), contents.begin(), contents.end());
    } else if (name == kInfoSection) {
      out.device.info_.assign(contents.begin(), contents.end());
    } else {
      out.device.strings_.assign(contents.begin(), contents.end());
      out.device.strings_address_ = file.word(at + 12);
    }
  });
  image.comments = image::print_records(records, path);
  out.image = std::make_shared<const image::Image>(std::move(image));
  return out;
}

std::optional<DeviceFormats::Info> DeviceFormats::at(uint32_t id) const {
  const size_t at = size_t{id} * kInfoBytes;
  if (at + kInfoBytes > info_.size()) return std::nullopt;
  const auto word = [&](size_t i) {
    uint32_t value = 0;
    std::memcpy(&value, info_.data() + at + 4 * i, 4);
    return value;
  };
  auto format = string_at(word(0));
  if (!format) return std::nullopt;
  return Info{std::move(*format), string_at(word(1)).value_or(""), word(2)};
}

std::optional<std::string> DeviceFormats::string_at(uint32_t address) const {
  const uint32_t offset = address - strings_address_;
  if (offset >= strings_.size()) return std::nullopt;
  return text_in(strings_, offset);
}

}  // namespace kerr::prints
