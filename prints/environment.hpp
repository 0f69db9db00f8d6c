// KERR_PRINTS: prints of a process whose command line knows nothing of them.   docs/guide/prints.md
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "arch/boards.hpp"
#include "prints/printer.hpp"

namespace kerr::prints {

/// A printer to standard error or, if `file` is not empty, to that file, which is made anew; each line is there as soon
/// as it is printed. Throws std::invalid_argument if it cannot be written.
std::unique_ptr<Printer> printer_to(const std::string& file, const std::vector<arch::Board>& boards);

/// Likewise to `show`. Both take formats from the files that KERR_PRINTS_ELF names, and say on standard error which of
/// them cannot be used.
std::unique_ptr<Printer> printer_to(Printer::Show show, const std::vector<arch::Board>& boards);

/// What the environment asks for: KERR_PRINTS is 1 (standard error) or a file; KERR_PRINTS_DPRINT the address of
/// tt-metal's print buffers, KERR_PRINTS_ELF files with formats. Null: nothing, or 0. Tells `complain` what makes no
/// sense; if that returns, it is as if the variable were not set, or the file not named.
using Complain = std::function<void(const std::string&)>;
std::unique_ptr<Printer> printer_of_environment(const std::vector<arch::Board>& boards, const Complain& complain);

}  // namespace kerr::prints
