// What is fuzzed. Each target takes any bytes and must return: no crash, no access out of bounds, no hang. libFuzzer
// calls one (libfuzzer_main.cpp, KERR_FUZZ=ON with clang++); corpus_test.cpp replays the committed corpus on all.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace kerr::fuzz {

/// Instructions in any order on any thread of a coprocessor, with writes to its configuration, MOP words, GPRs,
/// semaphores and Dst in between. Returns a hash of the state that is left: the same for the same bytes.
uint64_t fuzz_coprocessor(std::span<const uint8_t> bytes);

/// Programs for five harts of a tile: stores and loads anywhere, pushes of Tensix instructions, any RV32 words.
uint64_t fuzz_tile(std::span<const uint8_t> bytes);

/// The first byte chooses: an ELF file for the reader, or text for the assembler; what it assembles to is disassembled.
uint64_t fuzz_text(std::span<const uint8_t> bytes);

/// A client of the libttsim C ABI that calls anything with anything. Checks that callbacks stay inside one page and
/// that no caller's memory is touched outside of what was handed over.
uint64_t fuzz_bars(std::span<const uint8_t> bytes);

/// Harts of three tiles that store to the registers of both NIUs; then windows pass. Checks that only pinned host
/// memory is written.
uint64_t fuzz_niu(std::span<const uint8_t> bytes);

/// Patches to a good ELF file, which is then read and asked for everything.
uint64_t fuzz_elf(std::span<const uint8_t> bytes);

/// Patches to the file of a compiled kernel, or to its segments and relocations once it is read; then it is made
/// movable and moved there and back.
uint64_t fuzz_kernel(std::span<const uint8_t> bytes);

/// An expression, as bytes or made of its words, which is parsed and planned.
uint64_t fuzz_expression(std::span<const uint8_t> bytes);

/// A .npy file, or the dictionary of one, and the format that its numbers become.
uint64_t fuzz_npy(std::span<const uint8_t> bytes);

/// A file that describes a run, as it is or of pieces of one; the same text as a place, words, cores, buffers and code.
uint64_t fuzz_program(std::span<const uint8_t> bytes);

/// A loop program, as bytes, of pieces, or a good one that is damaged; what can be read is printed, read again, run
/// and compiled.
uint64_t fuzz_loops(std::span<const uint8_t> bytes);

/// A file of suppressions or a baseline of the checker, as bytes or of pieces; the same bytes as names of findings,
/// which are grouped and written in all formats.
uint64_t fuzz_check(std::span<const uint8_t> bytes);

/// A client of the debugger's port: bytes of its connection, or packets made of pieces, between which harts stop.
uint64_t fuzz_debug(std::span<const uint8_t> bytes);

/// Items of a print buffer of tt-metal; a format with words, and the remark that holds it.
uint64_t fuzz_prints(std::span<const uint8_t> bytes);

struct Target {
  const char* name;
  uint64_t (*run)(std::span<const uint8_t>);
  unsigned random_inputs;  // that the ordinary test makes up
};
inline constexpr std::array<Target, 14> kTargets{{{"coprocessor", fuzz_coprocessor, 300},
                                                  {"tile", fuzz_tile, 300},
                                                  {"text", fuzz_text, 300},
                                                  {"bars", fuzz_bars, 3000},
                                                  {"niu", fuzz_niu, 600},
                                                  {"elf", fuzz_elf, 3000},
                                                  {"kernel", fuzz_kernel, 2000},
                                                  {"expression", fuzz_expression, 3000},
                                                  {"npy", fuzz_npy, 3000},
                                                  {"program", fuzz_program, 3000},
                                                  {"loops", fuzz_loops, 3000},
                                                  {"check", fuzz_check, 3000},
                                                  {"debug", fuzz_debug, 3000},
                                                  {"prints", fuzz_prints, 3000}}};

}  // namespace kerr::fuzz
