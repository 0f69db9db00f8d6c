// What C++ sources say of classes with a serialize(): which of their members it does not name.
// It is read from the text, so it is the same for every compiler, and finds what hides in padding too.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kerr {

class Members {
 public:
  /// Takes up the classes of a header or source file.
  void read(std::string_view source);

  /// Classes that have a serialize(), or inherit one: "Packer", "Sfpu::MadResult". Namespaces are left out.
  std::vector<std::string> classes() const;

  /// "Packer::settings_": members that the serialize() of their class does not name, sorted. References, constants and
  /// objects that hold nothing else are no state, unless a class consists of them alone. Where a serialize() names
  /// `state_.pc`, all members of that object's class have to be named there, if it has no serialize() of its own.
  std::vector<std::string> unnamed() const;

 private:
  using Tokens = std::vector<std::string>;
  struct Member {
    std::string name, type;  // of the type the last name; nothing for a pointer
    bool fixed = false;      // a reference or a constant
  };
  struct Class {
    std::string name;
    std::vector<std::string> bases;
    std::vector<Member> members;
    std::vector<Tokens> serialize;  // bodies
  };
  static bool begins_class(const Tokens& tokens, size_t& at, Class& c);
  static std::string whose_serialize(const Tokens& tokens, size_t at);
  static void take_member(const Tokens& statement, std::vector<Member>& out);
  static void fill(Class& c, const Tokens& tokens, size_t open, size_t close);
  bool has_serialize(const Class& c) const;
  Tokens body_of(const Class& c) const;
  bool is_fixed(const Member& m) const;
  void check(const Class& c, const Tokens& body, std::vector<std::string>& out) const;

  std::vector<Class> classes_;
  std::vector<std::pair<std::string, Tokens>> outside_;  // bodies of A::serialize() and serialize(Archive&, A&)
};

}  // namespace kerr
