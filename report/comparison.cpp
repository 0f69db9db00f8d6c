#include "report/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>

namespace kerr::report {

namespace {

using Report = nlohmann::ordered_json;

constexpr size_t kNameColumns = 34, kColumns = 22, kLongestText = 100;

const std::set<std::string_view> kVersions{"version", "commit"};
// Numbers that say what was to be done: they differ or not, and have no ratio.
const std::set<std::string_view> kOfJob{"batch", "fidelity", "workers", "cores", "seed", "checked_rows"};
const std::set<std::string_view> kMeasures{
    "pcc",    "rounding_pcc", "relative_error", "max_error", "allowed_relative_error",
    "boot_s", "run_s",        "wall_s",         "device_us", "total_us"};

Report parsed(std::string_view text, const std::string& name) {
  Report report = Report::parse(text, nullptr, false);
  if (report.is_discarded()) throw std::invalid_argument(fmt::format("'{}' is no JSON", name));
  if (!report.is_object() || !report.contains("version") || !report["version"].is_string())
    throw std::invalid_argument(fmt::format(
        "'{}' is no report of a run: 'kerr matmul ... --json' and 'kerr eval ... --json' print some", name));
  if (!report.contains("device_cycles") || !report["device_cycles"].is_number())
    throw std::invalid_argument(
        fmt::format("'{}' is a report of Kerr, but of no run: it has no 'device_cycles'", name));
  return report;
}

std::string kind_of(const Report& r) {
  return r.contains("expression") ? "eval" : r.contains("requested") ? "matmul" : "run";
}

std::string text_of(const Report& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.dump(-1, ' ', false, Report::error_handler_t::replace);
}

// Names in the order in which they come first.
std::vector<std::string> names_of(const Report& a, const Report& b) {
  std::vector<std::string> all;
  std::set<std::string> seen;
  for (const Report* of : {&a, &b})
    for (const auto& [name, value] : of->items())
      if (seen.insert(name).second) all.push_back(name);
  return all;
}

double number(const Report& value) { return value.is_number() ? value.get<double>() : 0; }
std::optional<double> perhaps(const Report& value) {
  if (!value.is_number()) return std::nullopt;
  return value.get<double>();
}

// Sums of numbers by name, in the order in which the names come first.
class Means {
 public:
  void add(const std::string& name, double x) {
    if (!sums_.contains(name)) order_.push_back(name);
    sums_[name] += x;
  }
  const std::vector<std::string>& names() const { return order_; }
  double of(const std::string& name) const {
    const auto found = sums_.find(name);
    return found == sums_.end() ? 0 : found->second;
  }

