// JSON that is printed. A value is built here without templates and written by nlohmann's library in json.cpp alone,
// which takes several seconds to compile wherever it is used.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace kerr::report {

/// Null, a truth value, a number, a text, an array, or an object whose members keep their order:
///
///   Json json = {{"m", 640}, {"cores", Json::array()}};   // pairs that begin with a text are an object
///   json["cores"].push_back("1,2");
///   json.dump(2);
class Json {
 public:
  Json();
  ~Json();
  Json(const Json&);
  Json(Json&&) noexcept;
  Json& operator=(const Json&);
  Json& operator=(Json&&) noexcept;

  Json(std::nullptr_t);
  Json(bool value);
  Json(double value);
  Json(const char* text);
  Json(std::string text);
  Json(std::string_view text);
  template <std::integral T>
  Json(T value) : Json(whole(std::is_signed_v<T>, static_cast<uint64_t>(value))) {}
  /// An object if each value is an array of two that begins with a text, else an array.
  Json(std::initializer_list<Json> values);
  template <class T>
  Json(const std::vector<T>& values) : Json(array()) {
    for (const T& value : values) push_back(value);
  }

  static Json array();
  static Json object();

  /// The member of that name, null if it is new. A null becomes an object; throws std::logic_error of anything else.
  Json& operator[](std::string_view name);
  /// A null becomes an array; throws std::logic_error of anything else.
  void push_back(Json value);
  /// The last element or member. Throws std::logic_error where there is none.
  Json& back();
  /// Takes over the members of another object; those of equal names are replaced.
  void update(const Json& object);

  /// Text, `indent` blanks for each depth. Infinity and NaN are null, bytes that are no UTF-8 become U+FFFD.
  std::string dump(int indent) const;

 private:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;
  static Json whole(bool is_signed, uint64_t value);

  std::variant<std::nullptr_t, bool, int64_t, uint64_t, double, std::string, Array, Object> value_;
  friend struct Writer;
};

}  // namespace kerr::report
