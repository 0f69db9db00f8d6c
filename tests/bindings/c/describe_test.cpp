// Exceptions become error objects.
#include "bindings/c/failure.hpp"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <system_error>

#include "emu/snapshot/archive.hpp"
#include "host/error.hpp"
#include "loops/interpret.hpp"
#include "loops/program.hpp"

namespace kerr::c {
namespace {

template <class Exception>
ErrorObject described(Exception exception) {
  return describe(std::make_exception_ptr(exception));
}

TEST(Describe, GivesEachExceptionItsCategory) {
  using host::Category;
  using host::DeviceError;
  EXPECT_EQ(described(Failure(KERR_BUSY, "x")).category, KERR_BUSY);
  for (const auto category : {Category::UndefinedBehavior, Category::UnpredictableValue, Category::Unsupported,
                              Category::Misaligned, Category::OutOfBounds})
    EXPECT_EQ(described(DeviceError(category, "x")).category, KERR_FAULT);
  EXPECT_EQ(described(DeviceError(Category::Deadlock, "x")).category, KERR_DEADLOCK);
  EXPECT_EQ(described(DeviceError(Category::Timeout, "x")).category, KERR_TIMEOUT);
  EXPECT_EQ(described(DeviceError(Category::Protocol, "x")).category, KERR_DEVICE);
  EXPECT_EQ(described(DeviceError(Category::HostError, "x")).category, KERR_DEVICE);
  EXPECT_EQ(described(host::OutOfDeviceMemory("x")).category, KERR_OUT_OF_MEMORY);
  EXPECT_EQ(described(std::bad_alloc()).category, KERR_OUT_OF_MEMORY);
  EXPECT_EQ(described(std::length_error("x")).category, KERR_OUT_OF_MEMORY);
  EXPECT_EQ(described(loops::ProgramError(3, 8, "x")).category, KERR_PROGRAM);
  EXPECT_EQ(described(loops::RunError(3, "x")).category, KERR_FAULT);
  EXPECT_EQ(described(emu::SnapshotError("x")).category, KERR_IO);
  EXPECT_EQ(described(std::system_error(ENOENT, std::generic_category(), "x")).category, KERR_IO);
  EXPECT_EQ(described(std::invalid_argument("x")).category, KERR_INVALID_ARGUMENT);
  EXPECT_EQ(described(std::logic_error("x")).category, KERR_INTERNAL);
  EXPECT_EQ(described(5).category, KERR_INTERNAL);
}

TEST(Describe, TellsWhatIsKnown) {
  const ErrorObject e = described(host::DeviceError(host::Category::Misaligned, "a \"sentence\"", "line 1\nline 2\n"));
  EXPECT_EQ(e.text, "a \"sentence\"");
  EXPECT_EQ(
      e.json,
      R"({"category":"Fault","text":"a \"sentence\"","report":"line 1\nline 2\n","device_category":"Misaligned"})");
  EXPECT_NE(described(loops::ProgramError(3, 8, "x")).json.find(R"("line":3,"column":8)"), std::string::npos);
}

TEST(Describe, MakesUtf8OfAnything) {
  const ErrorObject e = described(std::invalid_argument("bytes \xff\xfe"));
  EXPECT_EQ(e.text, "bytes \xEF\xBF\xBD\xEF\xBF\xBD");
}

}  // namespace
}  // namespace kerr::c
