#include "emu/snapshot/archive.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "tests/emu/forked.hpp"

namespace kerr::emu {
namespace {

class Bytes final : public ByteSink, public ByteSource {
 public:
  void write(std::span<const uint8_t> more) override { bytes_.insert(bytes_.end(), more.begin(), more.end()); }
  void read(std::span<uint8_t> out) override {
    if (out.size() > bytes_.size() - at_) throw SnapshotError("no more bytes");
    std::copy_n(bytes_.begin() + static_cast<ptrdiff_t>(at_), out.size(), out.begin());
    at_ += out.size();
  }
  void again() { at_ = 0; }

 private:
  std::vector<uint8_t> bytes_;
  size_t at_ = 0;
};

Bytes saved(const char* literal) {
  Bytes bytes;
  SaveArchive archive(bytes);
  archive.literal(literal);
  return bytes;
}

const char* restored(Bytes& bytes) {
  bytes.again();
  LoadArchive archive(bytes);
  const char* literal = "";
  archive.literal(literal);
  return literal;
}

TEST(Archive, RestoresALiteralAsOneCopyHoweverOften) {
  Bytes bytes = saved("no such word");
  const char* const first = restored(bytes);
  EXPECT_STREQ(first, "no such word");
  EXPECT_EQ(restored(bytes), first);
}

TEST(Archive, RestoresLiteralsInAChildOfForkWhateverThreadsOfItsParentWereDoing) {
  const Bytes bytes = saved("word");
  EXPECT_TRUE(children_get_through(100, [&] {
    Bytes own = bytes;
    for (int i = 0; i < 1000; ++i) restored(own);
  }));
}

}  // namespace
}  // namespace kerr::emu
