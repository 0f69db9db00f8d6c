// Findings as a checker would make them: a page that is pushed too early, and Dst that is packed too early.
#pragma once

#include <string>

#include "check/finding.hpp"

namespace kerr::check {

inline Frame frame(std::string function, uint32_t offset, std::string file, uint32_t line) {
  return {.function = std::move(function), .offset = offset, .file = std::move(file), .line = line};
}

inline Object page(TileId tile, int index) {
  return {.space = Space::L1,
          .tile = tile,
          .address = 0x38000 + 2048u * static_cast<uint32_t>(index),
          .bytes = 2048,
          .name = "CB 0 page " + std::to_string(index)};
}

inline Finding pushed_early(TileId tile = TileId::at(0, 3, 2), Cycle cycle = 181'219, int index = 3) {
  Site read{.op = "write", .who = Site::Who::Transfer, .tile = tile, .agent = emu::Agent::Brisc};
  read.lane = "NoC 0 read, request 118";
  read.cycle = cycle - 15;
  read.pc = 0x8a5c;
  read.hart = emu::Agent::Brisc;
  read.word = 0x00a62023;
  read.kernel = "reader";
  read.frames = {frame("reader_tiles()", 0x5c, "kernels/reader.cpp", 71)};
  read.detail = {"read of 2048 bytes"};
  read.remote = {.space = Space::Dram, .tile = TileId::at(0, 9, 3), .address = 0x124000, .bytes = 2048};
  read.where = page(tile, index);
  Site push{.op = "push", .who = Site::Who::Hart, .tile = tile, .agent = emu::Agent::Brisc};
  push.cycle = cycle;
  push.pc = 0x8a74;
  push.hart = emu::Agent::Brisc;
  push.kernel = "reader";
  push.frames = {frame("reader_tiles()", 0x74, "kernels/reader.cpp", 74)};
  push.detail = {"stream 8 register 10 (pages pushed to CB 0) := 4"};
  return {.rule = Rule::CbIncomplete,
          .what = "CB 0 page 3 of program 'sum_rows': pushed while a read into it is under way",
          .object = page(tile, index),
          .first = read,
          .then = push,
          .order = {"nothing waits for request 118 between the two.",
                    "noc_async_read_barrier of NoC 0 at reader.cpp:68 came before it and covers requests up to 114."},
          .mend = {"wait until RD_RESP_RECEIVED of NoC 0 (FFB20208) equals the reads issued, after reader.cpp:71 and "
                   "before :74",
                   true},
          .outcome = Outcome::Latent,
          .outcome_text = "in this run the data came 388 cycles after the push, 41 before T0 unpacked the page",
          .cycle = cycle,
          .tile = tile,
          .agent = emu::Agent::Brisc};
}

inline Finding packed_early(TileId tile = TileId::at(0, 5, 4)) {
  Site move{.op = "write", .who = Site::Who::Thread, .tile = tile, .agent = emu::Agent::Thread1};
  move.lane = "FPU, 8th of the MOP";
  move.cycle = 90'112;
  move.pc = 0x72c4;
  move.hart = emu::Agent::Trisc1;
  move.word = 0x12000000;
  move.frames = {frame("copy()", 0x2c4, "copy.cpp", 140)};
  Site pack{.op = "read", .who = Site::Who::Packer, .tile = tile, .agent = emu::Agent::Thread2};
  pack.lane = "packer";
  pack.cycle = 90'130;
  pack.hart = emu::Agent::Trisc2;
  pack.word = 0x41000000;
  pack.frames = {frame("pack()", 0x88, "pack.cpp", 52)};
  return {.rule = Rule::Race,
          .what = "Dst rows 0..7 (section 0): packed while the matrix unit may still write them",
          .object = {.tile = tile, .name = "Dst rows 0..7"},
          .first = move,
          .then = pack,
          .order = {"T2 has T1's clock from SEMPOST 1 (copy.cpp:144), which was not held until the FPU was done"},
          .mend = {"STALLWAIT(block sync, C4) before the SEMPOST", true},
          .outcome = Outcome::Latent,
          .cycle = 90'130,
          .tile = tile,
          .agent = emu::Agent::Thread2};
}

}  // namespace kerr::check
