// KERR_GDB: gdb on a program that reaches the emulator through the C ABI library.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <thread>

#include "host/device/library_device.hpp"
#include "host/runtime/chip.hpp"
#include "jobs/run/code.hpp"
#include "tests/debug/gdb.hpp"

namespace kerr::debug {
namespace {

constexpr arch::NocCoord kCore{1, 2};

uint16_t free_port() {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  EXPECT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), length), 0);
  EXPECT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length), 0);
  close(listener);
  return ntohs(address.sin_port);
}

// The kernel waits for a word that nobody but gdb writes.
TEST(GdbOnTheLibrary, AttachesWhileTheHostWaitsAndLetsTheKernelGo) {
  if (!has_gdb()) GTEST_SKIP() << "gdb-multiarch is not installed";
  const uint16_t port = free_port();
  setenv("KERR_GDB", std::to_string(port).c_str(), 1);
  const auto device = host::LibraryDevice::open(KERR_LIBRARY);
  unsetenv("KERR_GDB");
  host::Chip chip(*device);
  host::Program program("waits", chip.layout());
  const uint32_t words = program.add_l1(64, 64);
  const auto kernel = program.add_kernel(
      arch::Hart::Brisc,
      jobs::read_code("lw a1, 0(a0)\npoll: lw t0, 0(a1)\n beqz t0, poll\n sw t0, 4(a1)\n ret\n", "waits.s", 0),
      {&kCore, 1});
  program.set_args(kernel, kCore, {words});

  std::vector<std::string> answers;
  std::jthread person([&] {
    answers = gdb(port, {"info os processes", "attach 1", fmt::format("x/2dw {:#x}", words), "x/i $pc",
                         fmt::format("watch *(int*){:#x}", words + 4), fmt::format("set {{int}}{:#x} = 42", words),
                         "continue", "monitor who", "detach"});
  });
  chip.run(program, {~uint64_t{0}, std::chrono::minutes(2)});
  person.join();
  const char* const expected[] = {"1 (1,2) BRISC",  "",      "0 0",     "", "atchpoint 1", "",
                                  "New value = 42", "BRISC", "detached"};
  for (size_t i = 0; i < std::size(expected); ++i) EXPECT_TRUE(has_words(answers[i], expected[i])) << i << answers[i];
}

}  // namespace
}  // namespace kerr::debug
