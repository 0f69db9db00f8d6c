#include "tests/emu/tile/program_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "arch/memory_map.hpp"
#include "isa/riscv/instructions.hpp"
#include "isa/text/assemble.hpp"

namespace kerr::emu {
namespace {

using namespace isa::reg;
using isa::Assembler;

constexpr uint32_t kConfigWindow = 0xFFEF0000, kThreadIdle = 0xFFE80004;
constexpr uint32_t kDone = 0x00100000;  // three words behind everything that programs use
constexpr uint32_t kDoneValue = 0xD09E;

void append(std::vector<uint32_t>& code, const std::function<void(Assembler&)>& emit) {
  Assembler a;
  emit(a);
  const isa::Code made = a.finish();
  for (uint32_t at = made.base; at < made.end(); at += 4) code.push_back(made.word_at(at));
}

void wait_for_thread(Assembler& a) {
  a.li(t5, kThreadIdle);
  a.sw(zero, t5);
  a.lw(t6, t5);
  a.addi(t6, t6, 0);  // a load is waited for where its value is used
}

std::vector<uint8_t> bytes_of(const std::string& hex) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  if (bytes.empty()) throw std::invalid_argument("no bytes");
  return bytes;
}

uint32_t number(std::istream& in) {
  std::string text;
  if (!(in >> text)) throw std::invalid_argument("a number is missing");
  size_t used = 0;
  const unsigned long value = std::stoul(text, &used, 16);
  if (used != text.size() || value > 0xFFFFFFFF) throw std::invalid_argument("'" + text + "' is no number");
  return static_cast<uint32_t>(value);
}

std::string rest_of(std::istream& in) {
  std::string text;
  std::getline(in >> std::ws, text);
  return text.substr(0, text.find_last_not_of(" \t\r") + 1);
}

uint32_t tensix_word(const std::string& text) {
  const bool is_hex =
      !text.empty() && text.size() <= 8 && text.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
  return is_hex ? static_cast<uint32_t>(std::stoul(text, nullptr, 16)) : isa::assemble_tensix(text);
}

void read_line(const std::string& line, ProgramFile& file, size_t& thread) {
  std::istringstream in(line.substr(0, line.find('#')));
  std::string what;
  if (!(in >> what)) return;
  std::vector<uint32_t>& code = file.code[thread];
  if (what == "fill") {
    const uint32_t address = number(in), bytes = number(in);
    file.fills.push_back({address, bytes, bytes_of(rest_of(in))});
  } else if (what == "thread") {
    thread = number(in);
    if (thread >= file.code.size()) throw std::invalid_argument("there are threads 0, 1 and 2");
  } else if (what == "ins") {
    code.push_back(isa::riscv::ttinsn(tensix_word(rest_of(in))));
  } else if (what == "cfg") {
    const uint32_t word = number(in), value = number(in);
    append(code, [&](Assembler& a) {
      a.li(t5, kConfigWindow + 4 * word);
      a.li(t6, value);
      a.sw(t6, t5);
    });
  } else if (what == "raw") {
    code.push_back(number(in));
  } else if (what == "sync") {
    append(code, wait_for_thread);
  } else if (what == "want") {
    const uint32_t address = number(in), bytes = number(in), value = number(in);
    file.wants.push_back({address, bytes, value, line});
  } else if (what == "remark") {
    file.remarks.push_back(rest_of(in));
  } else {
    throw std::invalid_argument("unknown operation '" + what + "'");
  }
}

}  // namespace

ProgramFile ProgramFile::read(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path);
  ProgramFile file;
  size_t thread = 0, number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    try {
      read_line(line, file, thread);
    } catch (const std::exception& error) {
      throw std::runtime_error(path + ":" + std::to_string(number) + ": " + error.what());
    }
  }
  return file;
}

std::string ProgramFile::path_of(const std::string& name) {
  return KERR_SOURCE_DIR "/tests/emu/tile/programs/" + name + ".prog";
}

std::vector<std::string> ProgramFile::names() {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(KERR_SOURCE_DIR "/tests/emu/tile/programs")) {
    if (entry.path().extension() == ".prog") all.push_back(entry.path().stem().string());
  }
  std::sort(all.begin(), all.end());
  return all;
}

void ProgramFile::run(World& world) const {
  Tile& tile = world.tile();
  for (const Fill& fill : fills) {
    std::vector<uint8_t> bytes(fill.bytes);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = fill.pattern[i % fill.pattern.size()];
    ASSERT_TRUE(tile.host_write(fill.address, bytes));
  }
  for (size_t t = 0; t < code.size(); ++t) {
    if (code[t].empty()) continue;
    start(tile, static_cast<arch::Hart>(static_cast<size_t>(arch::Hart::Trisc0) + t), [&](Assembler& a) {
      for (const uint32_t word : code[t]) a.word(word);
      wait_for_thread(a);
      a.li(t5, kDone + 4 * static_cast<uint32_t>(t));
      a.li(t6, kDoneValue);
      a.sw(t6, t5);
    });
  }
  const auto is_done = [&] {
    for (size_t t = 0; t < code.size(); ++t) {
      if (!code[t].empty() && word(tile, kDone + 4 * t) != kDoneValue) return false;
    }
    return true;
  };
  for (int window = 0; window < 64 && !is_done() && !tile.faults().any(); ++window) world.run(1024);
  for (const Fault& fault : tile.faults().take()) ADD_FAILURE() << fault.text();
  EXPECT_TRUE(is_done()) << "it does not end";
  for (const Want& want : wants) {
    const uint32_t there = word(tile, want.address & ~3u) >> 8 * (want.address & 3);
    const uint32_t mask = want.bytes >= 4 ? ~0u : (1u << 8 * want.bytes) - 1;
    EXPECT_EQ(there & mask, want.value) << want.line;
  }
  for (const std::string& text : remarks) {
    const std::vector<Remark>& all = tile.remarks().remarks();
    EXPECT_TRUE(
        std::any_of(all.begin(), all.end(), [&](const Remark& r) { return r.text().find(text) != std::string::npos; }))
        << "no remark says '" << text << "'";
  }
}

}  // namespace kerr::emu
