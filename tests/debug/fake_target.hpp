// Two processes with 4 KiB of memory each, and notes of what was asked of them.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "debug/target.hpp"

namespace kerr::debug {

class FakeTarget final : public Target {
 public:
  struct Hart {
    std::vector<uint32_t> registers = std::vector<uint32_t>(kRegisters);
    std::vector<uint8_t> memory = std::vector<uint8_t>(4096);
    std::vector<uint32_t> breakpoints;
    std::vector<Watch> watches;
    bool steps = false;
  };
  std::map<Pid, Hart> harts{{1, {}}, {2, {}}};
  std::string symbols =
      "\x7F"
      "ELF of all #$}*";

  std::vector<Process> processes() override {
    return {{1, "(1,2) BRISC", "running, pc 0x40", "add.s"}, {2, "(1,2) NCRISC", "<polls & waits>", ""}};
  }
  bool exists(Pid pid) override { return harts.contains(pid); }
  void attach(Pid) override {}
  std::string name(Pid pid) override { return pid == 1 ? "(1,2) BRISC" : "(1,2) NCRISC"; }
  std::vector<Library> libraries(Pid pid) override {
    if (pid != 1) return {};
    return {{"/kerr/add.elf", {0x4000}}};
  }
  std::string program() override { return "/kerr/add.elf"; }
  const std::string* file(std::string_view name) override { return name == "/kerr/add.elf" ? &symbols : nullptr; }
  std::vector<uint32_t> registers(Pid pid) override { return harts.at(pid).registers; }
  RegisterSet register_set(Pid pid) override { return pid == 2 ? RegisterSet::Tensix : RegisterSet::Noc; }
  std::vector<uint32_t> one_register(Pid pid, uint32_t number) override {
    if (number < kRegisters) return {harts.at(pid).registers[number]};
    return number == kRegisters ? wide : std::vector<uint32_t>();
  }
  std::string write_register(Pid pid, uint32_t number, std::span<const uint32_t> words) override {
    if (number == kRegisters && words.size() == wide.size()) return wide.assign(words.begin(), words.end()), "";
    if (number > kPcRegister || words.size() != 1) return "it is looked at only";
    harts.at(pid).registers[number] = words[0];
    return "";
  }
  std::vector<uint32_t> wide{1, 2, 3, 4};  // behind the registers that all harts have
  uint32_t pc(Pid pid) override { return harts.at(pid).registers[kPcRegister]; }
  size_t read(Pid pid, uint32_t address, std::span<uint8_t> out) override {
    const std::vector<uint8_t>& memory = harts.at(pid).memory;
    if (address >= memory.size()) return 0;
    const size_t bytes = std::min(out.size(), memory.size() - address);
    std::copy_n(memory.begin() + address, bytes, out.begin());
    return bytes;
  }
  bool write(Pid pid, uint32_t address, std::span<const uint8_t> bytes) override {
    std::vector<uint8_t>& memory = harts.at(pid).memory;
    if (address > memory.size() || bytes.size() > memory.size() - address) return false;
    std::ranges::copy(bytes, memory.begin() + address);
    return true;
  }
  bool set_breakpoints(Pid pid, std::vector<uint32_t> addresses) override {
    harts.at(pid).breakpoints = std::move(addresses);
    return true;
  }
  bool can_watch(Pid, const Watch& watch) override {
    return watch.bytes != 0 && watch.address < 4096 && watch.bytes <= 4096 - watch.address;
  }
  void set_watches(Pid pid, const std::vector<Watch>& watches) override { harts.at(pid).watches = watches; }
  void step(Pid pid, bool steps) override { harts.at(pid).steps = steps; }
  bool is_recorded() const override { return recorded; }
  bool recorded = false;
  std::string monitor(Pid pid, std::string_view command) override {
    return std::to_string(pid) + ": " + std::string(command) + "\n";
  }
};

}  // namespace kerr::debug
