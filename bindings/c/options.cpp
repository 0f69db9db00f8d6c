#include "bindings/c/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "bindings/c/failure.hpp"

namespace kerr::c {

using Json = nlohmann::json;

namespace {

constexpr size_t kMostBytes = 1 << 20;
constexpr int kMostDepth = 8;

// Refuses what is nested deeply and keys that come twice, before they are lost.
class Watcher {
 public:
  explicit Watcher(std::string_view function) : function_(function) {}

  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > kMostDepth) invalid_argument(fmt::format("{}: its options are nested too deeply", function_));
    if (event != Json::parse_event_t::key || depth != 1) return true;
    std::string key = parsed.get<std::string>();
    if (std::ranges::find(keys_, key) != keys_.end())
      invalid_argument(fmt::format("{}: its option '{:.60}' is given twice", function_, key));
    keys_.push_back(std::move(key));
    return true;
  }

 private:
  std::string_view function_;
  std::vector<std::string> keys_;
};

}  // namespace

struct Options::Parsed {
  Json json;
};

Options::Options(const char* text, std::string_view function) : function_(function) {
  if (text == nullptr || *text == 0) return;
  const size_t bytes = strnlen(text, kMostBytes + 1);
  if (bytes > kMostBytes)
    invalid_argument(fmt::format("{}: its options have more than {} bytes", function, kMostBytes));
  parsed_ = std::make_unique<Parsed>();
  Watcher watcher(function);
  try {
    parsed_->json = Json::parse(text, text + bytes, std::ref(watcher));
  } catch (const Json::exception& error) {
    invalid_argument(fmt::format("{}: its options are no JSON: {}", function, error.what()));
  }
  if (!parsed_->json.is_object())
    invalid_argument(fmt::format("{}: its options are no JSON object, as {{\"key\": value}} is", function));
}

Options::~Options() = default;

void Options::refuse(std::string_view key, std::string_view what) const {
  invalid_argument(fmt::format("{}: its option '{}' must be {}", function_, key, what));
}

namespace {

template <class Parsed>
const Json* find(const Parsed& parsed, std::string_view key) {
  if (!parsed) return nullptr;
  const auto found = parsed->json.find(key);
  return found == parsed->json.end() || found->is_null() ? nullptr : &*found;
}

}  // namespace

std::optional<std::string> Options::text(std::string_view key) {
  known_.push_back(key);
  const Json* value = find(parsed_, key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) refuse(key, "a text");
  std::string text = value->template get<std::string>();
  if (text.find('\0') != std::string::npos) refuse(key, "a text without a 0");
  return text;
}

std::optional<bool> Options::flag(std::string_view key) {
  known_.push_back(key);
  const Json* value = find(parsed_, key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_boolean()) refuse(key, "true or false");
  return value->get<bool>();
}

std::optional<uint64_t> Options::number(std::string_view key, uint64_t least, uint64_t most) {
  known_.push_back(key);
  const Json* value = find(parsed_, key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number_unsigned() || value->get<uint64_t>() < least || value->get<uint64_t>() > most)
    refuse(key, fmt::format("a whole number from {} to {}", least, most));
  return value->get<uint64_t>();
}

std::optional<size_t> Options::choice_of(std::string_view key, const std::vector<std::string_view>& names) {
  const std::optional<std::string> given = text(key);
  if (!given) return std::nullopt;
  const auto found = std::ranges::find(names, *given);
  if (found == names.end()) refuse(key, fmt::format("one of {}, not '{:.60}'", fmt::join(names, ", "), *given));
  return static_cast<size_t>(found - names.begin());
}

void Options::end() const {
  if (!parsed_) return;
  for (const auto& [key, value] : parsed_->json.items()) {
    if (std::ranges::find(known_, key) != known_.end()) continue;
    invalid_argument(known_.empty() ? fmt::format("{}: it has no options, and '{:.60}' is given", function_, key)
                                    : fmt::format("{}: it has no option '{:.60}'; there are {}", function_, key,
                                                  fmt::join(known_, ", ")));
  }
}

}  // namespace kerr::c
