#include "cli/timing_parameters.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "cli/files.hpp"

namespace kerr::cli {

using emu::timing::ParameterRow;
using emu::timing::Parameters;
using Json = nlohmann::json;

namespace {

constexpr uintmax_t kLargestFile = 16u << 20;

// Entries of one file, each with the file's name in its errors.
class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  void read(const Json& all) {
    if (all.is_object() && all.contains("parameters")) {
      read(all["parameters"]);
    } else if (all.is_object()) {
      for (const auto& [name, value] : all.items()) set(name, value);
    } else if (all.is_array()) {
      for (const Json& entry : all) read_entry(entry);
    } else {
      fail("a list or an object of parameters is expected");
    }
  }
  const Parameters& parameters() const { return parameters_; }

 private:
  void read_entry(const Json& entry) {
    if (!entry.is_object() || !entry.contains("name") || !entry["name"].is_string() || !entry.contains("value"))
      fail(fmt::format("{} is no entry: it needs a name and a value", entry.dump()));
    const std::string name = entry["name"];
    for (const auto& [key, unused] : entry.items()) {
      static const std::set<std::string> kKeys{"name", "unit", "value", "evidence", "source", "meaning"};
      if (!kKeys.contains(key)) fail(fmt::format("'{}' of {} is unknown", key, name));
    }
    if (const ParameterRow* row = emu::timing::find_parameter(name);
        row && entry.contains("unit") && entry["unit"] != row->unit)
      fail(fmt::format("{} is in {}, not in {}", name, row->unit, entry["unit"].dump()));
    set(name, entry["value"]);
  }

  void set(const std::string& name, const Json& value) {
    const ParameterRow* row = emu::timing::find_parameter(name);
    if (row == nullptr) fail(fmt::format("there is no parameter '{}'.  Try 'kerr timing show'", name));
    if (!value.is_number_unsigned())
      fail(fmt::format("{} = {} is no whole number of {}", name, value.dump(), row->unit));
    if (!seen_.insert(name).second) fail(fmt::format("{} is there twice", name));
    const uint64_t number = value;
    if (const auto problem = emu::timing::problem_with(*row, number)) fail(fmt::format("{} {}", name, *problem));
    parameters_.*row->member = number;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw std::invalid_argument(fmt::format("'{}': {}.", file_, what));
  }

  const std::string& file_;
  Parameters parameters_;
  std::set<std::string> seen_;
};

}  // namespace

Parameters read_timing_parameters(const std::string& file) {
  const Json all = Json::parse(read_file(file, kLargestFile), nullptr, false);
  if (all.is_discarded())
    throw std::invalid_argument(fmt::format("'{}': no JSON.  'kerr timing show --json' prints some.", file));
  Reader reader(file);
  reader.read(all);
  return reader.parameters();
}

}  // namespace kerr::cli
