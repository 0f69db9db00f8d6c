// Which room of the house includes which. docs/architecture.md "Which room includes which"
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kerr {

/// A row of the page: a folder, or the files of one class ("host/device/emulated_device"), and what it may include.
struct Room {
  std::string name;
  std::vector<std::string> includes;
};

/// The rows of the table under the heading "Which room includes which", from the lowest floor up.
std::vector<Room> rooms_of(std::string_view page);

/// The room in which a file lies: of those that hold it the one with the longest name; "" if there is none.
std::string room_of(std::string_view file, const std::vector<Room>& rooms);

/// Files by name, and what they include in quotation marks.
using Includes = std::map<std::string, std::vector<std::string>>;

/// What the sources under the folders of `rooms` include.
Includes includes_under(const std::filesystem::path& root, const std::vector<Room>& rooms);

/// An arrow that the page does not have, one of the page that nobody uses, one that does not point downwards; a line
/// each.
std::vector<std::string> wrong_arrows(const std::vector<Room>& rooms, const Includes& includes);

}  // namespace kerr
