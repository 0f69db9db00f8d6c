#include "oracle/script.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>

#include "oracle/program.hpp"
#include "oracle/run.hpp"

namespace kerr::oracle {
namespace {

uint32_t number(const std::string& word) {
  size_t used = 0;
  uint64_t value = 0;
  try {
    value = std::stoull(word, &used, 0);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used == 0 || used != word.size() || value > 0xFFFFFFFF)
    throw std::runtime_error("'" + word + "' is not a 32-bit number");
  return static_cast<uint32_t>(value);
}

std::string hex(const std::vector<uint8_t>& bytes) {
  std::string out;
  for (size_t n = 0; n < bytes.size(); ++n) {
    char text[4];
    std::snprintf(text, sizeof text, "%02X%s", bytes[n], n % 32 == 31 ? "\n" : n % 4 == 3 ? " " : "");
    out += text;
  }
  if (!out.empty() && out.back() != '\n') out += '\n';
  return out;
}

std::vector<uint8_t> bytes_of_hex(std::istringstream& line) {
  std::string digits;
  for (std::string word; line >> word;) digits += word;
  if (digits.size() % 2) throw std::runtime_error("an odd number of hexadecimal digits");
  std::vector<uint8_t> bytes;
  for (size_t n = 0; n < digits.size(); n += 2)
    bytes.push_back(static_cast<uint8_t>(number("0x" + digits.substr(n, 2))));
  return bytes;
}

// One step of a hart's program: w64=0x1, t5=4, m0=1, *0x20000=1, load:0xFFE80004, drain, 0x420000C1, 15*0x41000000,
// rv:0x13.
void add_step(Program& program, const std::string& token) {
  const size_t equal = token.find('=');
  const auto after = [&](size_t at) { return number(token.substr(at)); };
  if (equal != std::string::npos) {
    const uint32_t index = number(token.substr(1, equal - 1)), value = after(equal + 1);
    switch (token[0]) {
      case 'w': program.config(index, value); return;
      case 't': program.thread_config(index, value); return;
      case 'm': program.mop_config(index, value); return;
      case '*': program.store(index, value); return;
      default: break;
    }
  } else if (token == "drain") {
    program.drain();
    return;
  } else if (token.starts_with("load:")) {
    program.load(after(5));
    return;
  } else if (token.starts_with("rv:")) {
    program.raw(after(3));
    return;
  } else if (const size_t star = token.find('*'); star != std::string::npos) {
    for (uint32_t n = number(token.substr(0, star)); n > 0; --n) program.push(after(star + 1));
    return;
  } else if (std::isdigit(static_cast<unsigned char>(token[0]))) {
    program.push(after(0));
    return;
  }
  throw std::runtime_error("'" + token + "' is no step");
}

class Interpreter {
 public:
  explicit Interpreter(Device& device) : device_(device) {}

  void execute(std::istringstream line) {
    std::string word;
    if (!(line >> word)) return;
    if (word == "tile") {
      tile_ = {next(line), next(line)};
    } else if (word == "bytes") {
      const uint32_t address = next(line);
      device_.write(tile_, address, bytes_of_hex(line));
    } else if (word == "words") {
      uint32_t address = next(line);
      for (std::string w; line >> w; address += 4) device_.write32(tile_, address, number(w));
    } else if (word == "file") {
      load_file(next(line), line);
    } else if (word == "hart") {
      line >> word;
      current_ = hart(word);
      programs_[current_];
    } else if (word == "start") {  // code that is in L1 already; it must store 1 to the hart's done word
      line >> word;
      entries_[hart(word)] = next(line);
    } else if (word == "run") {
      run(line);
    } else if (word == "dump") {
      const uint32_t address = next(line), bytes = next(line);
      result.output += hex(device_.read(tile_, address, bytes));
    } else if (word == "crc") {
      const uint32_t address = next(line), bytes = next(line);
      char text[16];
      std::snprintf(text, sizeof text, "%08X\n", crc32(device_.read(tile_, address, bytes)));
      result.output += text;
    } else if (word == "expect") {
      const uint32_t address = next(line);
      const std::vector<uint8_t> expected = bytes_of_hex(line);
      const std::vector<uint8_t> found = device_.read(tile_, address, expected.size());
      if (found != expected) fail("expected " + hex(expected) + "found    " + hex(found));
    } else if (word == "expect-crc") {
      const uint32_t address = next(line), bytes = next(line);
      line >> word;
      const uint32_t expected = number("0x" + word), found = crc32(device_.read(tile_, address, bytes));
      char text[64];
      std::snprintf(text, sizeof text, "expected CRC %08X, found %08X\n", expected, found);
      if (found != expected) fail(text);
    } else {
      if (programs_.empty()) throw std::runtime_error("'" + word + "' is no command, and no hart was named before it");
      do add_step(programs_[current_], word);
      while (line >> word);
    }
  }

  ScriptResult result;

 private:
  static uint32_t next(std::istringstream& line) {
    std::string word;
    if (!(line >> word)) throw std::runtime_error("a number is missing");
    return number(word);
  }

  static Hart hart(const std::string& name) {
    const char* names[] = {"B", "NC", "T0", "T1", "T2"};
    for (unsigned n = 0; n < arch::kHarts; ++n)
      if (name == names[n]) return static_cast<Hart>(n);
    throw std::runtime_error("'" + name + "' is no hart: B, T0, T1, T2, NC");
  }

  void load_file(uint32_t address, std::istringstream& line) {
    std::string path;
    line >> path;
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read '" + path + "'");
    device_.write(tile_, address, std::vector<uint8_t>(std::istreambuf_iterator<char>(file), {}));
  }

  void run(std::istringstream& line) {
    std::string word;
    const uint32_t limit = line >> word ? number(word) : 100000;
    const std::string waiting = run_harts(device_, tile_, programs_, entries_, limit);
    if (!waiting.empty()) fail("not finished after " + std::to_string(limit) + " cycles: " + waiting + "\n");
    programs_.clear();
    entries_.clear();
  }

  void fail(const std::string& text) {
    result.passed = false;
    result.output += text;
  }

  Device& device_;
  TileXy tile_;
  std::map<Hart, Program> programs_;
  std::map<Hart, uint32_t> entries_;
  Hart current_ = Hart::Brisc;
};

}  // namespace

ScriptResult run_script(Device& device, const std::string& text) {
  Interpreter interpreter(device);
  std::istringstream lines(text);
  unsigned line_number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++line_number;
    try {
      interpreter.execute(std::istringstream(line.substr(0, line.find('#'))));
    } catch (const std::runtime_error& e) {
      throw std::runtime_error("line " + std::to_string(line_number) + ": " + e.what());
    }
  }
  return interpreter.result;
}

}  // namespace kerr::oracle
