// A polynomial and an exponent, the shape of exp(), on a vector of 32 elements: what one pass of the vector unit's
// kernel executes. LRegs 4 to 7 hold its constants; the result goes to the tile behind.
#pragma once

namespace kerr::bench {

inline constexpr const char* kExponential[] = {"SFPLOAD lreg_ind=0, instr_mod0=2, sfpu_addr_mode=7",
                                               "SFPMULI lreg_dest=0, imm16_math=0x3FB8",
                                               "SFPMAD lreg_src_a=0, lreg_src_b=4, lreg_src_c=5, lreg_dest=1",
                                               "SFPNOP",
                                               "SFPMAD lreg_src_a=0, lreg_src_b=1, lreg_src_c=6, lreg_dest=1",
                                               "SFPNOP",
                                               "SFPMAD lreg_src_a=0, lreg_src_b=1, lreg_src_c=7, lreg_dest=1",
                                               "SFPEXEXP lreg_dest=2, lreg_c=0, instr_mod1=1",
                                               "SFPIADD lreg_dest=2, lreg_c=2, imm12=3, instr_mod1=5",
                                               "SFPSETEXP lreg_dest=2, lreg_c=1",
                                               "SFPSETCC lreg_c=0",
                                               "SFPARECIP lreg_dest=2, lreg_c=2",
                                               "SFPENCC instr_mod1=10, imm12=3",
                                               "SFPSTORE lreg_ind=2, instr_mod0=2, sfpu_addr_mode=3, dest_reg_addr=64"};

}  // namespace kerr::bench
