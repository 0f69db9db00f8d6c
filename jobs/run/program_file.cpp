#include "jobs/run/program_file.hpp"

#include <fmt/format.h>

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <filesystem>
#include <initializer_list>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "isa/text/cursor.hpp"
#include "jobs/run/code.hpp"
#include "jobs/run/data.hpp"

namespace kerr::jobs {

namespace {

constexpr uint32_t kMostPages = std::numeric_limits<uint32_t>::max();

class Reader {
 public:
  Reader(const std::string& path, const ReadFile& read_file, ReadElf read_elf)
      : path_(path), read_file_(read_file), read_elf_(read_elf) {}

  RunJob read(const toml::table& all) {
    allow(all, "the file",
          {"name", "bare", "cores", "cycles", "semaphores", "kernel", "circular_buffer", "l1", "dram", "load", "dump"});
    job_.name = std::filesystem::path(path_).stem().string();
    if (const toml::node* node = all.get("name")) job_.name = text(*node, "name");
    if (const toml::node* node = all.get("bare")) job_.bare = truth(*node, "bare");
    if (const toml::node* node = all.get("cores")) job_.cores = cores(*node);
    if (const toml::node* node = all.get("cycles"))
      job_.cycles = number(*node, "cycles", 1, std::numeric_limits<int64_t>::max());
    if (const toml::node* node = all.get("semaphores")) {
      for (const toml::node& each : list(*node, "semaphores"))
        job_.semaphores.push_back(plain_word(each, "a semaphore"));
    }
    each_table(all, "circular_buffer", [this](const toml::table& table) { read_circular_buffer(table); });
    each_table(all, "l1", [this](const toml::table& table) { read_buffer(table, host::Memory::L1); });
    each_table(all, "dram", [this](const toml::table& table) { read_buffer(table, host::Memory::Dram); });
    each_table(all, "kernel", [this](const toml::table& table) { read_kernel(table); });
    if (const toml::node* node = all.get("load")) {
      for (const toml::node& each : list(*node, "load")) read_load(each);
    }
    if (const toml::node* node = all.get("dump")) {
      for (const toml::node& each : list(*node, "dump")) job_.dumps.push_back(placed_data(each, "a dump"));
    }
    if (job_.kernels.empty()) fail(all, "it has no [[kernel]], so there is nothing to run");
    return std::move(job_);
  }

 private:
  /// A sentence that begins with the file and the line.
  struct Placed : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
  };

  [[noreturn]] void fail(const toml::node& at, const std::string& what) const {
    throw Placed(fmt::format("'{}', line {}: {}", path_, std::max<uint32_t>(at.source().begin.line, 1), what));
  }

  /// Calls `read`, and lets what is wrong begin with the file and the line.
  template <class Read>
  auto at_line(const toml::node& at, Read&& read) const {
    try {
      return read();
    } catch (const Placed&) {
      throw;
    } catch (const std::invalid_argument& error) {
      fail(at, error.what());
    }
  }

  void allow(const toml::table& table, const char* of, std::initializer_list<const char*> keys) const {
    for (const auto& [key, value] : table) {
      const std::string name(key.str());
      if (std::ranges::find(keys, name) != keys.end()) continue;
      isa::text::Suggestion near(name);
      std::string all;
      for (const char* known : keys) {
        near.consider(known);
        all += fmt::format("{}{}", all.empty() ? "" : ", ", known);
      }
      const std::string suggestion = near.text();
      fail(value, fmt::format("{} has no '{}'{}", of, name, suggestion.empty() ? "; it may have " + all : suggestion));
    }
  }

