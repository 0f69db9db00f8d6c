#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <random>

#include <unistd.h>

#include "tests/bindings/c/session.hpp"

namespace kerr::c_test {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes random_bytes(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  Bytes out(count);
  for (uint8_t& byte : out) byte = static_cast<uint8_t>(random());
  return out;
}

TEST(Buffers, HoldWhatIsWrittenAtAnyPlace) {
  Session session;
  Bytes model = random_bytes(100'003, 1);
  const kerr_buffer buffer = session.holding(model);
  const kerr_buffer neighbour = session.holding(random_bytes(5'000, 2));
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    const size_t at = random() % model.size(), count = random() % std::min<size_t>(9'000, model.size() - at + 1);
    const Bytes piece = random_bytes(count, random());
    ASSERT_EQ(ask(kerr_buffer_write, buffer, at, piece.data(), count), KERR_OK);
    std::copy(piece.begin(), piece.end(), model.begin() + static_cast<ptrdiff_t>(at));
    const size_t from = random() % model.size(), bytes = random() % (model.size() - from + 1);
    ASSERT_EQ(session.read<uint8_t>(buffer, bytes, from), Bytes(model.begin() + static_cast<ptrdiff_t>(from),
                                                                model.begin() + static_cast<ptrdiff_t>(from + bytes)));
  }
  EXPECT_EQ(session.read<uint8_t>(neighbour, 5'000), random_bytes(5'000, 2));
}

TEST(Buffers, AreCopiedAsMemmoveDoes) {
  Session session;
  const size_t size = 9'000'000;  // of more than two pieces
  Bytes model = random_bytes(size, 1);
  const kerr_buffer buffer = session.holding(model), other = session.alloc(size);
  for (const auto [to, from, count] :
       {std::array<size_t, 3>{3, 0, size - 3}, {0, 5, size - 5}, {4'000'001, 0, 4'999'999}, {7, 7, 100}, {9, 1, 0}}) {
    ASSERT_EQ(ask(kerr_buffer_copy, buffer, to, buffer, from, count), KERR_OK);
    std::memmove(&model[to], &model[from], count);
    ASSERT_TRUE(session.read<uint8_t>(buffer, size) == model) << to << " " << from;
  }
  ASSERT_EQ(ask(kerr_buffer_copy, other, 0, buffer, 0, size), KERR_OK);
  EXPECT_TRUE(session.read<uint8_t>(other, size) == model);
}

TEST(Buffers, AreCopiedFromDeviceToDevice) {
  Session one, two;
  const Bytes bytes = random_bytes(50'000, 1);
  const kerr_buffer from = one.holding(bytes), to = two.alloc(60'000);
  ASSERT_EQ(ask(kerr_buffer_copy, to, 1'000, from, 0, bytes.size()), KERR_OK);
  EXPECT_EQ(two.read<uint8_t>(to, bytes.size(), 1'000), bytes);
}

TEST(Buffers, AreFilledWithPatterns) {
  Session session;
  const kerr_buffer buffer = session.holding(Bytes(20'000, 0xEE));
  ASSERT_EQ(ask(kerr_buffer_fill, buffer, 10, 10'000, "abc", 3), KERR_OK);
  const Bytes now = session.read<uint8_t>(buffer, 20'000);
  for (size_t i = 0; i < now.size(); ++i) ASSERT_EQ(now[i], i < 10 || i >= 10'010 ? 0xEE : "abc"[(i - 10) % 3]) << i;
  EXPECT_EQ(ask(kerr_buffer_fill, buffer, 0, 1, "", 0), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(ask(kerr_buffer_fill, buffer, 0, 1, "", 4097), KERR_INVALID_ARGUMENT);
}

TEST(Buffers, RefuseWhatLiesOutside) {
  Session session;
  const kerr_buffer buffer = session.alloc(100);
  char bytes[200] = {};
  EXPECT_EQ(ask(kerr_buffer_write, buffer, 0, bytes, 101), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(ask(kerr_buffer_write, buffer, 101, bytes, 0), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(ask(kerr_buffer_read, buffer, ~uint64_t{0}, bytes, 2), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(ask(kerr_buffer_copy, buffer, 50, buffer, 0, 51), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(ask(kerr_buffer_fill, buffer, 1, ~uint64_t{0}, bytes, 1), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(ask(kerr_buffer_read, buffer, 0, nullptr, 1), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(ask(kerr_buffer_read, buffer, 100, nullptr, 0), KERR_OK);
}

TEST(Buffers, BeyondTheDevicesMemoryAreOutOfMemory) {
  Session session;
  kerr_buffer buffer = nullptr;
  EXPECT_EQ(ask(kerr_buffer_alloc, session.device, 0, &buffer), KERR_INVALID_ARGUMENT);
  for (const uint64_t bytes : {uint64_t{1} << 32, uint64_t{1} << 40, ~uint64_t{0}}) {
    const Answer answer = ask(kerr_buffer_alloc, session.device, bytes, &buffer);
    EXPECT_EQ(answer, KERR_OUT_OF_MEMORY);
    EXPECT_TRUE(answer.has(R"("memory":"device")")) << answer.json;
  }
  std::vector<kerr_buffer> all;
  Answer answer;
  while ((answer = ask(kerr_buffer_alloc, session.device, 0xFFFFFFFF, &buffer)) == KERR_OK) all.push_back(buffer);
  EXPECT_EQ(answer, KERR_OUT_OF_MEMORY);
  EXPECT_EQ(all.size(), 6u) << "7 banks of 4 GiB but for 16 MiB";
  ASSERT_EQ(ask(kerr_buffer_free, all.back()), KERR_OK);
  EXPECT_EQ(ask(kerr_buffer_alloc, session.device, 0xFFFFFFFF, &buffer), KERR_OK);
}

uint64_t resident_kib() {
  std::ifstream file("/proc/self/statm");
  uint64_t size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) / 1024;
}

TEST(Buffers, OfAHundredThousandAllocationsAndViewsLeaveNothingBehind) {
  Session session;
  const kerr_program program = session.load(increment(16));
  const uint64_t free_before = session.info("free");
  std::mt19937 random(1);
  const auto round = [&](size_t count) {
    std::vector<kerr_buffer> all;
    for (size_t i = 0; i < count; ++i) {
      all.push_back(session.alloc(64 + random() % 20'000));
      if (i % 100 != 0) continue;
      EXPECT_EQ(session.launch(program, {{all.back(), 0, 64}, {all[random() % all.size()], 0, 64}}), KERR_OK);
    }
    EXPECT_EQ(session.info("buffers"), count);
    std::shuffle(all.begin(), all.end(), random);
    for (kerr_buffer buffer : all) ASSERT_EQ(kerr_buffer_free(buffer, nullptr), KERR_OK);
  };
  round(50'000);
  const uint64_t before = resident_kib();
  round(50'000);
  EXPECT_EQ(session.info("free"), free_before);
  EXPECT_EQ(session.info("buffers"), 0u);
#ifndef KERR_SANITIZED
  EXPECT_LT(resident_kib(), before + 2'000) << "from " << before << " KiB";
#endif
}

}  // namespace
}  // namespace kerr::c_test
