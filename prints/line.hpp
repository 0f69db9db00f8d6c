// A print as a person reads it.   docs/guide/prints.md
#pragma once

#include <cstdint>
#include <string>

#include "emu/agent.hpp"
#include "emu/cycle.hpp"

namespace kerr::prints {

struct Line {
  emu::Cycle cycle = 0;
  emu::TileId tile;
  emu::Agent agent = emu::Agent::Brisc;
  std::string source;  // "reader.cpp:70"; empty: not known
  std::string text;    // without its last new line
};

}  // namespace kerr::prints