  // --- values ---
  std::string text(const toml::node& node, const char* what) const {
    const auto value = node.value_exact<std::string>();
    if (!value) fail(node, fmt::format("{} must be a text in quotes", what));
    if (value->empty()) fail(node, fmt::format("{} must not be empty", what));
    return *value;
  }
  bool truth(const toml::node& node, const char* what) const {
    const auto value = node.value_exact<bool>();
    if (!value) fail(node, fmt::format("{} must be true or false", what));
    return *value;
  }
  uint64_t number(const toml::node& node, const char* what, int64_t least, int64_t most) const {
    const auto value = node.value_exact<int64_t>();
    if (!value || *value < least || *value > most)
      fail(node, fmt::format("{} must be a whole number from {} to {}", what, least, most));
    return static_cast<uint64_t>(*value);
  }
  uint32_t word_bits(const toml::node& node, const char* what, int64_t value) const {
    if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<uint32_t>::max())
      fail(node, fmt::format("{}: {} does not fit a word of 32 bits", what, value));
    return static_cast<uint32_t>(value);
  }
  uint32_t plain_word(const toml::node& node, const char* what) const {
    const auto value = node.value_exact<int64_t>();
    if (!value) fail(node, fmt::format("{} must be a whole number", what));
    return word_bits(node, what, *value);
  }
  const toml::array& list(const toml::node& node, const char* what) const {
    if (!node.is_array()) fail(node, fmt::format("{} must be a list: [ ... ]", what));
    return *node.as_array();
  }
  template <class Read>
  void each_table(const toml::table& all, const char* name, Read&& read) const {
    const toml::node* const node = all.get(name);
    if (node == nullptr) return;
    if (!node->is_array()) fail(*node, fmt::format("'{}' is a list of tables: write [[{}]]", name, name));
    for (const toml::node& each : *node->as_array()) {
      if (!each.is_table()) fail(each, fmt::format("'{}' is a list of tables: write [[{}]]", name, name));
      read(*each.as_table());
    }
  }
  const toml::node& needed(const toml::table& table, const char* of, const char* key) const {
    const toml::node* const node = table.get(key);
    if (node == nullptr) fail(table, fmt::format("{} needs '{}'", of, key));
    return *node;
  }

  // --- what they mean ---
  Cores cores(const toml::node& node) const {
    Cores out;
    if (node.is_string()) return at_line(node, [&] { return Cores(text(node, "cores")); });
    for (const toml::node& each : list(node, "cores")) at_line(each, [&] { out.add(text(each, "a core")); });
    if (out.empty()) fail(node, "cores names none");
    return out;
  }
  Word word(const toml::node& node) const {
    if (const auto whole = node.value_exact<int64_t>()) return {word_bits(node, "an argument", *whole), {}};
    if (const auto real = node.value_exact<double>())
      return {at_line(node, [&] { return fp32_bits(*real, fmt::format("{}", *real)); }), {}};
    if (!node.is_string()) fail(node, "an argument is a number, or the name of a buffer in quotes");
    return at_line(node, [&] { return parse_word(text(node, "an argument")); });
  }
  std::vector<Word> words(const toml::node& node, const char* what) const {
    std::vector<Word> out;
    for (const toml::node& each : list(node, what)) out.push_back(word(each));
    return out;
  }
  PlacedData placed_data(const toml::node& node, const char* what) const {
    return at_line(node, [&] { return parse_placed_data(text(node, what)); });
  }
  std::string in_folder(const std::string& file) const {
    return (std::filesystem::path(path_).parent_path() / file).string();
  }

  void read_kernel(const toml::table& table) {
    allow(table, "a kernel", {"file", "hart", "cores", "args", "common_args", "core_args", "noc", "base"});
    const toml::node& file = needed(table, "a kernel", "file");
    RunKernel kernel;
    if (const toml::node* node = table.get("hart"))
      kernel.hart = at_line(*node, [&] { return parse_hart(text(*node, "hart")); });
    uint32_t base = job_.bare ? arch::kDefaultResetPc[static_cast<size_t>(kernel.hart)] : 0;
    if (const toml::node* node = table.get("base")) {
      base = static_cast<uint32_t>(number(*node, "base", 0, arch::kL1Bytes - 4));
      if (!job_.bare)
        fail(*node, "base is of runs without firmware ('bare = true'): kernels lie where the firmware finds room");
    }
    const std::string path = in_folder(text(file, "file"));
    const std::string content = at_line(file, [&] { return read_file_(path); });
    kernel.image = read_code(content, path, base, read_elf_);
    remember_file(kernel, content, path);
    if (!table.get("hart")) kernel.hart = host::compiled_for(kernel.image).value_or(kernel.hart);
    if (const toml::node* node = table.get("cores")) kernel.cores = cores(*node);
    if (const toml::node* node = table.get("args")) kernel.args = words(*node, "args");
    if (const toml::node* node = table.get("common_args")) kernel.common_args = words(*node, "common_args");
    if (const toml::node* node = table.get("noc")) {
      kernel.noc = static_cast<uint8_t>(number(*node, "noc", 0, 1));
      if (kernel.hart != arch::Hart::Brisc)
        fail(*node, fmt::format("noc is for a kernel of brisc, and this one runs on {}", hart_name(kernel.hart)));
    }
    if (const toml::node* node = table.get("core_args")) {
      if (!node->is_table()) fail(*node, "core_args is a table: { \"1,2\" = [ ... ], \"2,2\" = [ ... ] }");
      for (const auto& [key, value] : *node->as_table()) {
        const arch::NocCoord core = at_line(value, [&, &place = key] { return parse_core(place.str()); });
        if (!kernel.core_args.try_emplace(core, words(value, "the arguments of a core")).second)
          fail(value, fmt::format("core ({},{}) has arguments already", core.x, core.y));
      }
    }
    job_.kernels.push_back(std::move(kernel));
  }

