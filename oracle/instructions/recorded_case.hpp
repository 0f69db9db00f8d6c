// A line of vectors/instructions.txt: a case that the reference simulator ran, or a mnemonic that it always refuses.
#pragma once

#include <cstdint>
#include <istream>
#include <ostream>
#include <string>

namespace kerr::oracle {

struct RecordedCase {
  std::string mnemonic;
  unsigned seed = 0, executions = 0;
  uint32_t program = 0, result = 0;  ///< program_checksum(), and CRC-32 of the regions shown
  std::string refusal;               ///< the simulator's words; the numbers are 0 then
};

void write(std::ostream& out, const RecordedCase& c);
/// False at the end of the file. Throws std::runtime_error on a malformed line. Lines that start with # are skipped.
bool read(std::istream& in, RecordedCase& c);

}  // namespace kerr::oracle
