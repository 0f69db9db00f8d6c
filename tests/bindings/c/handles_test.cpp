// A handle that is closed, freed or of another kind is an error, whatever it once was.
#include <cstring>
#include <random>
#include <set>

#include "tests/bindings/c/session.hpp"

namespace kerr::c_test {
namespace {

template <class To, class From>
To as(From handle) {
  return reinterpret_cast<To>(reinterpret_cast<uintptr_t>(handle));
}

TEST(Handles, OfAClosedDeviceAreNoHandles) {
  kerr_device device = nullptr;
  kerr_buffer buffer = nullptr;
  kerr_program program = nullptr;
  {
    Session session;
    device = session.device;
    buffer = session.alloc(16);
    program = session.load(increment(4));
  }
  const kerr_view views[] = {{buffer, 0, 16}, {buffer, 0, 16}};
  char byte = 0;
  char* json = nullptr;
  uint64_t cycles = 0;
  EXPECT_EQ(ask(kerr_device_close, device), KERR_INVALID_HANDLE);
  EXPECT_EQ(ask(kerr_device_info, device, &json), KERR_INVALID_HANDLE);
  EXPECT_EQ(ask(kerr_device_reset, device), KERR_INVALID_HANDLE);
  EXPECT_EQ(ask(kerr_device_synchronize, device), KERR_INVALID_HANDLE);
  EXPECT_EQ(ask(kerr_device_clock, device, &cycles, nullptr), KERR_INVALID_HANDLE);
  EXPECT_EQ(ask(kerr_device_set_progress, device, nullptr, nullptr), KERR_INVALID_HANDLE);
  EXPECT_EQ(ask(kerr_device_interrupt, device), KERR_INVALID_HANDLE);
  EXPECT_EQ(ask(kerr_buffer_alloc, device, 16, &buffer), KERR_INVALID_HANDLE);
  EXPECT_EQ(ask(kerr_buffer_write, buffer, 0, &byte, 1), KERR_INVALID_HANDLE);
  EXPECT_EQ(ask(kerr_buffer_read, buffer, 0, &byte, 1), KERR_INVALID_HANDLE);
  EXPECT_EQ(ask(kerr_buffer_copy, buffer, 0, buffer, 8, 1), KERR_INVALID_HANDLE);
  EXPECT_EQ(ask(kerr_buffer_fill, buffer, 0, 1, &byte, 1), KERR_INVALID_HANDLE);
  EXPECT_EQ(ask(kerr_buffer_free, buffer), KERR_INVALID_HANDLE);
  EXPECT_EQ(ask(kerr_launch, program, views, 2, nullptr, 0, nullptr, nullptr), KERR_INVALID_HANDLE);
  EXPECT_EQ(ask(kerr_program_free, program), KERR_INVALID_HANDLE);
  EXPECT_EQ(json, nullptr);
}

TEST(Handles, ThatWereFreedStaySoWhenTheirPlaceIsUsedAgain) {
  Session session;
  const kerr_buffer first = session.alloc(16);
  ASSERT_EQ(ask(kerr_buffer_free, first), KERR_OK);
  const kerr_buffer second = session.alloc(16);
  EXPECT_NE(first, second);
  EXPECT_EQ(ask(kerr_buffer_free, first), KERR_INVALID_HANDLE);
  char byte = 0;
  EXPECT_EQ(ask(kerr_buffer_read, first, 0, &byte, 1), KERR_INVALID_HANDLE);
  EXPECT_EQ(ask(kerr_buffer_read, second, 0, &byte, 1), KERR_OK);
  EXPECT_EQ(ask(kerr_buffer_free, second), KERR_OK);
  EXPECT_EQ(ask(kerr_buffer_free, second), KERR_INVALID_HANDLE);
  const kerr_program program = session.load(increment(4));
  EXPECT_EQ(ask(kerr_program_free, program), KERR_OK);
  EXPECT_EQ(ask(kerr_program_free, program), KERR_INVALID_HANDLE);
}

TEST(Handles, OfAnotherKindAreRefused) {
  Session session;
  const kerr_buffer buffer = session.alloc(16);
  EXPECT_EQ(ask(kerr_device_close, as<kerr_device>(buffer)), KERR_INVALID_HANDLE);
  EXPECT_EQ(ask(kerr_buffer_free, as<kerr_buffer>(session.device)), KERR_INVALID_HANDLE);
  EXPECT_EQ(ask(kerr_program_free, as<kerr_program>(buffer)), KERR_INVALID_HANDLE);
  EXPECT_EQ(ask(kerr_buffer_free, nullptr), KERR_INVALID_HANDLE);
  EXPECT_EQ(ask(kerr_device_close, nullptr), KERR_INVALID_HANDLE);
  EXPECT_EQ(kerr_error_free(as<kerr_error>(buffer)), KERR_INVALID_HANDLE);
  EXPECT_EQ(ask(kerr_buffer_free, buffer), KERR_OK);
}

TEST(Handles, ThatAreAnyNumbersAreRefused) {
  Session session;
  const kerr_buffer buffer = session.alloc(16);
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    // Any 64 bits, and the real handle with some bits turned.
    uint64_t number = i % 2 == 0 ? random() : reinterpret_cast<uintptr_t>(buffer) ^ uint64_t { 1 } << random() % 64;
    char byte = 0;
    ASSERT_EQ(kerr_buffer_read(as<kerr_buffer>(number), 0, &byte, 1, nullptr), KERR_INVALID_HANDLE) << number;
  }
}

TEST(Errors, AreFreedOnceAndHarmlessAfterwards) {
  kerr_error error = nullptr;
  ASSERT_EQ(kerr_buffer_free(nullptr, &error), KERR_INVALID_HANDLE);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(kerr_error_free(error), KERR_OK);
  EXPECT_EQ(kerr_error_free(error), KERR_INVALID_HANDLE);
  EXPECT_EQ(kerr_error_free(nullptr), KERR_OK);
  EXPECT_EQ(kerr_error_category(error), KERR_INVALID_HANDLE);
  EXPECT_NE(std::string(kerr_error_text(error)), "");
  EXPECT_NE(std::string(kerr_error_json(nullptr)), "");
}

TEST(Memory, ThatWasHandedOutComesBackOnce) {
  char* json = nullptr;
  ASSERT_EQ(ask(kerr_devices, &json), KERR_OK);
  EXPECT_NE(std::string(json).find("p100a"), std::string::npos);
  EXPECT_EQ(kerr_free(json), KERR_OK);
  EXPECT_EQ(kerr_free(json), KERR_INVALID_ARGUMENT);
  int mine = 0;
  EXPECT_EQ(kerr_free(&mine), KERR_INVALID_ARGUMENT);
  EXPECT_EQ(kerr_free(nullptr), KERR_OK);
}

TEST(Version, IsTheHeaders) {
  int abi = 0;
  EXPECT_NE(std::string(kerr_version(&abi)), "");
  EXPECT_EQ(abi, KERR_ABI);
  EXPECT_EQ(std::string(kerr_version(nullptr)), kerr_version(&abi));
}

TEST(Categories, HaveDifferentNames) {
  std::set<std::string> names;
  for (int i = KERR_OK; i <= KERR_INTERNAL; ++i) EXPECT_TRUE(names.insert(kerr_category_name(i)).second) << i;
  EXPECT_EQ(names.count("Unknown"), 0u);
  EXPECT_STREQ(kerr_category_name(KERR_INTERNAL + 1), "Unknown");
  EXPECT_STREQ(kerr_category_name(-1), "Unknown");
}

}  // namespace
}  // namespace kerr::c_test
