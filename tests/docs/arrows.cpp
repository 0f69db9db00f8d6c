#include "tests/docs/arrows.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <sstream>

namespace kerr {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHeading = "### Which room includes which\n";
constexpr std::array<std::string_view, 7> kSources{".cpp", ".hpp", ".def", ".inc", ".S", ".c", ".h"};

bool holds(std::string_view room, std::string_view file) {
  return file.starts_with(room) && file.size() > room.size() && (file[room.size()] == '/' || file[room.size()] == '.');
}

// The words of a line that stand between two of `mark`.
std::vector<std::string> between(const std::string& line, char mark) {
  std::vector<std::string> all;
  for (size_t begin = line.find(mark); begin != std::string::npos;) {
    const size_t end = line.find(mark, begin + 1);
    if (end == std::string::npos) break;
    all.push_back(line.substr(begin + 1, end - begin - 1));
    begin = line.find(mark, end + 1);
  }
  return all;
}

std::vector<std::string> includes_of(const fs::path& path) {
  std::ifstream file(path);
  std::vector<std::string> all;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("#include \"")) continue;
    all.push_back(between(line, '"').front());
  }
  return all;
}

}  // namespace

std::vector<Room> rooms_of(std::string_view page) {
  const size_t heading = page.find(kHeading);
  if (heading == std::string_view::npos) return {};
  std::istringstream lines{std::string(page.substr(heading + kHeading.size()))};
  std::vector<Room> rooms;
  for (std::string line; std::getline(lines, line) && !line.starts_with('#');) {
    if (!line.starts_with("| `")) continue;
    std::vector<std::string> names = between(line, '`');
    rooms.push_back({names[0], {names.begin() + 1, names.end()}});
  }
  return rooms;
}

std::string room_of(std::string_view file, const std::vector<Room>& rooms) {
  std::string found;
  for (const Room& room : rooms) {
    if (room.name.size() > found.size() && holds(room.name, file)) found = room.name;
  }
  return found;
}

Includes includes_under(const fs::path& root, const std::vector<Room>& rooms) {
  std::set<std::string> folders;
  for (const Room& room : rooms) folders.insert(room.name.substr(0, room.name.find('/')));
  Includes all;
  for (const std::string& folder : folders) {
    if (!fs::exists(root / folder)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      if (std::find(kSources.begin(), kSources.end(), entry.path().extension().string()) == kSources.end()) continue;
      all[entry.path().lexically_relative(root).string()] = includes_of(entry.path());
    }
  }
  return all;
}

std::vector<std::string> wrong_arrows(const std::vector<Room>& rooms, const Includes& includes) {
  std::vector<std::string> wrong;
  std::map<std::pair<std::string, std::string>, bool> used;  // of the arrows of the page
  std::set<std::string> lower;
  for (const Room& room : rooms) {
    for (const std::string& other : room.includes) {
      used[{room.name, other}] = false;
      if (!lower.contains(other)) wrong.push_back(room.name + " -> " + other + " does not point to a row above");
    }
    lower.insert(room.name);
  }
  for (const auto& [file, names] : includes) {
    const std::string from = room_of(file, rooms);
    if (from.empty()) wrong.push_back(file + " is in no room");
    for (const std::string& name : names) {
      const std::string to = room_of(name, rooms);
      if (from.empty() || to.empty() || to == from) continue;
      if (const auto arrow = used.find({from, to}); arrow != used.end()) {
        arrow->second = true;
      } else {
        wrong.push_back(file + " includes " + name + ": " + from + " -> " + to + " is not on the page");
      }
    }
  }
  for (const auto& [arrow, is_used] : used) {
    if (!is_used) wrong.push_back("nobody uses " + arrow.first + " -> " + arrow.second);
  }
  return wrong;
}

}  // namespace kerr
