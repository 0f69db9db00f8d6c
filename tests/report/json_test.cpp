#include "report/json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace kerr::report {
namespace {

TEST(Json, KeepsTheOrderOfMembers) {
  Json json = {{"n", 1}, {"m", -2}, {"text", "a \"b\""}};
  json["a"] = true;
  json["m"] = nullptr;
  EXPECT_EQ(json.dump(0), "{\n\"n\": 1,\n\"m\": null,\n\"text\": \"a \\\"b\\\"\",\n\"a\": true\n}");
}

TEST(Json, IsAnArrayUnlessAllValuesArePairsThatBeginWithAText) {
  EXPECT_EQ((Json{1, "x"}).dump(-1), "[1,\"x\"]");
  EXPECT_EQ((Json{{"a", 1}, 2}).dump(-1), "[[\"a\",1],2]");
  EXPECT_EQ((Json{{"a", 1}, {"b", Json::array()}}).dump(-1), "{\"a\":1,\"b\":[]}");
  EXPECT_EQ(Json(std::vector<std::string>{"x", "y"}).dump(-1), "[\"x\",\"y\"]");
}

TEST(Json, IsUtf8WhateverItsTextsAre) { EXPECT_EQ(Json("a\xff").dump(-1), "\"a\xEF\xBF\xBD\""); }

TEST(Json, KeepsNumbersWhole) {
  EXPECT_EQ(Json(std::numeric_limits<uint64_t>::max()).dump(-1), "18446744073709551615");
  EXPECT_EQ(Json(std::numeric_limits<int64_t>::min()).dump(-1), "-9223372036854775808");
  EXPECT_EQ(Json(0.25).dump(-1), "0.25");
  EXPECT_EQ(Json(std::nan("")).dump(-1), "null");
}

TEST(Json, GrowsByElementsAndMembers) {
  Json list, object;
  list.push_back({{"x", 1}});
  list.back()["y"] = 2;
  object["list"] = list;
  object.update({{"list", 3}, {"z", 4}});
  EXPECT_EQ(list.dump(-1), "[{\"x\":1,\"y\":2}]");
  EXPECT_EQ(object.dump(-1), "{\"list\":3,\"z\":4}");
}

TEST(Json, RefusesMembersOfWhatIsNoObject) {
  Json number = 1;
  EXPECT_THROW(number["a"], std::logic_error);
  EXPECT_THROW(number.push_back(2), std::logic_error);
  EXPECT_THROW(Json::array().back(), std::logic_error);
  EXPECT_THROW(Json::object().update(number), std::logic_error);
}

}  // namespace
}  // namespace kerr::report
