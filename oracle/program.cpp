#include "oracle/program.hpp"

namespace kerr::oracle {
namespace {

enum Register : uint32_t { kAddress = 5, kValue = 6, kPush = 8 };  // t0, t1, s0

constexpr uint32_t kPushWindow = arch::kInstructionPushBase;

void load_immediate(std::vector<uint32_t>& words, Register rd, uint32_t value) {
  const uint32_t upper = (value + 0x800) & 0xFFFFF000;
  words.push_back(upper | rd << 7 | 0x37);                                       // lui rd, upper
  words.push_back((value - upper) << 20 | rd << 15 | uint32_t{rd} << 7 | 0x13);  // addi rd, rd, low
}
void store_word(std::vector<uint32_t>& words, Register base) {
  words.push_back(uint32_t{kValue} << 20 | base << 15 | 2 << 12 | 0x23);  // sw t1, 0(base)
}
void load_word(std::vector<uint32_t>& words) {
  words.push_back(uint32_t{kAddress} << 15 | 2 << 12 | kValue << 7 | 0x03);  // lw t1, 0(t0)
}

}  // namespace

Program& Program::store(uint32_t address, uint32_t value) {
  load_immediate(words_, kAddress, address);
  load_immediate(words_, kValue, value);
  store_word(words_, kAddress);
  return *this;
}

Program& Program::load(uint32_t address) {
  load_immediate(words_, kAddress, address);
  load_word(words_);
  words_.push_back(uint32_t{kValue} << 15 | kValue << 7 | 0x13);  // addi t1, t1, 0
  return *this;
}

Program& Program::copy(uint32_t to, uint32_t from) {
  load(from);
  load_immediate(words_, kAddress, to);
  store_word(words_, kAddress);
  return *this;
}

Program& Program::push(uint32_t tensix_word) {
  load_immediate(words_, kValue, tensix_word);
  store_word(words_, kPush);
  return *this;
}

Program& Program::raw(uint32_t word) {
  words_.push_back(word);
  return *this;
}

std::vector<uint32_t> Program::finish(uint32_t done_address, uint32_t done_value) const {
  std::vector<uint32_t> code;
  load_immediate(code, kPush, kPushWindow);
  code.insert(code.end(), words_.begin(), words_.end());
  load_immediate(code, kAddress, done_address);
  load_immediate(code, kValue, done_value);
  store_word(code, kAddress);
  code.push_back(0x0000006F);  // j .
  return code;
}

}  // namespace kerr::oracle
