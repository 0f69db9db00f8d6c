#include "loops/types.hpp"

namespace kerr::loops {

std::optional<Type> type_named(std::string_view name) {
  for (const TypeInfo& t : kTypes)
    if (t.name == name) return t.type;
  return std::nullopt;
}

}  // namespace kerr::loops
