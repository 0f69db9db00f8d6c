#include "report/json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>

namespace kerr::report {

Json::Json() : value_(nullptr) {}
Json::~Json() = default;
Json::Json(const Json&) = default;
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(const Json&) = default;
Json& Json::operator=(Json&&) noexcept = default;

Json::Json(std::nullptr_t) : value_(nullptr) {}
Json::Json(bool value) : value_(value) {}
Json::Json(double value) : value_(value) {}
Json::Json(const char* text) : value_(std::string(text)) {}
Json::Json(std::string text) : value_(std::move(text)) {}
Json::Json(std::string_view text) : value_(std::string(text)) {}

Json Json::whole(bool is_signed, uint64_t value) {
  Json json;
  if (is_signed) {
    json.value_ = static_cast<int64_t>(value);
  } else {
    json.value_ = value;
  }
  return json;
}

Json::Json(std::initializer_list<Json> values) : value_(nullptr) {
  const bool members = std::ranges::all_of(values, [](const Json& value) {
    const Array* pair = std::get_if<Array>(&value.value_);
    return pair != nullptr && pair->size() == 2 && std::holds_alternative<std::string>(pair->front().value_);
  });
  if (!members) {
    value_ = Array(values);
    return;
  }
  value_ = Object{};
  for (const Json& value : values) {
    const Array& pair = std::get<Array>(value.value_);
    (*this)[std::get<std::string>(pair[0].value_)] = pair[1];
  }
}

Json Json::array() {
  Json json;
  json.value_ = Array{};
  return json;
}

Json Json::object() {
  Json json;
  json.value_ = Object{};
  return json;
}

Json& Json::operator[](std::string_view name) {
  if (std::holds_alternative<std::nullptr_t>(value_)) value_ = Object{};
  Object* object = std::get_if<Object>(&value_);
  if (object == nullptr) throw std::logic_error("a JSON value that is no object has no members");
  const auto found = std::ranges::find_if(*object, [&](const auto& member) { return member.first == name; });
  if (found != object->end()) return found->second;
  return object->emplace_back(std::string(name), Json()).second;
}

void Json::push_back(Json value) {
  if (std::holds_alternative<std::nullptr_t>(value_)) value_ = Array{};
  Array* array = std::get_if<Array>(&value_);
  if (array == nullptr) throw std::logic_error("a JSON value that is no array takes no elements");
  array->push_back(std::move(value));
}

Json& Json::back() {
  if (Array* array = std::get_if<Array>(&value_); array != nullptr && !array->empty()) return array->back();
  if (Object* object = std::get_if<Object>(&value_); object != nullptr && !object->empty())
    return object->back().second;
  throw std::logic_error("an empty JSON value has no last element");
}

void Json::update(const Json& object) {
  const Object* members = std::get_if<Object>(&object.value_);
  if (members == nullptr) throw std::logic_error("a JSON value that is no object has no members");
  for (const auto& [name, member] : *members) (*this)[name] = member;
}

struct Writer {
  static nlohmann::ordered_json written(const Json& json) {
    return std::visit(
        [](const auto& value) -> nlohmann::ordered_json {
          using T = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<T, Json::Array>) {
            auto out = nlohmann::ordered_json::array();
            for (const Json& element : value) out.push_back(written(element));
            return out;
          } else if constexpr (std::is_same_v<T, Json::Object>) {
            auto out = nlohmann::ordered_json::object();
            for (const auto& [name, member] : value) out[name] = written(member);
            return out;
          } else {
            return value;
          }
        },
        json.value_);
  }
};

std::string Json::dump(int indent) const {
  return Writer::written(*this).dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace kerr::report
