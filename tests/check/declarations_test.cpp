#include "check/declarations.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "image/image.hpp"

namespace kerr::check {
namespace {

using Kind = Annotation::Kind;
using Range = Declarations::Range;

// Code linked to 0x100 that lies at 0x8400.
arch::note::Code code() {
  image::Image image;
  image.name = "writer";
  image.symbols = {{"table", 0x110, 12, isa::Symbol::Kind::Data},
                   {"mailbox", 0x64, 0, isa::Symbol::Kind::Data},
                   {"local", 0xFFB00010, 4, isa::Symbol::Kind::Data}};
  return {.name = "writer",
          .address = 0x8400,
          .bytes = 64,
          .image = std::make_shared<const image::Image>(std::move(image)),
          .image_address = 0x100};
}

TEST(CheckDeclarations, OfAddressesAreThoseOfEveryTile) {
  const Declarations declared({{Kind::Flag, "", 0x100, 4, 1}, {Kind::Private, "", 0x200, ~0ull, 2}});
  EXPECT_EQ(declared.everywhere(), (std::vector<Range>{{Kind::Flag, 0x100, 4}, {Kind::Private, 0x200, 0x180000}}));
  EXPECT_FALSE(declared.has_symbols());
}

TEST(CheckDeclarations, OfSymbolsLieWhereTheCodeLies) {
  Declarations declared({{Kind::Monotonic, "table", {}, 0, 1}, {Kind::Flag, "table", {}, 4, 2}});
  EXPECT_EQ(declared.of(code()), (std::vector<Range>{{Kind::Monotonic, 0x8410, 12}, {Kind::Flag, 0x8410, 4}}));
}

TEST(CheckDeclarations, OfSymbolsOutsideTheCodeStayWhereTheyAre) {
  Declarations declared({{Kind::Flag, "mailbox", {}, 0, 1}});
  EXPECT_EQ(declared.of(code()), (std::vector<Range>{{Kind::Flag, 0x64, 1}}));
}

TEST(CheckDeclarations, SayWhichSymbolsNoKernelHasInL1) {
  Declarations declared(
      {{Kind::Flag, "table", {}, 0, 1}, {Kind::Flag, "local", {}, 0, 2}, {Kind::Flag, "none", {}, 0, 3}});
  declared.of(code());
  declared.of({.name = "without an image"});
  ASSERT_EQ(declared.unknown().size(), 2u);
  EXPECT_EQ(declared.unknown()[0].name, "local");
  EXPECT_EQ(declared.unknown()[1].name, "none");
}

}  // namespace
}  // namespace kerr::check
