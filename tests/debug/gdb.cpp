#include "tests/debug/gdb.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace kerr::debug {

namespace {

constexpr const char* kGdb = "/usr/bin/gdb-multiarch";

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) c == '\'' ? out += "'\\''" : out += c;
  return out + "'";
}

}  // namespace

bool has_gdb() { return access(kGdb, X_OK) == 0; }

std::vector<std::string> gdb(uint16_t port, const std::vector<std::string>& commands) {
  const std::string mark = "=== next command ===";
  std::string line = std::string("timeout 120 ") + kGdb + " -nx -q -batch";
  std::vector<std::string> all = {"set pagination off",   "set confirm off",
                                  "set width 0",          "set style enabled off",
                                  "set remotetimeout 30", "target extended-remote localhost:" + std::to_string(port)};
  const size_t own = all.size();
  all.insert(all.end(), commands.begin(), commands.end());
  const std::string echo = " -ex " + quoted("echo \\n" + mark + "\\n");
  for (const std::string& command : all) line += " -ex " + quoted(command) + echo;
  std::string output;
  if (std::FILE* pipe = popen((line + " 2>&1 </dev/null").c_str(), "r")) {
    char bytes[4096];
    while (const size_t count = std::fread(bytes, 1, sizeof bytes, pipe)) output.append(bytes, count);
    pclose(pipe);
  }
  std::vector<std::string> out;
  for (size_t begin = 0, end = 0; (end = output.find(mark, begin)) != std::string::npos; begin = end + mark.size())
    out.push_back(output.substr(begin, end - begin));
  out.erase(out.begin(), out.begin() + static_cast<ptrdiff_t>(std::min(own, out.size())));
  out.resize(commands.size());
  return out;
}

bool has_words(const std::string& text, const std::string& pattern) {
  std::string flat;
  std::istringstream words(text);
  for (std::string word; words >> word;) flat += word + " ";
  size_t at = 0;
  std::string piece;
  const auto find_piece = [&] {
    while (piece.ends_with(' ')) piece.pop_back();
    while (piece.starts_with(' ')) piece.erase(0, 1);
    if (piece.empty()) return true;
    at = flat.find(piece, at);
    if (at == std::string::npos) return false;
    at += piece.size();
    piece.clear();
    return true;
  };
  std::string rest;
  std::istringstream of_pattern(pattern);
  for (std::string word; of_pattern >> word;) rest += word + " ";
  for (size_t i = 0; i < rest.size();) {
    if (rest.compare(i, 3, "...") == 0) {
      if (!find_piece()) return false;
      i += 3;
    } else {
      piece += rest[i++];
    }
  }
  return find_piece();
}

}  // namespace kerr::debug
