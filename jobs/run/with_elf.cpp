// Apart from what they call, as libkerr.so does without libelf and libdw.
#include "image/elf/reader.hpp"
#include "jobs/run/code.hpp"
#include "jobs/run/program_file.hpp"

namespace kerr::jobs {

image::Image read_code(std::string_view content, const std::string& name, uint32_t base) {
  return read_code(content, name, base, image::read_elf);
}

RunJob read_program_file(std::string_view content, const std::string& path, const ReadFile& read_file) {
  return read_program_file(content, path, read_file, image::read_elf);
}

}  // namespace kerr::jobs
