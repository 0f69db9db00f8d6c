// What an ELF file of a kernel says of its prints. Read without libelf, which libttsim_bh.so may not import.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/memory_map.hpp"
#include "image/image.hpp"

namespace kerr::prints {

/// Formats of tt-metal's DEVICE_PRINT: sections .device_print_strings_info, an array of {format, file, line, 0}, and
/// .device_print_strings, into which the first two point. Neither is loaded.
class DeviceFormats {
 public:
  struct Info {
    std::string format, file;
    uint32_t line = 0;
  };

  bool empty() const { return info_.empty(); }
  /// The print of this number; nothing: there is none, or it points to nowhere.
  std::optional<Info> at(uint32_t id) const;
  /// A string of the section at this address; nothing: it is not there.
  std::optional<std::string> string_at(uint32_t address) const;

 private:
  friend struct ElfFile;
  std::vector<uint8_t> info_, strings_;
  uint32_t strings_address_ = 0;
};

struct ElfFile {
  std::string path;
  std::shared_ptr<const image::Image> image;  // segments, and prints by KERR_PRINT as remarks
  DeviceFormats device;
  std::shared_ptr<const std::string> contents;  // of a file that was read

  /// Whose code it is by its name, as tt-metal has them: brisc.elf, trisc0.elf; nothing: any hart's.
  std::optional<arch::Hart> hart() const;
  bool has_prints() const { return !image->comments.empty() || !device.empty(); }

  /// Throws image::Error that names the file: it cannot be read, is no ELF file for these harts, or is damaged.
  static ElfFile read(const std::string& path);
  static ElfFile of(std::span<const uint8_t> bytes, const std::string& path);
};

/// The file, or all files under the folder that end with ".elf", in the order of their names. Of a folder those that
/// cannot be used are left out, and `complain` is told. Throws image::Error if nothing is left, or there is too much.
std::vector<ElfFile> elf_files_at(const std::string& path, const std::function<void(const std::string&)>& complain);

}  // namespace kerr::prints
