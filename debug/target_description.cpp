// target.xml: the registers of a hart, in the order in which `g` sends the first of them.
#include <fmt/format.h>

#include "arch/tensix_config.hpp"
#include "debug/own_registers.hpp"
#include "debug/target.hpp"

namespace kerr::debug {

namespace {

constexpr const char* kNames[] = {"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "fp", "s1", "a0",
                                  "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                  "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};

// Types of own_registers.hpp.
constexpr const char* kTypes = R"(<vector id="kerr_floats" type="ieee_single" count="32"/>
<vector id="kerr_words" type="uint32" count="32"/>
<union id="kerr_lanes"><field name="f" type="kerr_floats"/><field name="u" type="kerr_words"/></union>
<struct id="kerr_semaphore" size="4">
<field name="value" start="0" end="7"/><field name="max" start="8" end="15"/>
</struct>
<struct id="kerr_address_counters">
<field name="x" type="uint32"/><field name="y" type="uint32"/>
<field name="z" type="uint32"/><field name="w" type="uint32"/>
<field name="x_cr" type="uint32"/><field name="y_cr" type="uint32"/>
<field name="z_cr" type="uint32"/><field name="w_cr" type="uint32"/>
</struct>
<struct id="kerr_banks" size="4">
<field name="a0_is_fpu" start="0" end="0"/><field name="a1_is_fpu" start="1" end="1"/>
<field name="a_unpack" start="2" end="2"/>
<field name="a_fpu" start="3" end="3"/><field name="b0_is_fpu" start="4" end="4"/>
<field name="b1_is_fpu" start="5" end="5"/>
<field name="b_unpack" start="6" end="6"/><field name="b_fpu" start="7" end="7"/>
</struct>
)";

std::string make(RegisterSet set) {
  // Without osabi "none" a multiarch gdb takes the target for Linux, and never asks for libraries.
  std::string out =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target version=\"1.0\">\n"
      "<architecture>riscv:rv32</architecture>\n<osabi>none</osabi>\n"
      "<feature name=\"org.gnu.gdb.riscv.cpu\">\n";
  uint32_t number = 0;
  const auto add = [&](std::string_view name, std::string_view type, uint32_t bits = 32, std::string_view more = "") {
    out += fmt::format("<reg name=\"{}\" bitsize=\"{}\" type=\"{}\" regnum=\"{}\"{}/>\n", name, bits, type, number++,
                       more);
  };
  for (const char* name : kNames) add(name, "int");
  add("pc", "code_ptr");
  out += "</feature>\n<feature name=\"org.gnu.gdb.riscv.fpu\">\n";
  for (int i = 0; i < 32; ++i) add(fmt::format("f{}", i), "ieee_single");
  for (const char* name : {"fflags", "frm", "fcsr"}) add(name, "int");
  out += "</feature>\n<feature name=\"kerr.csr\">\n";
  for (const char* name : {"cfg0", "mcycle", "mcycleh", "minstret"}) add(name, "int");
  const std::string_view group = set == RegisterSet::Tensix ? "tensix" : "noc";
  out += fmt::format("</feature>\n<feature name=\"kerr.{}\">\n", group);
  if (set == RegisterSet::Tensix) {
    out += kTypes;
    out += fmt::format(
        "<vector id=\"kerr_config\" type=\"uint32\" count=\"{}\"/>\n"
        "<vector id=\"kerr_thread_config\" type=\"uint16\" count=\"{}\"/>\n",
        arch::kConfigWords, arch::kThreadConfigWords);
  }
  const std::string more = fmt::format(" group=\"{}\" save-restore=\"no\"", group);
  for (const OwnRegister& own : own_registers(set)) add(own.name, own.type, own.bits, more);
  return out + "</feature>\n</target>\n";
}

}  // namespace

std::span<const OwnRegister> own_registers(RegisterSet set) {
  static const std::vector<OwnRegister> tensix = tensix_registers(), noc = noc_registers();
  return set == RegisterSet::Tensix ? tensix : noc;
}

std::string_view target_description(RegisterSet set) {
  static const std::string tensix = make(RegisterSet::Tensix), noc = make(RegisterSet::Noc);
  return set == RegisterSet::Tensix ? tensix : noc;
}

}  // namespace kerr::debug
