#include "loops/types.hpp"

namespace kerr::loops {

std::optional<Type> type_named(std::string_view name) {
  for (const TypeInfo& t : kTypes)
    if (t.name == name) return t.type;
  return std::nullopt;
}

std::string text_of(VectorType type) {
  std::string text(info(type.type).name);
  if (type.lanes != 1) text.append("x").append(std::to_string(type.lanes));
  return text;
}

}  // namespace kerr::loops
