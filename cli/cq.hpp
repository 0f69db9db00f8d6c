// kerr cq: the command queue's bytes for a person.
#pragma once

#include <cstdint>
#include <string>

namespace kerr::cli {

struct CqDumpRequest {
  std::string file;
  std::uint64_t offset = 0;  // of the first command
  bool region = false;       // the file is a whole host region
  bool json = false;
};
int cq_dump_command(const CqDumpRequest& request);

}  // namespace kerr::cli
