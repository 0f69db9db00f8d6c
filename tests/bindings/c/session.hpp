// Calls of kerr.h in tests: errors that are freed, devices that are closed.
#pragma once

#include <gtest/gtest.h>
#include <kerr.h>

#include <cstdint>
#include <numeric>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kerr::c_test {

/// What a call answers, with its error's texts.
struct Answer {
  int category = KERR_OK;
  std::string text, json;
  bool has(std::string_view part) const { return (text + json).find(part) != std::string::npos; }
};

inline bool operator==(const Answer& a, int category) { return a.category == category; }
inline std::ostream& operator<<(std::ostream& out, const Answer& a) {
  return out << kerr_category_name(a.category) << ": " << a.text;
}

/// ask(kerr_buffer_free, buffer): the error is the last argument, and is freed.
template <class... Parameters, class... Arguments>
Answer ask(int (*function)(Parameters...), Arguments&&... arguments) {
  kerr_error error = nullptr;
  Answer answer;
  answer.category = function(std::forward<Arguments>(arguments)..., &error);
  EXPECT_EQ(answer.category == KERR_OK, error == nullptr);
  if (error == nullptr) return answer;
  EXPECT_EQ(kerr_error_category(error), answer.category);
  answer.text = kerr_error_text(error);
  answer.json = kerr_error_json(error);
  EXPECT_NE(answer.text, "");
  EXPECT_EQ(kerr_error_free(error), KERR_OK);
  return answer;
}

inline std::string text_and_free(char* text) {
  std::string out = text;
  EXPECT_EQ(kerr_free(text), KERR_OK);
  return out;
}

/// An open device.
class Session {
 public:
  explicit Session(const char* options = R"({"threads": 1})") {
    EXPECT_EQ(ask(kerr_device_open, options, &device), KERR_OK);
  }
  ~Session() {
    if (device == nullptr) return;
    EXPECT_EQ(ask(kerr_device_close, device), KERR_OK);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  kerr_buffer alloc(uint64_t bytes) const {
    kerr_buffer buffer = nullptr;
    EXPECT_EQ(ask(kerr_buffer_alloc, device, bytes, &buffer), KERR_OK);
    return buffer;
  }
  template <class T>
  kerr_buffer holding(const std::vector<T>& values) const {
    kerr_buffer buffer = alloc(values.size() * sizeof(T));
    EXPECT_EQ(ask(kerr_buffer_write, buffer, 0, values.data(), values.size() * sizeof(T)), KERR_OK);
    return buffer;
  }
  template <class T>
  std::vector<T> read(kerr_buffer buffer, size_t count, uint64_t offset = 0) const {
    std::vector<T> out(count);
    EXPECT_EQ(ask(kerr_buffer_read, buffer, offset, out.data(), count * sizeof(T)), KERR_OK);
    return out;
  }
  kerr_program load(const std::string& text, const char* options = nullptr, const char* board = "p100a") const {
    void* blob = nullptr;
    size_t bytes = 0;
    EXPECT_EQ(ask(kerr_compile, board, text.c_str(), options, &blob, &bytes), KERR_OK);
    kerr_program program = nullptr;
    EXPECT_EQ(ask(kerr_program_load, device, blob, bytes, &program), KERR_OK);
    EXPECT_EQ(kerr_free(blob), KERR_OK);
    return program;
  }
  Answer launch(kerr_program program, const std::vector<kerr_view>& views, const char* options = nullptr,
                const std::vector<int64_t>& numbers = {}) const {
    return ask(kerr_launch, program, views.data(), views.size(), numbers.data(), numbers.size(), options, nullptr);
  }
  /// A number of kerr_device_info().
  uint64_t info(const std::string& key) const {
    char* json = nullptr;
    EXPECT_EQ(ask(kerr_device_info, device, &json), KERR_OK);
    const std::string text = text_and_free(json);
    const size_t at = text.find("\"" + key + "\":");
    EXPECT_NE(at, std::string::npos) << text;
    return std::stoull(text.substr(at + key.size() + 3));
  }

  kerr_device device = nullptr;
};

/// p0[i] = p1[i] + 1, of `count` numbers.
inline std::string increment(uint64_t count) {
  const std::string n = std::to_string(count);
  return "kernel increment\nparam p0 i32 " + n + "\nparam p1 i32 " + n + "\n%1 = loop i32 i32:" + n +
         " weak\n%2 = load i32 p1[%1]\n%3 = add i32 %2 i32:1\nstore i32 p0[%1] %3\nend %1\n";
}

/// Never ends.
inline const std::string kEndless =
    "kernel endless\nparam p0 i32 1\ndo %1\n%2 = load i32 p0[i32:0]\n%3 = cmpeq i32 %2 %2\nwhile %1 %3\n";

}  // namespace kerr::c_test
