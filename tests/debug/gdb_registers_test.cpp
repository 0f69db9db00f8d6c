// Dialogues with gdb-multiarch about registers that only some harts have.
#include <gtest/gtest.h>

#include "isa/assembler.hpp"
#include "isa/text/assemble.hpp"
#include "jobs/run/code.hpp"
#include "tests/debug/dialogue.hpp"

namespace kerr::debug {
namespace {

class GdbRegisters : public Dialogue {
 protected:
  // TRISC0 sets things of its thread, waits until they are set, and comes to `done`.
  static jobs::RunJob tensix() {
    isa::Assembler a;
    for (const char* word :
         {"SEMINIT sem_sel=8, init_value=2, max_value=5", "SETDMAREG reg_index_16b=8, payload_sig_sel=4660",
          "SETADC value=7, dimension=1, channel=0, cnt_set_mask=1", "SFPLOADI imm16=16256, instr_mod0=0, lreg_ind=2"})
      a.ttinsn(isa::assemble_tensix(word));
    a.li(isa::reg::t0, static_cast<int32_t>(arch::kPcBufBase));
    a.lw(isa::reg::t1, isa::reg::t0, 4);  // TTSync
    a.bind(a.label("done"));
    a.nop();
    a.ret();
    jobs::RunJob job;
    job.device.emulator.shards = 1;
    job.kernels.push_back({.image = image::Image::from(a.finish(), "tensix"), .hart = arch::Hart::Trisc0});
    return job;
  }
};

TEST_F(GdbRegisters, ShowTheCoprocessorToATrisc) {
  talk(tensix(), {{"attach 3"},
                  {"info sharedlibrary", {"tensix"}},
                  {"break done", {"Breakpoint 1"}},
                  {"continue", {"Breakpoint 1"}},
                  {"print/x $gpr4", {"= 0x1234"}},
                  {"print $sem3", {"= {value = 2, max = 5}"}},
                  {"print $adc_unp0_ch0.y", {"= 7"}},
                  {"print $lreg2.f[5]", {"= 1"}},
                  {"print/x $lreg2.u[31]", {"= 0x3f800000"}},
                  {"print $cfg_state_id", {"= 0"}},
                  {"print sizeof($cfg)", {"= 896"}},
                  {"print $src_banks", {"{a0_is_fpu = false, a1_is_fpu = false"}},
                  {"info registers tensix", {"sem0", "gpr63", "rwc_dst", "adc_pack_ch1", "lreg0"}},
                  {"info registers gpr4", {"gpr4 0x1234 4660"}}});
}

TEST_F(GdbRegisters, AreWrittenWhereThatMakesSense) {
  talk(tensix(),
       {{"attach 3"},
        {"set $gpr5 = 77"},
        {"print $gpr5", {"= 77"}},
        {"set $sem1 = 0x0301"},
        {"print $sem1", {"{value = 1, max = 3}"}},
        {"set $sem1.value = 2"},
        {"print $sem1", {"{value = 2, max = 3}"}},
        {"print $sem1 = 0x1100", {"Could not write register \"sem1\"", "a semaphore's value and maximum are 0 to 15"}},
        {"set $rwc_dst = 1023"},
        {"print $rwc_dst", {"= 1023"}},
        {"print $rwc_dst = 1024", {"Could not write register \"rwc_dst\"", "this counter is 0 to 1023"}},
        {"set $adc_pack_ch1.x = 5"},
        {"print $adc_pack_ch1", {"x = 5", "y = 0"}},
        {"set $lreg3.f[1] = 1.5"},
        {"print/x $lreg3.u[1]", {"= 0x3fc00000"}},
        {"print $lreg9.u[0] = 1", {"Could not write register \"lreg9\"", "it is a constant"}},
        {"print $cfg_state_id = 1", {"Could not write register \"cfg_state_id\"", "looked at only"}},
        {"print $thcfg[1] = 1", {"SETC16 alone writes it"}},
        {"set $cfg[1] = 3"},
        {"print $cfg[1]", {"= 3"}},
        {"print $minstret = 0", {"Could not write register \"minstret\"", "control registers"}}});
}

TEST_F(GdbRegisters, ShowTheNiusToOtherHarts) {
  talk(add_one(), {{"attach 1"},
                   {"info registers noc", {"noc0_reads_done", "noc1_outstanding"}},
                   {"print $noc0_outstanding", {"= 0"}},
                   {"print $gpr0", {"= void"}},
                   {"print $noc0_writes_sent = 4", {"Could not write register \"noc0_writes_sent\"", "it counts"}}});
}

TEST_F(GdbRegisters, AreThoseOfEachOfTwoProcesses) {
  jobs::RunJob job = tensix();
  job.kernels.push_back({.image = jobs::read_code("nop\n ret\n", "nop.s", 0), .hart = arch::Hart::Brisc});
  talk(job, {{"attach 3"},
             {"print $gpr0", {"= "}},
             {"add-inferior"},
             {"inferior 2"},
             {"attach 1"},
             {"print $noc0_outstanding", {"= 0"}},
             {"inferior 1"},
             {"print $sem0", {"value ="}}});
}

TEST_F(GdbRegisters, MonitorShowsLargeArraysAndConfiguration) {
  talk(tensix(), {{"attach 3"},
                  {"monitor dst 0 1 as fp32", {"0 0 0 0"}},
                  {"monitor dst 600 1 as fp32", {"Dst has rows 0 to 511."}},
                  {"monitor dst 0 1 as bf16", {"0 0 0 0"}},
                  {"monitor dst 0 1 as text", {"as bf16|fp16|fp32|int32"}},
                  {"monitor dst 0 1 2", {"numbers of rows"}},
                  {"monitor srca", {"bank 0, which belongs to the unpackers", "0 00000 00000"}},
                  {"monitor srcb 1 63 5", {"bank 1", "63 00000"}},
                  {"monitor srcb 2", {"a bank, 0 or 1"}},
                  {"monitor cfg ALU_FORMAT SrcA", {"ALU_FORMAT_SPEC_REG_SrcA_val"}},
                  {"monitor cfg nothing_of_this", {"No field has such a name."}}});
}

}  // namespace
}  // namespace kerr::debug
