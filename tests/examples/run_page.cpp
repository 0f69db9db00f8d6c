// run_page PAGE SOURCES BUILD SCRATCH: runs the commands of a page and compares what they print with what it says.
// It runs those that begin with build/release/, which BUILD stands for; the others are for the reader, who builds
// first. They run in SCRATCH, a folder of their own that looks like the root of the repository: what they write stays
// there.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "tests/examples/page.hpp"

namespace fs = std::filesystem;
using namespace kerr;

namespace {

// Standard output and standard error together, as a terminal shows them. Sets `status` to what the shell says.
std::string output_of(const std::string& command, int& status) {
  std::FILE* pipe = popen(("{ " + command + "\n} 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no shell");
  std::string output;
  char buffer[4096];
  for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) output.append(buffer, n);
  status = pclose(pipe);
  return output;
}

void enter(const fs::path& scratch, const fs::path& sources, const fs::path& build) {
  fs::remove_all(scratch);
  fs::create_directories(scratch / "build");
  for (const auto& entry : fs::directory_iterator(sources)) {
    const fs::path name = entry.path().filename();
    if (name != "build" && !name.string().starts_with('.')) fs::create_symlink(entry.path(), scratch / name);
  }
  fs::create_directory_symlink(build, scratch / "build/release");
  fs::current_path(scratch);
}

int run(const fs::path& page) {
  std::ifstream file(page, std::ios::binary);
  if (!file) throw std::runtime_error("there is no " + page.string());
  int commands = 0, wrong = 0;
  for (const Command& command : commands_of(std::string{std::istreambuf_iterator<char>(file), {}})) {
    if (!command.line.starts_with("build/release/")) continue;
    ++commands;
    int status = 0;
    const std::string output = output_of(command.line, status);
    std::string what = difference(command.output, lines_of(output));
    if (status != 0) what += (what.empty() ? "" : "\n") + ("it ends with status " + std::to_string(status));
    if (what.empty()) continue;
    ++wrong;
    std::printf("%s: '%s' does not print what the page says\n%s\nall that it printed:\n%s\n", page.c_str(),
                command.line.c_str(), what.c_str(), output.c_str());
  }
  if (commands == 0) std::printf("%s: no command begins with build/release/\n", page.c_str());
  return wrong == 0 && commands != 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 5) {
    std::fprintf(stderr, "run_page PAGE SOURCES BUILD SCRATCH\n");
    return 2;
  }
  const fs::path page = fs::absolute(arguments[1]);
  enter(fs::absolute(arguments[4]), fs::absolute(arguments[2]), fs::absolute(arguments[3]));
  return run(page);
} catch (const std::exception& error) {
  std::fprintf(stderr, "run_page: %s\n", error.what());
  return 2;
}
