#include "bindings/c/supervision.hpp"

#include <fmt/format.h>

#include "bindings/c/failure.hpp"
#include "host/device/reset_port.hpp"
#include "report/json.hpp"

namespace kerr::c {

namespace {

thread_local bool calling_back = false;

struct CallingBack {  // a callback in C++ may throw
  CallingBack() { calling_back = true; }
  ~CallingBack() { calling_back = false; }
};

}  // namespace

bool in_callback() { return calling_back; }

void Supervision::begin(std::string_view what, std::optional<TimeLimit> limit) {
  what_ = what;
  limit_ = limit;
  passed_.clear();
  begin_ = Clock::now();
  next_ = begin_ + between_;
  done_ = total_ = 0;
  running_ = ++calls_;
}

void Supervision::poll() {
  const uint64_t running = running_.load(std::memory_order_relaxed);
  if (running == 0) return;
  if (interrupted_.load(std::memory_order_relaxed) == running)
    throw Failure(KERR_INTERRUPTED, fmt::format("{}: interrupted", what_));
  const Clock::time_point now = Clock::now();
  if (limit_ && now - begin_ > limit_->wall) {
    passed_ = fmt::format("{}: it has not ended within {} ms{}", what_, limit_->wall.count(), limit_->advice);
    throw host::DeviceError(host::Category::Timeout, passed_);
  }
  if (callback_ != nullptr && now >= next_) tell(now);
}

std::exception_ptr Supervision::with_limit_named(std::exception_ptr thrown) const {
  if (passed_.empty()) return thrown;
  try {
    std::rethrow_exception(thrown);
  } catch (const host::DeviceError& error) {
    const std::string sentence = error.sentence();
    if (error.category() != host::Category::Timeout || sentence.find(passed_) != std::string::npos) return thrown;
    return std::make_exception_ptr(host::DeviceError(error.category(), passed_ + "\n" + sentence, error.report()));
  } catch (...) {
    return thrown;
  }
}

void Supervision::tell(Clock::time_point now) {
  report::Json json = {
      {"what", what_},
      {"seconds", std::chrono::duration<double>(now - begin_).count()},
      {"cycles", cycles_ ? cycles_() : 0},
  };
  if (total_ != 0) {
    json["done"] = done_;
    json["total"] = total_;
  }
  const std::string text = json.dump(-1);
  const int answer = [&] {
    const CallingBack now_calling;
    return callback_(text.c_str(), user_);
  }();
  if (answer != 0) throw Failure(KERR_INTERRUPTED, fmt::format("{}: its progress callback has ended it", what_));
  next_ = Clock::now() + between_;
}

host::WaitResult SupervisedDevice::wait(const std::function<bool()>& condition, host::Deadline deadline) {
  const bool before = std::exchange(disturbed_, true);
  const host::WaitResult result = device_.wait(
      [&] {
        try {
          supervision_.poll();
        } catch (const host::DeviceError& error) {
          throw host::DeviceError(error.category(), error.sentence(), device_.status().report);
        }
        return condition();
      },
      deadline);
  if (result == host::WaitResult::Done) disturbed_ = before;
  return result;
}

std::unique_ptr<host::ResetPort> SupervisedDevice::reset_port() { return device_.reset_port(); }

}  // namespace kerr::c
