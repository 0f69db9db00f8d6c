// How the remote serial protocol names processes and lists them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "debug/target.hpp"

namespace kerr::debug {

inline constexpr Pid kAll = ~0u;  // "-1"

struct Thread {
  Pid pid = 0;  // 0: any
  Pid tid = 0;
};
/// "p11.1", "p-1", "-1", "0"; a number alone is a process.
std::optional<Thread> thread_in(std::string_view text);
/// "p11.1".
std::string thread_name(Pid pid);

/// Documents of qXfer. Empty: there is no such table.
std::string osdata(std::string_view table, Target& target);
std::string thread_list(std::span<const Pid> pids, Target& target);
std::string library_list(const std::vector<Library>& libraries);

}  // namespace kerr::debug
