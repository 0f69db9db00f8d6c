#include "tests/emu/tensix/datapath/lone_script.hpp"

#include <array>
#include <cstdlib>
#include <deque>
#include <sstream>
#include <stdexcept>

namespace kerr::emu {
namespace {

uint32_t number(const std::string& text) {
  char* end = nullptr;
  const unsigned long long value = std::strtoull(text.c_str(), &end, 0);
  if (text.empty() || *end != '\0' || value > 0xFFFFFFFF)
    throw std::runtime_error("'" + text + "' is no 32-bit number");
  return static_cast<uint32_t>(value);
}

std::vector<uint8_t> bytes_of_hex(std::istringstream& line) {
  std::vector<uint8_t> bytes;
  for (std::string word; line >> word;) {
    for (size_t n = 0; n + 1 < word.size(); n += 2) {
      bytes.push_back(static_cast<uint8_t>(number("0x" + word.substr(n, 2))));
    }
  }
  return bytes;
}

constexpr uint32_t kSemaphoreWindow = 0xFFE80020;

struct Step {
  enum class Kind { Push, Config, MopConfig, Semaphore, Drain } kind;
  uint32_t index = 0, value = 0;
};

class LoneScript {
 public:
  void execute(const std::string& text) {
    std::istringstream line(text.substr(0, text.find('#')));
    std::string word;
    if (!(line >> word)) return;
    const auto next = [&] {
      std::string token;
      line >> token;
      return number(token);
    };
    if (word == "bytes") {
      const uint32_t address = next();
      tile_.l1().write(address, bytes_of_hex(line));
    } else if (word == "words") {
      uint32_t address = next();
      for (std::string token; line >> token; address += 4) tile_.l1().store(address, number(token));
    } else if (word == "hart") {
      line >> word;
      if (word.size() != 2 || word[0] != 'T' || word[1] < '0' || word[1] > '2')
        throw std::runtime_error("hart " + word);
      thread_ = static_cast<size_t>(word[1] - '0');
    } else if (word == "run") {
      run();
    } else if (word == "dump") {
      const uint32_t address = next(), bytes = next();
      const std::vector<uint8_t> read = tile_.read(address, bytes);
      result.dumped.insert(result.dumped.end(), read.begin(), read.end());
    } else if (word == "expect") {
      const uint32_t address = next();
      const std::vector<uint8_t> expected = bytes_of_hex(line);
      if (tile_.read(address, expected.size()) != expected) mismatch(text);
    } else if (word == "expect-crc") {
      const uint32_t address = next(), bytes = next();
      line >> word;
      if (crc32(tile_.read(address, bytes)) != number("0x" + word)) mismatch(text);
    } else {
      do add_step(word);
      while (line >> word);
    }
  }

  LoneScriptResult result;

 private:
  void mismatch(const std::string& line) {
    if (result.mismatch.empty()) result.mismatch = line;
  }

  void add_step(const std::string& token) {
    auto& steps = steps_[thread_];
    const size_t equal = token.find('='), star = token.find('*');
    if (token == "drain") {
      steps.push_back({Step::Kind::Drain});
    } else if (equal != std::string::npos) {
      const uint32_t index = number(token.substr(1, equal - 1)), value = number(token.substr(equal + 1));
      switch (token[0]) {
        case 'w': steps.push_back({Step::Kind::Config, index, value}); break;
        case 't': steps.push_back({Step::Kind::Push, 0, LoneCoprocessor::setc16(index, value)}); break;
        case '*':  // the semaphores' window (tile.md 4.4)
          if (index < kSemaphoreWindow || index >= kSemaphoreWindow + 32) throw std::runtime_error(token);
          steps.push_back({Step::Kind::Semaphore, (index - kSemaphoreWindow) / 4, value});
          break;
        case 'm': steps.push_back({Step::Kind::MopConfig, index, value}); break;
        default: throw std::runtime_error(token);
      }
    } else {
      const uint32_t times = star == std::string::npos ? 1 : number(token.substr(0, star));
      const uint32_t word = number(star == std::string::npos ? token : token.substr(star + 1));
      for (uint32_t n = 0; n < times; ++n) steps.push_back({Step::Kind::Push, 0, word});
    }
  }

  // Each hart does its steps in order; a push waits for room in the FIFO, drain for the thread to be idle.
  bool advance_hart(int thread) {
    auto& steps = steps_[static_cast<size_t>(thread)];
    bool moved = false;
    for (; !steps.empty(); steps.pop_front(), moved = true) {
      const Step& step = steps.front();
      Coprocessor& coprocessor = tile_.coprocessor();
      switch (step.kind) {
        case Step::Kind::Push:
          if (!coprocessor.threads[thread].front.push_before_mop(step.value)) return moved;
          break;
        case Step::Kind::Config: tile_.config(step.index, step.value); break;
        case Step::Kind::MopConfig: coprocessor.threads[thread].front.write_mop_config(step.index, step.value); break;
        case Step::Kind::Semaphore: coprocessor.state.semaphores.store(step.index, step.value); break;
        case Step::Kind::Drain:
          if (!coprocessor.idle(thread)) return moved;
          break;
      }
    }
    return moved;
  }

  void run() {
    for (bool progress = true; progress && result.fault.empty();) {
      progress = false;
      for (int t = 0; t < kThreads; ++t) progress |= advance_hart(t);
      progress |= tile_.run_once();
      result.fault = tile_.fault();
    }
    for (int t = 0; t < kThreads && result.fault.empty(); ++t) {
      if (!tile_.stuck(t).empty()) result.fault = "stuck: " + tile_.stuck(t);
    }
  }

  LoneCoprocessor tile_;
  std::array<std::deque<Step>, kThreads> steps_;
  size_t thread_ = 0;
};

}  // namespace

LoneScriptResult run_lone_script(const std::string& text) {
  LoneScript script;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) script.execute(line);
  return script.result;
}

}  // namespace kerr::emu
