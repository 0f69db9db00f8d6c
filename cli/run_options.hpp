// What kerr run is asked to run: code, cores, arguments and memory, by options or by a program file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/files.hpp"
#include "cli/syntax/syntax.hpp"
#include "jobs/run/run.hpp"

namespace kerr::cli {

class RunOptions {
 public:
  /// FILE.
  void declare_files(Syntax& syntax);
  /// What runs where, and what is in memory.
  void declare(Syntax& syntax);
  /// --dump.
  void declare_dumps(Syntax& syntax);

  /// Reads all files. Throws UsageError for options, std::runtime_error or std::invalid_argument for files, with a
  /// sentence.
  jobs::RunJob job();
  /// The input log that is the only FILE; empty: it is something else. Throws UsageError for options that say what is
  /// to run.
  std::string log() const;
  /// The files that were read.
  const std::vector<NamedFile>& inputs() const { return inputs_; }
  /// The files that the job's dumps go to. Throws UsageError for registers, which have none.
  static std::vector<NamedFile> outputs(const jobs::RunJob& job);

 private:
  struct HartFile {
    std::optional<arch::Hart> hart;  // none: FILE says it
    std::string file;
  };

  jobs::RunJob of_program_file();
  jobs::RunJob of_options();
  std::vector<HartFile> assignments() const;
  uint8_t noc_for(const image::Image& image) const;  // of BRISC
  std::string read(const char* option, const std::string& path, uintmax_t most);
  void add_buffer(const char* option, const std::string& text, host::Memory memory, jobs::RunJob& job);
  void add_load(const std::string& text, jobs::RunJob& job);

  std::vector<std::string> files_, cores_, harts_, args_, common_args_, circular_buffers_, l1_, dram_, loads_, dumps_;
  std::string semaphores_;
  std::optional<uint32_t> noc_, base_;
  bool bare_ = false;
  std::vector<NamedFile> inputs_;
};

}  // namespace kerr::cli
