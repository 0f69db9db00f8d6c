// tt-metal's DEVICE_PRINT: records in one buffer of a tile, whose formats stand in ELF files.   docs/guide/prints.md
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arch/memory_map.hpp"
#include "prints/elf_file.hpp"
#include "prints/format.hpp"

namespace kerr::prints {

/// Where the five buffers of stock.hpp lie: words wpos and rpos, a state of each hart, a lock, and 1,000 bytes of
/// records. A record is a header and its values, padded to words.
namespace device_print {
inline constexpr uint32_t kBytes = 1020, kData = 20, kDataBytes = kBytes - kData;
inline constexpr uint32_t kStalled = 1u << 31;  // in wpos: the writer waits for the host
}  // namespace device_print

/// The text of a print: a place is {N,T} or {N,T:SPEC}, value N of type T. Values lie in the order of their numbers.
/// Both are a device's: whatever they hold gives some text. `string_at`: of an address.
std::string text_of_device_print(std::string_view format, std::span<const uint8_t> values, const StringAt& string_at);

/// Files of kernels by harts.
class DeviceFiles {
 public:
  void add(ElfFile file);
  bool empty() const { return files_.empty(); }

  /// The file of the code that this hart runs: by the file's name (brisc.elf, trisc0.elf; firmware is in a folder of
  /// that name), and among several of the hart the one whose code is in L1. nullptr: it cannot be told.
  const ElfFile* find(size_t hart, bool is_kernel, std::span<const uint8_t> l1) const;

 private:
  struct File {
    ElfFile elf;
    bool is_firmware = false;
  };
  std::vector<File> files_;
};

/// The records of one tile's buffer.
class DeviceRecords {
 public:
  /// A print: of which hart, from where, and what. More than one line may be in it.
  struct Said {
    size_t hart = 0;
    std::string source, text;
  };
  using Say = std::function<void(const Said&)>;
  /// A string in L1 or in a hart's local memory.
  using StringOf = std::function<std::string(size_t hart, uint32_t address)>;

  /// wpos has become this. `data`: the buffer's records. Tells what is new.
  void written(uint32_t wpos, std::span<const uint8_t> data, std::span<const uint8_t> l1, const DeviceFiles& files,
               const StringOf& string_of, const Say& say);

 private:
  void record(uint32_t header, std::span<const uint8_t> values, std::span<const uint8_t> l1, const DeviceFiles& files,
              const StringOf& string_of, const Say& say);

  bool on_ = false;     // the host has said that it reads it
  uint32_t shown_ = 0;  // bytes of records
  // Of each hart: its kernel's number, and the files of kernel and firmware once they were looked for.
  struct Hart {
    uint32_t kernel = 0;
    std::array<std::optional<const ElfFile*>, 2> files;
  };
  std::array<Hart, arch::kHarts> harts_;
};

}  // namespace kerr::prints
