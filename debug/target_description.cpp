// target.xml: the registers of a hart, in the order in which `g` sends them.
#include <fmt/format.h>

#include "debug/target.hpp"

namespace kerr::debug {

namespace {

constexpr const char* kNames[] = {"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "fp", "s1", "a0",
                                  "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                  "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};

std::string make() {
  // Without osabi "none" a multiarch gdb takes the target for Linux, and never asks for libraries.
  std::string out =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target version=\"1.0\">\n"
      "<architecture>riscv:rv32</architecture>\n<osabi>none</osabi>\n"
      "<feature name=\"org.gnu.gdb.riscv.cpu\">\n";
  uint32_t number = 0;
  const auto add = [&](std::string_view name, std::string_view type) {
    out += fmt::format("<reg name=\"{}\" bitsize=\"32\" type=\"{}\" regnum=\"{}\"/>\n", name, type, number++);
  };
  for (const char* name : kNames) add(name, "int");
  add("pc", "code_ptr");
  out += "</feature>\n<feature name=\"org.gnu.gdb.riscv.fpu\">\n";
  for (int i = 0; i < 32; ++i) add(fmt::format("f{}", i), "ieee_single");
  for (const char* name : {"fflags", "frm", "fcsr"}) add(name, "int");
  out += "</feature>\n<feature name=\"kerr.csr\">\n";
  for (const char* name : {"cfg0", "mcycle", "mcycleh", "minstret"}) add(name, "int");
  return out + "</feature>\n</target>\n";
}

}  // namespace

std::string_view target_description() {
  static const std::string text = make();
  return text;
}

}  // namespace kerr::debug
