// What the command says on standard error.
#pragma once

#include <string>
#include <string_view>

#include "jobs/listener.hpp"

namespace kerr::jobs {
struct Remarks;
}

namespace kerr::cli {

/// The text without what a terminal would obey: control characters become '?', and lines of more than 400 bytes are
/// cut.
/// Messages quote files, and a file can be anything.
std::string printable(std::string_view text);

/// Prints "kerr: " and the printable text as a line. Never throws, also where standard error cannot be written.
void say(std::string_view text);

/// Says each.
void say_remarks(const jobs::Remarks& remarks);

/// What happens now: on a terminal one line that is rewritten; otherwise one line a step. Steps are announced when they
/// begin.
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
