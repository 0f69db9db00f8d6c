// kerr cq: the command queue's bytes for a person.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "arch/cq_layout.hpp"

namespace kerr::cli {

struct CqDumpRequest {
  std::string file;
  uint64_t offset = 0;  // of the first command
  bool region = false;       // the file is a host region
  std::optional<uint64_t> issue_bytes;  // of the region's ring; none: of the default region
  bool json = false;
};
int cq_dump_command(const CqDumpRequest& request);

}  // namespace kerr::cli
