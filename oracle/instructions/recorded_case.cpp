#include "oracle/instructions/recorded_case.hpp"

#include <cstdio>
#include <sstream>
#include <stdexcept>

namespace kerr::oracle {

void write(std::ostream& out, const RecordedCase& c) {
  if (!c.refusal.empty()) {
    out << c.mnemonic << " refused " << c.refusal << '\n';
    return;
  }
  char text[64];
  std::snprintf(text, sizeof text, " %u %u %08X %08X\n", c.seed, c.executions, c.program, c.result);
  out << c.mnemonic << text;
}

bool read(std::istream& in, RecordedCase& c) {
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    c = {};
    if (const size_t at = line.find(" refused "); at != std::string::npos) {
      c.mnemonic = line.substr(0, at);
      c.refusal = line.substr(at + 9);
      return true;
    }
    if (!(words >> c.mnemonic >> c.seed >> c.executions >> std::hex >> c.program >> c.result))
      throw std::runtime_error("instruction cases: malformed line '" + line + "'");
    return true;
  }
  return false;
}

}  // namespace kerr::oracle
