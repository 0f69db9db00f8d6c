// KERR_GDB: gdb on a program that reaches the emulator through the C ABI library.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "host/device/library_device.hpp"
#include "host/runtime/chip.hpp"
#include "image/elf/reader.hpp"
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

// A device whose library waits for gdb, as if the host had been started with these variables in its environment.
struct WatchedDevice {
  explicit WatchedDevice(const char* elf = nullptr) {
    setenv("KERR_GDB", std::to_string(port).c_str(), 1);
    if (elf != nullptr) setenv("KERR_GDB_ELF", elf, 1);
    device = host::LibraryDevice::open(KERR_LIBRARY);
    unsetenv("KERR_GDB");
    unsetenv("KERR_GDB_ELF");
  }
  const uint16_t port = free_port();
  std::unique_ptr<host::LibraryDevice> device;
};

// Who talks to gdb, in a thread of his own.
class Person {
 public:
  Person(uint16_t port, std::vector<std::string> commands)
      : thread_([this, port, commands = std::move(commands)] {
          answers_ = gdb(port, commands);
          is_done_ = true;
        }) {}
  // What gdb printed. Until it has ended time passes, without which nobody answers it.
  std::vector<std::string> answers(host::LibraryDevice& device) {
    device.wait([&] { return is_done_.load(); }, {~uint64_t{0}, std::chrono::minutes(2)});
    thread_.join();
    return answers_;
  }

 private:
  std::vector<std::string> answers_;
  std::atomic<bool> is_done_ = false;
  std::jthread thread_;
};

class GdbOnTheLibrary : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_gdb()) GTEST_SKIP() << "gdb-multiarch is not installed";
  }
  // Runs a kernel with two words of L1 as its argument while gdb is given what `say` makes of their address.
  template <class Say>
  static std::vector<std::string> with(WatchedDevice& watched, image::Image kernel, Say say) {
    host::Chip chip(*watched.device);
    host::Program program("waits", chip.layout());
    const uint32_t words = program.add_l1(64, 64);
    program.set_args(program.add_kernel(arch::Hart::Brisc, std::move(kernel), {&kCore, 1}), kCore, {words});
    Person person(watched.port, say(words));
    chip.run(program, {~uint64_t{0}, std::chrono::minutes(2)});
    return person.answers(*watched.device);
  }
  static void expect(const std::vector<std::string>& answers, const std::vector<std::string>& words) {
    ASSERT_EQ(answers.size(), words.size());
    for (size_t i = 0; i < words.size(); ++i) EXPECT_TRUE(has_words(answers[i], words[i])) << i << answers[i];
  }
};

// The kernel waits for a word that nobody but gdb writes.
TEST_F(GdbOnTheLibrary, AttachesWhileTheHostWaitsAndLetsTheKernelGo) {
  WatchedDevice watched;
  const std::vector<std::string> answers = with(
      watched, jobs::read_code("lw a1, 0(a0)\npoll: lw t0, 0(a1)\n beqz t0, poll\n sw t0, 4(a1)\n ret\n", "waits.s", 0),
      [](uint32_t words) -> std::vector<std::string> {
        return {"info os processes",
                "attach 1",
                fmt::format("x/2dw {:#x}", words),
                "x/i $pc",
                fmt::format("watch *(int*){:#x}", words + 4),
                fmt::format("set {{int}}{:#x} = 42", words),
                "continue",
                "monitor who",
                "detach"};
      });
  expect(answers, {"1 (1,2) BRISC", "", "0 0", "", "atchpoint 1", "", "New value = 42", "BRISC", "detached"});
}

TEST_F(GdbOnTheLibrary, FindsSymbolsOfAKernelOfWhichNobodySpeaks) {
  WatchedDevice watched(KERR_KERNEL_debug_waits);
  const std::vector<std::string> answers =
      with(watched, image::read_elf(KERR_KERNEL_debug_waits), [](uint32_t words) -> std::vector<std::string> {
        return {"attach 1", "info symbol $pc", "info line *$pc", fmt::format("set {{int}}{:#x} = 42", words), "detach"};
      });
  expect(answers, {"", "kernel_main", "waits.cpp", "", "detached"});
}

TEST_F(GdbOnTheLibrary, StopsWhereTheHostWrites) {
  constexpr uint32_t kReady = 0x18'0000 - 64, kWatched = kReady + 4;  // the end of L1, which nobody uses
  WatchedDevice watched;
  host::Chip chip(*watched.device);
  Person person(watched.port, {"attach 1", fmt::format("watch *(int*){:#x}", kWatched),
                               fmt::format("set {{int}}{:#x} = 1", kReady), "continue", "monitor who", "detach"});
  const auto is_ready = [&] { return chip.io().read32(kCore, kReady) == 1; };
  EXPECT_EQ(watched.device->wait(is_ready, {~uint64_t{0}, std::chrono::minutes(2)}), host::WaitResult::Done);
  chip.io().write32(kCore, kWatched, 7);
  expect(person.answers(*watched.device), {"", "atchpoint 1", "", "New value = 7", "the host writes", "detached"});
}

}  // namespace
}  // namespace kerr::debug
