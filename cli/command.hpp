// A command of kerr.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/syntax/syntax.hpp"

namespace kerr::cli {

/// A file of cli/commands each: its options, what it does, its text and its JSON.
class Command {
 public:
  virtual ~Command() = default;
  virtual void declare(Syntax& syntax) = 0;
  /// What was declared has been set. Returns the exit status.
  virtual int run() = 0;

 protected:
  bool json_ = false;  // --json, which most commands have
};

struct CommandEntry {
  std::string_view name;                         // "kerr matmul", or "kerr cq dump" of a command that has commands
  std::string_view what;                         // it does, for the help
  std::unique_ptr<Command> (*make)() = nullptr;  // empty: it only has commands, which follow
};

/// Runs the command that the words name, or prints its help. The first one is kerr itself. Throws UsageError, which
/// also says what to try, and what the command throws. Returns the exit status.
int run_command(std::span<const CommandEntry> commands, const std::vector<std::string>& words);

}  // namespace kerr::cli
