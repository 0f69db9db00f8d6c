// Progress on standard error: what happens now.
#pragma once

#include <string>

#include "jobs/listener.hpp"

namespace kerr::cli {

/// On a terminal one line that is rewritten; otherwise one line a step. Steps are announced when they begin.
class Progress : public jobs::Listener {
 public:
  Progress();
  ~Progress() override;
  void begins(const std::string& what) override;
  void note(const std::string& sentence) override;

 private:
  void done();  // erases the line

  bool terminal_;
  bool open_ = false;
};

}  // namespace kerr::cli
