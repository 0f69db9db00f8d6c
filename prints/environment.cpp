#include "prints/environment.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <stdexcept>

#include "arch/memory_map.hpp"
#include "emu/options.hpp"

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

}  // namespace

std::unique_ptr<Printer> printer_to(const std::string& file, const std::vector<arch::Board>& boards) {
  return std::make_unique<Printer>(boards, show_in(file));
}

std::unique_ptr<Printer> printer_of_environment(const std::vector<arch::Board>& boards, const Complain& complain) {
  const std::string asked = variable("KERR_PRINTS");
  if (asked.empty() || asked == "0") return nullptr;
  const auto stock = emu::number_in_environment("KERR_PRINTS_DPRINT", 0, arch::kL1Bytes - 5 * stock::kBytes, complain);
  if (stock && *stock % 4 != 0) complain(fmt::format("KERR_PRINTS_DPRINT is {:#x}, not a multiple of 4", *stock));
  const uint32_t at = stock && *stock % 4 == 0 ? static_cast<uint32_t>(*stock) : stock::kUsualAddress;
  try {
    return std::make_unique<Printer>(boards, show_in(asked == "1" ? "" : asked), at);
  } catch (const std::invalid_argument& error) {
    complain(fmt::format("KERR_PRINTS: {}", error.what()));
    return nullptr;
  }
}

}  // namespace kerr::prints
