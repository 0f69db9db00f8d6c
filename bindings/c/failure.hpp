// What a call ends with that has failed: an exception within the library, an error object at its border.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "bindings/c/kerr.h"

namespace kerr::c {

class Failure : public std::exception {
 public:
  Failure(kerr_category category, std::string text) : category_(category), text_(std::move(text)) {}
  kerr_category category() const { return category_; }
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  kerr_category category_;
  std::string text_;
};

[[noreturn]] void invalid_argument(std::string text);

/// What kerr_error names.
struct ErrorObject {
  kerr_category category = KERR_INTERNAL;
  std::string text, json;
};

/// "Timeout"; "Unknown".
const char* name_of(int category);

/// The error object that stands for an exception of any type. May throw std::bad_alloc.
ErrorObject describe(std::exception_ptr thrown);

}  // namespace kerr::c
