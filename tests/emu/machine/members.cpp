#include "tests/emu/machine/members.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <initializer_list>

namespace kerr {
namespace {

using Tokens = std::vector<std::string>;

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }
bool is_name(const std::string& token) { return in_name(token[0]) && !is_digit(token[0]); }
bool one_of(const std::string& token, std::initializer_list<const char*> words) {
  return std::find(words.begin(), words.end(), token) != words.end();
}
bool contains(const Tokens& tokens, std::string_view token) {
  return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
}

// Names, numbers, "::", "<<" and single characters. Comments and directives are left out, but not what a macro stands
// for: a serialize() may name members by one. Of a string remains a quote.
Tokens tokens_of(std::string_view text) {
  Tokens out;
  for (size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    if (std::isspace(static_cast<unsigned char>(rest[0]))) {
      ++i;
    } else if (rest.starts_with("#define")) {
      i += 7;
    } else if (rest.starts_with("//") || rest[0] == '#') {
      i = std::min(text.find('\n', i), text.size());
    } else if (rest[0] == '"' || rest[0] == '\'') {
      for (++i; i < text.size() && text[i] != rest[0];) i += text[i] == '\\' ? 2 : 1;
      ++i;
      out.push_back("\"");
    } else if (in_name(rest[0])) {
      const bool number = is_digit(rest[0]);
      const size_t begin = i;
      while (i < text.size() && (in_name(text[i]) || (number && text[i] == '\''))) ++i;
      out.emplace_back(text.substr(begin, i - begin));
    } else {
      out.emplace_back(rest.substr(0, rest.starts_with("::") || rest.starts_with("<<") ? 2 : 1));
      i += out.back().size();
    }
  }
  return out;
}

// Where what opens at `at` closes.
size_t closing(const Tokens& tokens, size_t at) {
  const std::string open = tokens[at], close = open == "{" ? "}" : open == "(" ? ")" : ">";
  size_t depth = 0;
  for (size_t i = at; i < tokens.size(); ++i) {
    if (tokens[i] == open) ++depth;
    if (tokens[i] == close && --depth == 0) return i;
  }
  return tokens.size() - 1;
}

Tokens slice(const Tokens& tokens, size_t begin, size_t end) {
  return {tokens.begin() + static_cast<ptrdiff_t>(begin), tokens.begin() + static_cast<ptrdiff_t>(end)};
}

// "A::B" from `at` on, which is left behind it.
std::string qualified(const Tokens& tokens, size_t& at) {
  std::string name = tokens[at++];
  for (; at + 1 < tokens.size() && tokens[at] == "::"; at += 2) name += "::" + tokens[at + 1];
  return name;
}
std::string last_of(const std::string& name) { return name.substr(name.rfind(':') + 1); }

// Without what stands in angle brackets and in alignas().
Tokens plain(const Tokens& statement) {
  Tokens out;
  for (size_t i = 0; i < statement.size(); ++i) {
    if (contains(out, "=")) {
      out.push_back(statement[i]);
    } else if (statement[i] == "<") {
      i = closing(statement, i);
    } else if (statement[i] == "alignas") {
      i = closing(statement, i + 1);
    } else if (!one_of(statement[i], {"mutable", "inline"})) {
      out.push_back(statement[i]);
    }
  }
  return out;
}

}  // namespace

// A statement of a class body, without its initialisers in braces. Nothing happens if it declares no data.
void Members::take_member(const Tokens& statement, std::vector<Member>& out) {
  const Tokens words = plain(statement);
  if (words.empty() || contains(words, "operator") ||
      one_of(words[0], {"using", "static", "friend", "typedef", "template", "enum", "class", "struct", "union"}))
    return;
  const auto value = std::find(words.begin(), words.end(), "=");
  if (std::find(words.begin(), value, "(") != value) return;
  std::string type;
  bool fixed = false, first = true;
  for (auto at = words.begin(); at != words.end();) {
    const auto end = std::find(at, words.end(), ",");
    const auto name_end = std::find_if(at, end, [](const std::string& w) { return one_of(w, {"=", "[", ":"}); });
    if (name_end == at || !is_name(*(name_end - 1))) return;
    if (first) {
      const auto kind = std::find_if(std::make_reverse_iterator(name_end - 1), words.rend(), is_name);
      if (kind == words.rend()) return;
      const auto pointer = std::find(at, name_end, "*");
      if (pointer == name_end) type = *kind;
      fixed = std::find(at, name_end, "&") != name_end ||
              std::find(pointer == name_end ? at : pointer, name_end, "const") != name_end;
      first = false;
    }
    out.push_back({*(name_end - 1), type, fixed});
    at = end == words.end() ? end : end + 1;
  }
}

void Members::fill(Class& c, const Tokens& tokens, size_t open, size_t close) {
  Tokens statement;
  for (size_t i = open + 1; i < close; ++i) {
    const std::string& t = tokens[i];
    if (t == ":" && statement.size() == 1 && one_of(statement[0], {"public", "private", "protected"})) {
      statement.clear();
    } else if (t == ";") {
      take_member(statement, c.members);
      statement.clear();
    } else if (t != "{") {
      statement.push_back(t);
    } else {
      const Tokens head = plain(statement);
      const auto parenthesis = std::find(head.begin(), head.end(), "(");
      const bool function = contains(head, "operator") || parenthesis < std::find(head.begin(), head.end(), "=");
      const size_t end = closing(tokens, i);
      if (function && contains(head, "serialize")) c.serialize.push_back(slice(tokens, i, end));
      i = end;
      if (function) {
        while (one_of(tokens[i + 1], {",", "{"})) {  // `: a_{1}, b_{2} {}` goes on
          while (tokens[i + 1] != "{") ++i;
          i = closing(tokens, i + 1);
        }
        statement.clear();
      } else if (!head.empty() && one_of(head[0], {"class", "struct", "enum", "union", "template"})) {
        statement = {"@"};  // a type, of which members may follow
      }
    }
  }
}

