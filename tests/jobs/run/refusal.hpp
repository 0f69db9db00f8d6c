// What a call refuses to do, as a text.
#pragma once

#include <exception>
#include <string>

namespace kerr::jobs {

/// The sentence of what `call` throws; empty if it throws nothing.
template <class Call>
std::string refusal(Call&& call) {
  try {
    (void)call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

}  // namespace kerr::jobs