 private:
  std::vector<std::string> order_;
  std::map<std::string, double> sums_;
};

// An object's member if it is there and of that kind, else something empty.
const Report& member(const Report& of, const char* name) {
  static const Report nothing = nullptr;
  if (!of.is_object()) return nothing;
  const auto found = of.find(name);
  return found == of.end() ? nothing : *found;
}

Means shares_of(const Report& report) {
  Means out;
  const Report& u = member(report, "utilisation");
  const Report& cores = member(u, "cores");
  const double count = cores.is_array() ? static_cast<double>(cores.size()) : 0;
  if (cores.is_array()) {
    for (const Report& core : cores) {
      for (const auto& [name, busy] : member(core, "units").items()) out.add(name, number(busy) / count);
      for (const auto& [name, agent] : member(core, "agents").items()) {
        out.add(name, number(member(agent, "busy")) / count);
        for (const auto& [reason, share] : member(agent, "waits").items())
          out.add(fmt::format("{} waits: {}", name, reason), number(share) / count);
      }
    }
  }
  if (const Report& links = member(u, "links"); links.is_array()) {
    double most = 0;
    for (const Report& link : links) most = std::max(most, number(member(link, "busy")));
    out.add("busiest link", most);
  }
  if (const Report& banks = member(u, "dram_banks"); banks.is_array() && !banks.empty()) {
    for (const Report& bank : banks)
      out.add("DRAM banks", number(member(bank, "busy")) / static_cast<double>(banks.size()));
  }
  return out;
}

Means path_of(const Report& report) {
  Means out;
  for (const auto& [what, cycles] : member(member(member(report, "utilisation"), "critical_path"), "sums").items())
    out.add(what, number(cycles));
  return out;
}

// Numbers of equal names together. What a hart waits for stands behind how busy it was.
std::vector<Comparison::Number> beside(const Means& a, const Means& b) {
  std::vector<Comparison::Number> all;
  std::vector<std::string> groups;
  std::set<std::string> seen;
  const auto group = [&](const std::string& name) {
    const auto found = std::ranges::find(groups, name.substr(0, name.find(" waits:")));
    return found - groups.begin();
  };
  for (const Means* of : {&a, &b}) {
    for (const std::string& name : of->names()) {
      if (!seen.insert(name).second) continue;
      if (group(name) == std::ssize(groups)) groups.push_back(name.substr(0, name.find(" waits:")));
      all.push_back({name, a.of(name), b.of(name)});
    }
  }
  std::ranges::stable_sort(all, {}, [&](const Comparison::Number& n) { return group(n.name); });
  return all;
}

// "elements" and what else is an object of numbers: "elements outside".
void add_members(const std::string& prefix, const Report& a, const Report& b, std::vector<Comparison::Number>& counts) {
  for (const std::string& name : names_of(a.is_object() ? a : Report::object(), b.is_object() ? b : Report::object())) {
    const Report &x = member(a, name.c_str()), &y = member(b, name.c_str());
    if (x.is_number() || y.is_number()) counts.push_back({prefix + " " + name, perhaps(x), perhaps(y)});
  }
}

std::string shown(std::optional<double> x) {
  if (!x) return "-";
  return *x == std::trunc(*x) && std::abs(*x) < 1e15 ? fmt::format("{:.0f}", *x) : fmt::format("{:.6g}", *x);
}

std::string ratio(const Comparison::Number& n) {
  return n.a == n.b || !n.a || !n.b || *n.a == 0 ? "" : fmt::format("{:.4f}", *n.b / *n.a);
}

std::string row(std::string_view name, std::string_view a, std::string_view b, std::string_view c = "") {
  std::string line = fmt::format("  {:<{}} {:>{}} {:>{}} {:>10}", name, kNameColumns, a, kColumns, b, kColumns, c);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

// Beside one another, or below one another if they are long.
std::string row(const Comparison::Text& t) {
  const auto cut = [](const std::string& text) {
    return text.empty() ? "-" : text.size() <= kLongestText ? text : text.substr(0, kLongestText) + " ...";
  };
  if (t.a.size() <= kColumns && t.b.size() <= kColumns) return row(t.name, cut(t.a), cut(t.b));
  return fmt::format("  {}\n    a  {}\n    b  {}\n", t.name, cut(t.a), cut(t.b));
}

}  // namespace

Comparison compare(std::string_view text_a, std::string_view text_b, const std::string& name_a,
                   const std::string& name_b) {
  const Report a = parsed(text_a, name_a), b = parsed(text_b, name_b);
  Comparison out{.kind_a = kind_of(a), .kind_b = kind_of(b)};
  for (const std::string& name : names_of(a, b)) {
    const Report &x = member(a, name.c_str()), &y = member(b, name.c_str());
    const bool numbers =
        (x.is_number() || x.is_null()) && (y.is_number() || y.is_null()) && !(x.is_null() && y.is_null());
    if (kVersions.contains(name)) {
      out.versions.push_back({name, x.is_null() ? "" : text_of(x), y.is_null() ? "" : text_of(y)});
    } else if (name == "utilisation" || name == "profile" || name == "launches") {
      continue;
    } else if (numbers && !kOfJob.contains(name)) {
      (kMeasures.contains(name) ? out.measures : out.counts).push_back({name, perhaps(x), perhaps(y)});
    } else if ((x.is_object() || x.is_null()) && (y.is_object() || y.is_null()) && !(x.is_null() && y.is_null())) {
      add_members(name, x, y, out.counts);
    } else {
      out.texts.push_back({name, x.is_null() ? "" : text_of(x), y.is_null() ? "" : text_of(y)});
    }
  }
  out.utilisation_a = member(a, "utilisation").is_object(), out.utilisation_b = member(b, "utilisation").is_object();
  if (!out.utilisation_a || !out.utilisation_b) return out;
  out.shares = beside(shares_of(a), shares_of(b));
  out.path = beside(path_of(a), path_of(b));
  return out;
}

std::string text(const Comparison& c, const std::string& name_a, const std::string& name_b, bool all) {
  std::string out = row("", "a", "b", "b / a") + fmt::format("  a is '{}', b is '{}'\n", name_a, name_b);
  if (c.kind_a != c.kind_b)
    out += fmt::format("  a is a run of 'kerr {}', b one of 'kerr {}': only what both have can be compared\n", c.kind_a,
                       c.kind_b);
  for (const Comparison::Text& t : c.versions) {
    if (!t.equal())
      out += fmt::format("  they are of different Kerrs, {} {} and {}: members may have another meaning\n", t.name,
                         t.a.empty() ? "unknown" : t.a, t.b.empty() ? "unknown" : t.b);
  }
  std::string equal;
  for (const Comparison::Text& t : c.texts) {
    if (!t.equal() || all) {
      out += row(t);
    } else if (t.a.size() <= kLongestText) {
      equal += fmt::format("{}{} {}", equal.empty() ? "" : ", ", t.name, t.a.empty() ? "-" : t.a);
    }
  }
  if (!equal.empty()) out += "  the same in both: " + equal + "\n";
  const auto numbers = [&](const char* heading, const std::vector<Comparison::Number>& of) {
    std::string rows;
    for (const Comparison::Number& n : of)
      if (all || n.a != n.b) rows += row(n.name, shown(n.a), shown(n.b), ratio(n));
    if (!of.empty()) out += fmt::format("{}{}\n", heading, rows.empty() ? ": all equal" : "") + rows;
  };
  numbers("counts", c.counts);
  numbers("errors and times", c.measures);
  if (!c.utilisation_a || !c.utilisation_b)
    return out + fmt::format("utilisation: {} it; '--timing exact --utilisation' adds it\n",
                             c.utilisation_a   ? "only a has"
                             : c.utilisation_b ? "only b has"
                                               : "neither has");
  out += "busy, of the whole time\n";
  for (const Comparison::Number& n : c.shares) {
    const double a = n.a.value_or(0), b = n.b.value_or(0);  // a unit that is not named did nothing
    if (!all && std::abs(b - a) < 0.0005) continue;
    out += row(n.name, fmt::format("{:.1f} %", 100 * a), fmt::format("{:.1f} %", 100 * b),
               fmt::format("{:+.1f}", 100 * (b - a)));
  }
  numbers("critical path, cycles", c.path);
  return out;
}

Json json(const Comparison& c, const std::string& name_a, const std::string& name_b) {
  const auto texts = [](const std::vector<Comparison::Text>& all) {
    Json list = Json::array();
    for (const Comparison::Text& t : all)
      list.push_back({{"name", t.name}, {"a", t.a}, {"b", t.b}, {"equal", t.equal()}});
    return list;
  };
  const auto numbers = [](const std::vector<Comparison::Number>& all) {
    Json list = Json::array();
    for (const Comparison::Number& n : all)
      list.push_back({{"name", n.name},
                      {"a", n.a ? Json(*n.a) : Json()},
                      {"b", n.b ? Json(*n.b) : Json()},
                      {"ratio", n.a && n.b && *n.a != 0 ? Json(*n.b / *n.a) : Json()}});
    return list;
  };
  return {{"a", Json({{"file", name_a}, {"kind", c.kind_a}})},
          {"b", Json({{"file", name_b}, {"kind", c.kind_b}})},
          {"versions", texts(c.versions)},
          {"job", texts(c.texts)},
          {"counts", numbers(c.counts)},
          {"measures", numbers(c.measures)},
          {"utilisation", numbers(c.shares)},
          {"critical_path", numbers(c.path)}};
}

}  // namespace kerr::report
