#include "prints/environment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <stdexcept>
#include <utility>

#include "arch/memory_map.hpp"
#include "emu/options.hpp"
#include "image/error.hpp"
#include "image/print_records.hpp"
#include "prints/elf_file.hpp"

namespace kerr::prints {

namespace {

void put(std::FILE* file, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);
}

// A device that comes later adds to what an earlier one of this process has printed.
Printer::Show show_in(const std::string& file) {
  if (file.empty()) return [](std::string_view text) { put(stderr, text); };
  static std::mutex one_at_a_time;
  static std::set<std::string> begun;
  const std::lock_guard lock(one_at_a_time);
  std::FILE* const opened = std::fopen(file.c_str(), begun.contains(file) ? "ae" : "we");
  if (opened == nullptr)
    throw std::invalid_argument(fmt::format("'{}' cannot be written: {}", file, std::strerror(errno)));
  begun.insert(file);
  return [out = std::shared_ptr<std::FILE>(opened, [](std::FILE* f) { std::fclose(f); })](std::string_view text) {
    put(out.get(), text);
  };
}

std::string variable(const char* name) {
  const char* const text = std::getenv(name);
  return text != nullptr ? text : "";
}

// KERR_PRINTS_ELF: files, with colons between them.
void add_files(Printer& printer, const Complain& complain) {
  const std::string files = variable("KERR_PRINTS_ELF");
  for (size_t begin = 0; begin < files.size();) {
    const size_t end = std::min(files.find(':', begin), files.size());
    const std::string path = files.substr(begin, end - begin);
    begin = end + 1;
    if (path.empty()) continue;
    try {
      ElfFile file = ElfFile::read(path);
      if (!file.has_prints())
        complain(fmt::format("KERR_PRINTS_ELF: {}: no print is in it: neither {} nor .device_print_strings_info", path,
                             image::kPrintSection));
      printer.add(std::move(file));
    } catch (const image::Error& error) {
      complain(fmt::format("KERR_PRINTS_ELF: {}", error.what()));
    }
  }
}

// The printer shows what it would show without the file.
void say_and_go_on(const std::string& what) { put(stderr, fmt::format("kerr: {}\n", what)); }

}  // namespace

std::unique_ptr<Printer> printer_to(Printer::Show show, const std::vector<arch::Board>& boards) {
  auto printer = std::make_unique<Printer>(boards, std::move(show));
  add_files(*printer, say_and_go_on);
  return printer;
}

std::unique_ptr<Printer> printer_to(const std::string& file, const std::vector<arch::Board>& boards) {
  return printer_to(show_in(file), boards);
}

std::unique_ptr<Printer> printer_of_environment(const std::vector<arch::Board>& boards, const Complain& complain) {
  const std::string asked = variable("KERR_PRINTS");
  if (asked.empty() || asked == "0") return nullptr;
  const auto stock = emu::number_in_environment("KERR_PRINTS_DPRINT", 0, arch::kL1Bytes - 5 * stock::kBytes, complain);
  if (stock && *stock % 4 != 0) complain(fmt::format("KERR_PRINTS_DPRINT is {:#x}, not a multiple of 4", *stock));
  const uint32_t at = stock && *stock % 4 == 0 ? static_cast<uint32_t>(*stock) : stock::kUsualAddress;
  try {
    auto printer = std::make_unique<Printer>(boards, show_in(asked == "1" ? "" : asked), at);
    add_files(*printer, complain);
    return printer;
  } catch (const std::invalid_argument& error) {
    complain(fmt::format("KERR_PRINTS: {}", error.what()));
    return nullptr;
  }
}

}  // namespace kerr::prints
