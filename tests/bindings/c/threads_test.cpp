// Several threads, several devices, several processes.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/bindings/c/session.hpp"

namespace kerr::c_test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

TEST(Threads, EachHaveADeviceOfTheirOwn) {
  const auto work = [](int32_t seed) {
    Session session;
    const kerr_program program = session.load(increment(500));
    const kerr_buffer buffer = session.holding(std::vector<int32_t>(500, seed));
    for (int i = 0; i < 50; ++i) EXPECT_EQ(session.launch(program, {{buffer, 0, 2000}, {buffer, 0, 2000}}), KERR_OK);
    EXPECT_EQ(session.read<int32_t>(buffer, 500), std::vector<int32_t>(500, seed + 50));
  };
  std::thread one(work, 1), two(work, 1000);
  one.join();
  two.join();
}

TEST(Threads, ShareADevice) {
  Session session;
  const kerr_program program = session.load(increment(1));
  const kerr_buffer shared = session.holding(std::vector<int32_t>{0});
  const auto work = [&] {
    for (int i = 0; i < 100; ++i) {
      EXPECT_EQ(session.launch(program, {{shared, 0, 4}, {shared, 0, 4}}), KERR_OK);
      const kerr_buffer mine = session.alloc(4);
      EXPECT_EQ(ask(kerr_buffer_copy, mine, 0, shared, 0, 4), KERR_OK);
      EXPECT_EQ(ask(kerr_buffer_free, mine), KERR_OK);
    }
  };
  std::thread one(work), two(work);
  one.join();
  two.join();
  EXPECT_EQ(session.read<int32_t>(shared, 1)[0], 200);
}

TEST(Threads, MayCloseWhatOthersUse) {
  for (int i = 0; i < 20; ++i) {
    kerr_device device = nullptr;
    kerr_buffer buffer = nullptr;
    ASSERT_EQ(ask(kerr_device_open, R"({"threads": 1})", &device), KERR_OK);
    ASSERT_EQ(ask(kerr_buffer_alloc, device, 100, &buffer), KERR_OK);
    std::thread other([&] {
      char bytes[100];
      int category = KERR_OK;
      while (category == KERR_OK) category = kerr_buffer_read(buffer, 0, bytes, 100, nullptr);
      EXPECT_EQ(category, KERR_INVALID_HANDLE);
    });
    std::this_thread::sleep_for(1ms);
    EXPECT_EQ(ask(kerr_device_close, device), KERR_OK);
    other.join();
  }
}

TEST(Interrupts, EndTheCallOfAnotherThreadSoonAndTheDeviceGoesOn) {
  Session session;
  const kerr_program endless = session.load(kEndless), program = session.load(increment(1));
  const kerr_buffer kept = session.holding(std::vector<int32_t>{41}), buffer = session.holding(std::vector<int32_t>{0});
  std::atomic<bool> began = false;
  Clock::time_point asked;
  std::thread other([&] {
    while (!began) std::this_thread::yield();
    std::this_thread::sleep_for(50ms);
    asked = Clock::now();
    EXPECT_EQ(ask(kerr_device_interrupt, session.device), KERR_OK);
  });
  began = true;
  EXPECT_EQ(session.launch(endless, {{buffer, 0, 4}}), KERR_INTERRUPTED);
  const auto took = Clock::now() - asked;
  other.join();
#ifndef KERR_SANITIZED
  EXPECT_LT(took, 1s);
#endif
  EXPECT_EQ(session.launch(program, {{kept, 0, 4}, {kept, 0, 4}}), KERR_OK);
  EXPECT_EQ(session.read<int32_t>(kept, 1)[0], 42);
}

TEST(Interrupts, BetweenCallsDoNothing) {
  Session session;
  EXPECT_EQ(ask(kerr_device_interrupt, session.device), KERR_OK);
  const kerr_buffer buffer = session.holding(std::vector<int32_t>{1});
  EXPECT_EQ(session.launch(session.load(increment(1)), {{buffer, 0, 4}, {buffer, 0, 4}}), KERR_OK);
}

struct Called {
  Session* session;
  kerr_buffer buffer, spare;
  std::thread::id thread;
  int times = 0;
  std::string json;
  std::vector<int> categories;
};

int progress(const char* json, void* user) {
  auto& called = *static_cast<Called*>(user);
  called.thread = std::this_thread::get_id();
  called.json = json;
  char byte = 0;
  kerr_device another = nullptr;
  called.categories = {kerr_device_synchronize(called.session->device, nullptr),
                       kerr_buffer_read(called.buffer, 0, &byte, 1, nullptr),
                       kerr_device_close(called.session->device, nullptr), kerr_device_open("{}", &another, nullptr)};
  if (called.times == 0) {
    EXPECT_EQ(ask(kerr_buffer_free, called.spare), KERR_OK) << "what a garbage collector does";
  }
  return ++called.times == 3;
}

