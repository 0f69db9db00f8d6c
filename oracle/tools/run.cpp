// kerr_oracle_run LIBRARY SCRIPT...: runs scripts against any library with the libttsim C ABI. See README.md.
#include <cstdio>
#include <fstream>
#include <iterator>

#include "oracle/isolate.hpp"
#include "oracle/script.hpp"
#include "oracle/tools/tool.hpp"

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
    Device device(library_path);
    const ScriptResult result = run_script(device, text);
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
  constexpr const char* kUsage = "kerr_oracle_run LIBRARY.so SCRIPT...   (language: oracle/README.md)";
  return tool_main(argc, argv, kUsage, 2, [](int words, char** word) {
    bool passed = true;
    for (int n = 2; n < words; ++n) passed &= run_file(word[1], word[n]);
    return passed ? 0 : 1;
  });
}
