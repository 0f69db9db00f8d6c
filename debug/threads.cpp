#include "debug/threads.hpp"

#include <fmt/format.h>

#include "debug/hex.hpp"
#include "report/xml_text.hpp"

namespace kerr::debug {

namespace {

std::optional<Pid> id_in(std::string_view text) {
  if (text == "-1") return kAll;
  const auto id = word_in(text);
  return id && *id != kAll ? id : std::nullopt;
}

}  // namespace

std::optional<Thread> thread_in(std::string_view text) {
  const bool has_process = take_prefix(text, "p");
  const auto pid = id_in(has_process ? take_until(text, '.') : text);
  if (!pid) return std::nullopt;
  if (!has_process || text.empty()) return Thread{*pid, kAll};
  const auto tid = id_in(text);
  if (!tid || (*tid != kAll && *tid > 1)) return std::nullopt;
  return Thread{*pid, *tid};
}

std::string thread_name(Pid pid) { return fmt::format("p{:x}.1", pid); }

std::string osdata(std::string_view table, Target& target) {
  if (table.empty()) {
    return "<?xml version=\"1.0\"?>\n<!DOCTYPE osdata SYSTEM \"osdata.dtd\">\n<osdata type=\"types\">\n"
           "<item><column name=\"Type\">processes</column><column name=\"Description\">Listing of all harts</column>"
           "<column name=\"Title\">Processes</column></item>\n</osdata>\n";
  }
  if (table != "processes") return "";
  std::string out = "<?xml version=\"1.0\"?>\n<!DOCTYPE osdata SYSTEM \"osdata.dtd\">\n<osdata type=\"processes\">\n";
  for (const Process& process : target.processes()) {
    out += fmt::format(
        "<item><column name=\"pid\">{}</column><column name=\"hart\">{}</column>"
        "<column name=\"state\">{}</column><column name=\"code\">{}</column></item>\n",
        process.pid, report::escaped(process.name), report::escaped(process.state), report::escaped(process.code));
  }
  return out + "</osdata>\n";
}

std::string thread_list(std::span<const Pid> pids, Target& target) {
  std::string out = "<?xml version=\"1.0\"?>\n<threads>\n";
  for (const Pid pid : pids)
    out += fmt::format("<thread id=\"{}\" name=\"{}\"/>\n", thread_name(pid), report::escaped(target.name(pid)));
  return out + "</threads>\n";
}

std::string library_list(const std::vector<Library>& libraries) {
  std::string out = "<library-list>\n";
  for (const Library& library : libraries) {
    out += fmt::format("<library name=\"{}\">", report::escaped(library.name));
    for (const uint32_t address : library.segments) out += fmt::format("<segment address=\"{:#x}\"/>", address);
    out += "</library>\n";
  }
  return out + "</library-list>\n";
}

}  // namespace kerr::debug