  void read_circular_buffer(const toml::table& table) {
    constexpr const char* kOf = "a circular buffer";
    allow(table, kOf, {"id", "pages", "page_bytes"});
    job_.circular_buffers.push_back(
        {.id = static_cast<uint8_t>(number(needed(table, kOf, "id"), "id", 0, 31)),
         .pages = static_cast<uint32_t>(number(needed(table, kOf, "pages"), "pages", 1, kMostPages)),
         .page_bytes =
             static_cast<uint32_t>(number(needed(table, kOf, "page_bytes"), "page_bytes", 1, arch::kL1Bytes))});
  }

  void read_buffer(const toml::table& table, host::Memory memory) {
    const bool l1 = memory == host::Memory::L1;
    const char* const of = l1 ? "a buffer of L1" : "a buffer of DRAM";
    l1 ? allow(table, of, {"name", "bytes", "data", "values", "format"})
       : allow(table, of, {"name", "pages", "page_bytes", "data", "values", "format"});
    RunBuffer buffer{.name = text(needed(table, of, "name"), "name"), .memory = memory};
    at_line(table, [&] { check_name(buffer.name); });
    if (l1) {
      buffer.bytes = number(needed(table, of, "bytes"), "bytes", 1, arch::kL1Bytes);
    } else {
      const uint64_t pages = number(needed(table, of, "pages"), "pages", 1, kMostPages);
      buffer.page_bytes =
          static_cast<uint32_t>(number(needed(table, of, "page_bytes"), "page_bytes", 16, arch::kL1Bytes));
      buffer.bytes = pages * buffer.page_bytes;
    }
    std::optional<Element> element;
    if (const toml::node* node = table.get("format"))
      element = at_line(*node, [&] { return parse_element(text(*node, "format")); });
    const toml::node* const data = table.get("data");
    const toml::node* const values = table.get("values");
    if (data && values) fail(*values, "it has 'data' already: a buffer begins as one of the two");
    if (data) {
      buffer.data = at_line(*data, [&] {
        const std::string path = in_folder(text(*data, "data"));
        return data_of(read_file_(path), path, element);
      });
    }
    if (values) {
      for (const toml::node& each : list(*values, "values"))
        add_value(each, element.value_or(Element::U32), buffer.data);
    }
    if (buffer.data.size() > buffer.bytes)
      fail(table,
           fmt::format("buffer '{}' has {} bytes, and its data {}", buffer.name, buffer.bytes, buffer.data.size()));
    job_.buffers.push_back(std::move(buffer));
  }

  void add_value(const toml::node& node, Element element, std::vector<std::byte>& data) const {
    const auto whole = node.value_exact<int64_t>();
    const auto real = node.value_exact<double>();
    if (!whole && !real) fail(node, "a value must be a number");
    const double value = whole ? static_cast<double>(*whole) : *real;
    if (!append(element, value, data)) fail(node, fmt::format("{} is no number of {}", value, info(element).name));
  }

  void read_load(const toml::node& node) {
    RunLoad load{.to = placed_data(node, "a load"), .data = {}};
    if (load.to.file.empty())
      fail(node, fmt::format("'{}': a load needs a file, as in l1:0x20000=x.npy", load.to.text));
    load.data = at_line(node, [&] {
      const std::string path = in_folder(load.to.file);
      return data_of(read_file_(path), path, load.to.element);
    });
    job_.loads.push_back(std::move(load));
  }

  const std::string& path_;
  const ReadFile& read_file_;
  const ReadElf read_elf_;
  RunJob job_;
};

}  // namespace

RunJob read_program_file(std::string_view content, const std::string& path, const ReadFile& read_file,
                         ReadElf read_elf) {
  const toml::parse_result result = toml::parse(content, path);
  if (!result) {
    const toml::parse_error& error = result.error();
    throw std::invalid_argument(fmt::format("'{}', line {}: {}", path, error.source().begin.line, error.description()));
  }
  return Reader(path, read_file, read_elf).read(result.table());
}

}  // namespace kerr::jobs
