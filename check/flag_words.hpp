// Which words of a tile's L1 are flags.   docs/architecture.md "Checking"
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "arch/memory_map.hpp"

namespace kerr::check {

/// Few words are, in few places. By the number of the word.
class FlagWords {
 public:
  bool has(uint32_t word) const {
    const Page* const page = pages_[word / kPage].get();
    return page != nullptr && (*page)[word % kPage];
  }
  void add(uint32_t word) {
    std::unique_ptr<Page>& page = pages_[word / kPage];
    if (!page) page = std::make_unique<Page>();
    page->set(word % kPage);
  }

 private:
  static constexpr size_t kPage = 4096;
  using Page = std::bitset<kPage>;

  std::array<std::unique_ptr<Page>, arch::kL1Bytes / 4 / kPage> pages_;
};

}  // namespace kerr::check
