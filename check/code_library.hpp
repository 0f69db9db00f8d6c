// Code that may be found in L1, by its bytes: of programs whose host tells nothing.   docs/architecture.md "Checking"
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "image/image.hpp"

namespace kerr::check {

/// Images by name. Filled before the machine runs, and only read from then on.
class CodeLibrary {
 public:
  /// Code of an image, from an address of it on.
  struct Entry {
    std::string name;
    std::shared_ptr<const image::Image> image;
    uint32_t address = 0;       // of its first byte, as the image has it
    uint32_t load_address = 0;  // where a loader puts that
    std::span<const uint8_t> bytes;
  };

  /// at() looks at no more bytes than these, from an address on.
  static constexpr size_t kLooksAt = 4096;

  void add(std::string name, image::Image image);
  bool empty() const { return entries_.empty(); }
  const std::vector<Entry>& entries() const { return entries_; }

  /// What lies at `address`: most of its first words are the same. Those that a loader has moved need not be. Of
  /// several the one that is the most alike, and of those the first that was added. nullptr: none.
  const Entry* at(std::span<const uint8_t> l1, uint32_t address) const;

 private:
  std::vector<Entry> entries_;
};

}  // namespace kerr::check