// `class` stands at `at`. True, and `at` at its brace, if this is a definition.
bool Members::begins_class(const Tokens& tokens, size_t& at, Class& c) {
  if (at != 0 && tokens[at - 1] == "enum") return false;
  if (tokens[++at] == "alignas") at = closing(tokens, at + 1) + 1;
  if (!is_name(tokens[at])) return false;
  c.name = qualified(tokens, at);
  if (tokens[at] == "<") at = closing(tokens, at) + 1;
  if (tokens[at] == "final") ++at;
  if (tokens[at] == ":") {
    while (tokens[++at] != "{") {
      if (tokens[at] == "<") at = closing(tokens, at);
      if (is_name(tokens[at])) c.bases.push_back(tokens[at]);
    }
  }
  return tokens[at] == "{";
}

// Whose serialize() is defined here, outside of its class. `at` is the name of the function.
std::string Members::whose_serialize(const Tokens& tokens, size_t at) {
  size_t begin = at;
  while (begin >= 2 && tokens[begin - 1] == "::") begin -= 2;
  if (begin != at) {
    const std::string name = qualified(tokens, begin);
    return name.substr(0, name.rfind("::"));
  }
  const Tokens arguments = slice(tokens, at, closing(tokens, at + 1));
  size_t comma = static_cast<size_t>(std::find(arguments.begin(), arguments.end(), ",") - arguments.begin());
  return comma == arguments.size() ? "" : qualified(arguments, ++comma);
}

void Members::read(std::string_view source) {
  Tokens tokens = tokens_of(source);
  tokens.insert(tokens.end(), 4, ";");                 // so that what follows a token is there
  std::vector<std::pair<std::string, size_t>> around;  // classes, and where they close
  for (size_t i = 0; i + 4 < tokens.size(); ++i) {
    while (!around.empty() && around.back().second < i) around.pop_back();
    if (one_of(tokens[i], {"class", "struct"})) {
      Class c;
      size_t at = i;
      if (!begins_class(tokens, at, c)) continue;
      if (!around.empty()) c.name = around.back().first + "::" + c.name;
      around.emplace_back(c.name, closing(tokens, at));
      fill(c, tokens, at, around.back().second);
      classes_.push_back(std::move(c));
      i = at;
    } else if (tokens[i] == "serialize" && tokens[i + 1] == "(" && tokens[i + 2] == "Archive") {
      const size_t end = closing(tokens, i + 1);
      const std::string name = whose_serialize(tokens, i);
      if (tokens[end + 1] != "{" || name.empty()) continue;
      outside_.emplace_back(name, slice(tokens, end, closing(tokens, end + 1)));
    }
  }
}

bool Members::has_serialize(const Class& c) const {
  if (!body_of(c).empty()) return true;
  return std::any_of(classes_.begin(), classes_.end(), [&](const Class& base) {
    return contains(c.bases, last_of(base.name)) && base.name != c.name && has_serialize(base);
  });
}

Members::Tokens Members::body_of(const Class& c) const {
  Tokens body;
  for (const Tokens& part : c.serialize) body.insert(body.end(), part.begin(), part.end());
  for (const auto& [name, part] : outside_)
    if (name == c.name) body.insert(body.end(), part.begin(), part.end());
  return body;
}

// A reference, a constant, or an object that holds nothing else.
bool Members::is_fixed(const Member& m) const {
  bool known = false;
  for (const Class& c : classes_) {
    if (last_of(c.name) != m.type) continue;
    known = true;
    const auto fixed = [&](const Member& part) { return is_fixed(part); };
    if (!c.bases.empty() || !std::all_of(c.members.begin(), c.members.end(), fixed)) return m.fixed;
  }
  return m.fixed || known;
}

void Members::check(const Class& c, const Tokens& body, std::vector<std::string>& out) const {
  const bool view = std::all_of(c.members.begin(), c.members.end(), [](const Member& m) { return m.fixed; });
  for (const Member& m : c.members) {
    const auto named = std::find(body.begin(), body.end(), m.name);
    if (named == body.end() && (view || !is_fixed(m))) out.push_back(c.name + "::" + m.name);
    for (size_t i = static_cast<size_t>(named - body.begin()); i + 3 < body.size(); ++i) {
      if (body[i] != m.name || body[i + 1] != "." || body[i + 3] == "(") continue;
      for (const Class& part : classes_)
        if (last_of(part.name) == m.type && !has_serialize(part)) check(part, body, out);
      break;
    }
  }
}

std::vector<std::string> Members::classes() const {
  std::vector<std::string> out;
  for (const Class& c : classes_)
    if (has_serialize(c)) out.push_back(c.name);
  return out;
}

std::vector<std::string> Members::unnamed() const {
  std::vector<std::string> out;
  for (const Class& c : classes_)
    if (has_serialize(c)) check(c, body_of(c), out);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace kerr
