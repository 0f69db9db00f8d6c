// kerr_oracle_run LIBRARY SCRIPT...: runs scripts against any library with the libttsim C ABI. See README.md.
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>

#include "tests/oracle/isolate.hpp"
#include "tests/oracle/library.hpp"
#include "tests/oracle/script.hpp"

namespace {

using namespace kerr::oracle;

bool run_file(const std::string& library_path, const char* script_path) {
  std::ifstream file(script_path);
  if (!file) {
    std::fprintf(stderr, "%s: cannot read the script\n", script_path);
    return false;
  }
  const std::string text(std::istreambuf_iterator<char>(file), {});
  bool passed = false;
  const Outcome outcome = isolate([&] {
    Library library(library_path);
    ScriptResult result;
    {
      Device device(library);
      result = run_script(device, text);
    }
    std::vector<uint8_t> bytes(result.output.begin(), result.output.end());
    bytes.push_back(result.passed);
    return bytes;
  });
  if (outcome.finished && !outcome.bytes.empty()) {
    passed = outcome.bytes.back() != 0;
    std::fwrite(outcome.bytes.data(), 1, outcome.bytes.size() - 1, stdout);
    std::printf("%s: %s\n", script_path, passed ? "passed" : "FAILED");
  } else {
    std::printf("%s\n%s: the library ended the run\n", outcome.message.c_str(), script_path);
  }
  return passed;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: kerr_oracle_run LIBRARY.so SCRIPT...   (language: tests/oracle/README.md)\n");
    return 2;
  }
  bool passed = true;
  for (int n = 2; n < argc; ++n) {
    try {
      passed &= run_file(argv[1], argv[n]);
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s: %s\n", argv[n], e.what());
      passed = false;
    }
  }
  return passed ? 0 : 1;
}
