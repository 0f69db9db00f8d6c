// Progress on standard error: what happens now, and how long each step took.
#pragma once

#include <chrono>
#include <string>

namespace kerr::cli {

/// On a terminal one line that is rewritten; otherwise one line a step. Steps are announced when they begin.
class Progress {
 public:
  explicit Progress(bool quiet = false);
  ~Progress();
  void step(const std::string& what);
  void done();  // erases the line

 private:
  bool quiet_;
  bool terminal_;
  bool open_ = false;
};

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace kerr::cli
