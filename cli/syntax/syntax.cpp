#include "cli/syntax/syntax.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "cli/files.hpp"
#include "isa/text/whole_number.hpp"

namespace kerr::cli {

Option& Option::required() {
  is_required = true;
  return *this;
}

Option& Option::needs(const char* option) {
  needed.emplace_back(option);
  return *this;
}

Option& Option::excludes(std::initializer_list<const char*> options) {
  excluded.insert(excluded.end(), options.begin(), options.end());
  return *this;
}

Option& Option::called(const char* value) {
  value_name = value;
  return *this;
}

Option& Option::respelled(std::string (*with)(std::string)) {
  spelling = with;
  return *this;
}

Syntax::Syntax() { flag("-h,--help", help_, "Print this help message and exit"); }

Option& Syntax::add(const char* names, const char* help, bool takes_value, std::function<void(const std::string&)> set) {
  Option& option = options_.emplace_back();
  const std::string all = names;
  for (size_t at = 0; at <= all.size();) {
    const size_t end = std::min(all.find(',', at), all.size());
    option.names.push_back(all.substr(at, end - at));
    at = end + 1;
  }
  option.help = help;
  option.group = group_;
  option.takes_value = takes_value;
  option.set = std::move(set);
  return option;
}

Option& Syntax::flag(const char* names, bool& value, const char* help) { return flag(names, value, true, help); }

Option& Syntax::text(const char* names, std::string& value, const char* help) {
  return add(names, help, true, [&value](const std::string& text) { value = text; });
}

Option& Syntax::texts(const char* names, std::vector<std::string>& values, const char* help) {
  Option& option = add(names, help, true, [&values](const std::string& text) { values.push_back(text); });
  option.is_many = true;
  return option;
}

Option& Syntax::output_file(const char* names, std::string& path, const char* help) {
  return text(names, path, help).called("FILE");
}

Option& Syntax::input_file(const char* names, std::string& path, const char* help) {
  Option& option = text(names, path, help).called("FILE");
  option.set = [&path, name = option.name()](const std::string& text) {
    if (!can_be_read(text)) throw UsageError(fmt::format("{}: there is no file '{}'", name, text));
    path = text;
  };
  return option;
}

Option& Syntax::whole_number(const char* names, const char* help, uint64_t least, uint64_t most,
                             std::function<void(uint64_t)> set) {
  Option& option = add(names, help, true, {}).called("NUMBER");
  option.set = [name = option.name(), least, most, set = std::move(set)](const std::string& text) {
    if (const auto problem = isa::text::problem_with_number(text, least, most)) throw UsageError(name + *problem);
    set(*isa::text::whole_number(text));
  };
  return option;
}

Option& Syntax::real(const char* names, std::optional<float>& value, const char* help) {
  Option& option = add(names, help, true, {}).called("NUMBER");
  option.set = [name = option.name(), &value](const std::string& text) {
    float read = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(read))
      throw UsageError(fmt::format("{} = {} is no finite number of fp32", name, text));
    value = read;
  };
  return option;
}

Option& Syntax::word(const char* names, std::vector<std::string> words, std::function<void(size_t index)> set,
                     const char* help) {
  const std::string all = fmt::format("{{{}}}", fmt::join(words, ","));
  Option& option = add(names, help, true, {}).called(all.c_str());
  option.set = [name = option.name(), words = std::move(words), all, set = std::move(set)](const std::string& text) {
    const auto found = std::ranges::find(words, text);
    if (found == words.end()) throw UsageError(fmt::format("{}: {} not in {}", name, text, all));
    set(static_cast<size_t>(found - words.begin()));
  };
  return option;
}

Option& Syntax::expression(const char* name, std::string& text, std::vector<std::string>& shapes, const char* help) {
  shapes_ = &shapes;
  return this->text(name, text, help);
}

void Syntax::group_excludes(const char* heading, std::initializer_list<const char*> options) {
  for (Option& option : options_)
    if (option.group == heading) option.excludes(options);
}

const Option* Syntax::find(const std::string& name) const {
  for (const Option& option : options_) {
    if (!option.is_operand() && std::ranges::find(option.names, name) != option.names.end()) return &option;
  }
  return nullptr;
}

}  // namespace kerr::cli