TEST(Callbacks, TellWhatRunsAndMayEndIt) {
  Session session(R"({"threads": 1, "progress_ms": 10})");
  Called called{&session, session.holding(std::vector<int32_t>{0}), session.alloc(5), {}, 0, {}, {}};
  ASSERT_EQ(ask(kerr_device_set_progress, session.device, progress, &called), KERR_OK);
  EXPECT_EQ(session.launch(session.load(kEndless), {{called.buffer, 0, 4}}), KERR_INTERRUPTED);
  EXPECT_EQ(called.times, 3);
  EXPECT_EQ(called.thread, std::this_thread::get_id());
  EXPECT_NE(called.json.find(R"("what":"launch endless")"), std::string::npos) << called.json;
  EXPECT_NE(called.json.find(R"("seconds":)"), std::string::npos) << called.json;
  ASSERT_EQ(ask(kerr_device_set_progress, session.device, nullptr, nullptr), KERR_OK);
  EXPECT_EQ(session.launch(session.load(kEndless), {{called.buffer, 0, 4}}, R"({"timeout_ms": 50})"), KERR_TIMEOUT);
  EXPECT_EQ(called.times, 3);
}

TEST(Callbacks, ThatUseADeviceAreToldThatItIsBusy) {
  Session session(R"({"threads": 1, "progress_ms": 10})");
  Called called{&session, session.holding(std::vector<int32_t>{0}), session.alloc(5), {}, 0, {}, {}};
  ASSERT_EQ(ask(kerr_device_set_progress, session.device, progress, &called), KERR_OK);
  EXPECT_EQ(session.launch(session.load(kEndless), {{called.buffer, 0, 4}}), KERR_INTERRUPTED);
  EXPECT_EQ(called.categories, (std::vector<int>{KERR_BUSY, KERR_BUSY, KERR_BUSY, KERR_BUSY}));
}

// In a child of fork(): its exit status, or -1.
template <class Work>
int in_child(Work work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Forks, LeaveADeviceToItsProcess) {
  Session session;
  const kerr_buffer buffer = session.holding(std::vector<int32_t>{7});
  const kerr_program program = session.load(increment(1));
  const int failed_at = in_child([&] {
    char byte = 0;
    char* json = nullptr;
    const kerr_view views[] = {{buffer, 0, 4}, {buffer, 0, 4}};
    if (kerr_buffer_read(buffer, 0, &byte, 1, nullptr) != KERR_WRONG_PROCESS) return 1;
    if (kerr_buffer_free(buffer, nullptr) != KERR_WRONG_PROCESS) return 2;
    if (kerr_launch(program, views, 2, nullptr, 0, nullptr, nullptr, nullptr) != KERR_WRONG_PROCESS) return 3;
    if (kerr_program_free(program, nullptr) != KERR_WRONG_PROCESS) return 4;
    if (kerr_device_info(session.device, &json, nullptr) != KERR_WRONG_PROCESS) return 5;
    if (kerr_device_interrupt(session.device, nullptr) != KERR_WRONG_PROCESS) return 6;
    if (kerr_device_close(session.device, nullptr) != KERR_WRONG_PROCESS) return 7;
    Session own;  // one that is opened here is this process's
    const kerr_buffer mine = own.holding(std::vector<int32_t>{1});
    if (own.launch(own.load(increment(1)), {{mine, 0, 4}, {mine, 0, 4}}).category != KERR_OK) return 8;
    return own.read<int32_t>(mine, 1)[0] == 2 ? 0 : 9;
  });
  EXPECT_EQ(failed_at, 0);
  EXPECT_EQ(session.launch(program, {{buffer, 0, 4}, {buffer, 0, 4}}), KERR_OK);
  EXPECT_EQ(session.read<int32_t>(buffer, 1)[0], 8);
}

#ifndef KERR_SANITIZED
TEST(Forks, WhileAnotherThreadCallsTheLibraryHangNobody) {
  Session session;
  std::atomic<bool> stop = false;
  std::thread other([&] {
    while (!stop) EXPECT_EQ(ask(kerr_buffer_free, session.alloc(10)), KERR_OK);
  });
  for (int i = 0; i < 50; ++i) {
    const int status = in_child([&] {
      char* json = nullptr;
      if (kerr_devices(&json, nullptr) != KERR_OK || kerr_free(json) != KERR_OK) return 1;
      return kerr_device_synchronize(session.device, nullptr) == KERR_WRONG_PROCESS ? 0 : 2;
    });
    ASSERT_EQ(status, 0);
  }
  stop = true;
  other.join();
}
#endif

}  // namespace
}  // namespace kerr::c_test
