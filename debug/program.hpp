// What a debugger knows of the code on a machine: which hart runs what, and files with its symbols.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arch/memory_map.hpp"
#include "emu/agent.hpp"
#include "image/image.hpp"

namespace kerr::debug {

/// Code of one hart at its place in L1.
struct Code {
  emu::TileId tile;
  arch::Hart hart = arch::Hart::Brisc;
  std::shared_ptr<const image::Image> image{};  // with the addresses at which it runs
  std::string path{};                           // of the file that it came from, absolute; empty: nobody knows
  std::shared_ptr<const std::string> file{};    // its contents, if it is an ELF file; null: it is none
};

/// Code of which nobody tells where it runs: it is found by its bytes.
struct LooseCode {
  std::shared_ptr<const image::Image> image;
  std::string path;                         // absolute
  std::shared_ptr<const std::string> file;  // the contents of the ELF file
  std::optional<arch::Hart> hart;           // nothing: any
};

/// What a run is about to execute, and the device cycle at which it begins to.
struct Program {
  std::vector<Code> code;
  uint64_t begin = 0;
};

}  // namespace kerr::debug
