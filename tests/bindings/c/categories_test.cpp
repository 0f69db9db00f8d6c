// What goes wrong has a category; those of handles, programs, threads and processes are in the tests beside this one.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "tests/bindings/c/session.hpp"

namespace kerr::c_test {
namespace {

TEST(Categories, OfFilesThatCannotBeWrittenIsIo) {
  Session session;
  for (const auto function : {kerr_snapshot, kerr_restore, kerr_record_begin}) {
    const Answer answer = ask(function, session.device, "/nowhere/at/all");
    EXPECT_EQ(answer, KERR_IO);
    EXPECT_TRUE(answer.has("/nowhere/at/all")) << answer;
  }
}

TEST(Categories, OfDevicesThatAreNotThereIsDevice) {
  kerr_device device = nullptr;
  EXPECT_EQ(ask(kerr_device_open, R"({"card": "63"})", &device), KERR_DEVICE);
  EXPECT_EQ(ask(kerr_device_open, R"({"library": "/nowhere/libttsim_bh.so"})", &device), KERR_DEVICE);
  EXPECT_EQ(device, nullptr);
}

TEST(Categories, OfWhatADeviceCannotIsUnsupported) {
  Session session;
  char* json = nullptr;
  EXPECT_EQ(ask(kerr_utilisation, session.device, 0, 0, &json), KERR_UNSUPPORTED);
  EXPECT_EQ(ask(kerr_timeline, session.device, 0, 0, "/dev/null"), KERR_UNSUPPORTED);
}

TEST(Categories, OfErrorsThatNobodyWantsAreStillAnswered) {
  EXPECT_EQ(kerr_device_close(nullptr, nullptr), KERR_INVALID_HANDLE);
  EXPECT_EQ(kerr_device_open("[", nullptr, nullptr), KERR_INVALID_ARGUMENT);
}

#ifndef KERR_SANITIZED
// The address space of a child is made too small for a matrix.
TEST(Categories, OfALackOfHostMemoryIsOutOfMemoryAndTheDeviceGoesOn) {
  const pid_t child = fork();
  if (child == 0) {
    Session session;
    const std::vector<float> ones(4 << 20, 1.0f);
    const kerr_matrix a = {nullptr, "float32", const_cast<float*>(ones.data()), 2048, 2048};
    std::ifstream file("/proc/self/statm");
    rlim_t pages = 0;
    file >> pages;
    const rlim_t now = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
    const rlimit little{now + (24 << 20), RLIM_INFINITY};
    if (setrlimit(RLIMIT_AS, &little) != 0) _exit(10);
    kerr_matrix result{};
    const Answer answer = ask(kerr_matmul, session.device, &a, &a, nullptr, &result, nullptr);
    if (answer.category != KERR_OUT_OF_MEMORY) _exit(20 + answer.category);
    if (!answer.has(R"("memory":"host")")) _exit(11);
    kerr_buffer buffer = nullptr;
    _exit(kerr_buffer_alloc(session.device, 100, &buffer, nullptr) == KERR_OK ? 0 : 12);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}
#endif

}  // namespace
}  // namespace kerr::c_test
