// SPDX-License-Identifier: Apache-2.0
#include "hone/base/json/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "hone/base/json/ordered_json.h"
#include "hone/core/rng.h"

namespace hone {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

std::string FaultOf(std::string_view text, JsonLimits limits = {}) {
  const auto json = ParseJson(text, "doc", limits);
  EXPECT_FALSE(json.has_value()) << text;
  return json ? "" : json.error().message;
}

TEST(ParseJsonTest, ReadsWhatJsonHas) {
  const auto json = ParseJson(R"( {"a":[1,-2,3.5,true,null,"é\u00e9"],"b":{}} )", "doc");
  ASSERT_TRUE(json.has_value()) << json.error().message;
  EXPECT_EQ(Dump(*json), R"({"a":[1,-2,3.5,true,null,"éé"],"b":{}})");
}

TEST(ParseJsonTest, AnOrderedDocumentKeepsTheOrderAndRefusesTheSame) {
  const auto json = ParseOrderedJson(R"({"b":{"z":1,"a":[{"d":1,"c":2}]},"a":2})", "doc");
  ASSERT_TRUE(json.has_value()) << json.error().message;
  EXPECT_EQ(json->dump(), R"({"b":{"z":1,"a":[{"d":1,"c":2}]},"a":2})");
  const auto twice = ParseOrderedJson(R"({"b":1,"b":2})", "doc");
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.error().message, HasSubstr("the key \"b\" again"));
  std::string large = "{";
  for (int k = 0; k < 6000; ++k) large += "\"" + std::to_string(k) + "\":1,";
  EXPECT_FALSE(ParseOrderedJson(large + "\"x\":1}", "doc"));
  EXPECT_TRUE(ParseJson(large + "\"x\":1}", "doc"));
}

TEST(ParseJsonTest, ErrorsGiveLineAndColumn) {
  EXPECT_THAT(FaultOf("{\n  \"a\": nope\n}"), StartsWith("doc: line 2, column 9: "));
  EXPECT_THAT(FaultOf(""), StartsWith("doc: line 1, column 1: "));
}

TEST(ParseJsonTest, DuplicateKeysAreRefusedAtAnyDepth) {
  EXPECT_EQ(FaultOf("{\"a\":1,\n\"a\":1}"), "doc: line 2, column 3: the key \"a\" again");
  EXPECT_THAT(FaultOf(R"([{"x":{"k":1,"l":2,"k":3}}])"), HasSubstr("the key \"k\" again"));
  EXPECT_TRUE(ParseJson(R"([{"a":1},{"a":{"a":2}}])", "doc").has_value());
}

TEST(ParseJsonTest, TrailingTextIsRefused) {
  EXPECT_THAT(FaultOf("{} x"), StartsWith("doc: line 1, column 4: "));
  FaultOf("1 2");
  FaultOf("[1],");
}

TEST(ParseJsonTest, WhatIsNotJsonIsRefused) {
  for (const char* text :
       {"NaN", "Infinity", "-Infinity", "[1,]", "{'a':1}", "01", "+1", "1.", "1e999", "-1e999",
        "// x\n1", "\"\x01\"", "\"\\ud800\"", "tru", "[", "{\"a\"", "\""}) {
    FaultOf(text);
  }
}

TEST(ParseJsonTest, InvalidUtf8IsRefused) {
  for (const char* text : {"\"\xff\"", "\"\xc3\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"",
                           "\"\xf5\x80\x80\x80\"", "{\"\x80\":1}"}) {
    FaultOf(text);
  }
}

TEST(ParseJsonTest, DeepNestingStopsAtTheLimit) {
  const std::string at_limit = std::string(8, '[') + std::string(8, ']');
  EXPECT_TRUE(ParseJson(at_limit, "doc", {.depth = 8}).has_value());
  EXPECT_EQ(FaultOf("[" + at_limit + "]", {.depth = 8}), "doc: line 1, column 9: nested over 8");

  std::string objects;
  for (int i = 0; i < 1'000'000; ++i) objects += "{\"a\":";
  EXPECT_THAT(FaultOf(objects), EndsWith("nested over 64"));
  std::string arrays;
  arrays.resize(10'000'000, '[');
  EXPECT_THAT(FaultOf(arrays), EndsWith("nested over 64"));
}

TEST(ParseJsonTest, LargeTextIsRefusedBeforeItIsParsed) {
  EXPECT_EQ(FaultOf("[1,2,3", {.bytes = 5}), "doc: 6 bytes, over the 5 allowed");
}

TEST(DumpTest, KeysAreInOrder) {
  const auto json = ParseJson(R"({"b":1,"a":{"z":1,"y":2}})", "doc");
  ASSERT_TRUE(json.has_value());
  EXPECT_EQ(Dump(*json), R"({"a":{"y":2,"z":1},"b":1})");
}

TEST(DumpTest, DoublesReadBackToTheSameBits) {
  Rng rng(7);
  for (int i = 0; i < 20'000; ++i) {
    const double value = std::bit_cast<double>(rng.Next());
    if (!std::isfinite(value)) continue;
    const auto back = ParseJson(Dump(Json(value)), "doc");
    ASSERT_TRUE(back.has_value() && back->is_number_float()) << Dump(Json(value));
    ASSERT_EQ(std::bit_cast<std::uint64_t>(back->get<double>()),
              std::bit_cast<std::uint64_t>(value));
  }
}

TEST(DumpTest, BytesThatAreNotUtf8AreReplaced) {
  EXPECT_EQ(Dump(Json("a\xff")), "\"a\xef\xbf\xbd\"");
}

TEST(DumpDeathTest, WhatIsNotFiniteIsABrokenPromise) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_DEATH(Dump(Json{{"a", {1.0, nan}}}), "IsFinite");
}

class JsonReaderTest : public testing::Test {
 protected:
  JsonReader Read(std::string_view text) {
    auto json = ParseJson(text, "doc");
    EXPECT_TRUE(json.has_value());
    json_ = *std::move(json);
    return JsonReader(json_, "doc");
  }

  static std::string FaultOf(const JsonReader& reader) {
    const auto finished = reader.Finish();
    return finished ? "" : finished.error().message;
  }

 private:
  Json json_;
};

TEST_F(JsonReaderTest, ReadsEveryKind) {
  JsonReader reader = Read(R"({"s":"x","i":-3,"u":18446744073709551615,"n":2,"b":true,"l":[1,2]})");
  EXPECT_EQ(reader.At("s").String(), "x");
  EXPECT_EQ(reader.At("i").Integer(), -3);
  EXPECT_EQ(reader.At("u").Unsigned(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(reader.At("n").Number(), 2.0);
  EXPECT_TRUE(reader.At("b").Bool());
  EXPECT_EQ(reader.At("l").Items().size(), 2u);
  EXPECT_FALSE(reader.Has("absent"));
  reader.RefuseOthers();
  EXPECT_EQ(FaultOf(reader), "");
}

TEST_F(JsonReaderTest, AFaultNamesDocumentPathExpectationAndFinding) {
  JsonReader reader = Read(R"({"budget":{"pairs":"ten"}})");
  EXPECT_EQ(reader.At("budget").At("pairs").Integer(), 0);
  EXPECT_EQ(FaultOf(reader), R"(doc: /budget/pairs: expected an integer of 64 bits, found "ten")");
}

TEST_F(JsonReaderTest, TheFirstFaultIsKept) {
  JsonReader reader = Read(R"({"a":1,"b":2})");
  reader.At("a").String();
  reader.At("b").Bool();
  reader.At("c").At("d").Items();
  EXPECT_EQ(FaultOf(reader), "doc: /a: expected a string, found 1");
}

TEST_F(JsonReaderTest, AMissingMemberIsNamed) {
  JsonReader reader = Read(R"({"a":{}})");
  EXPECT_EQ(reader.At("a").At("b").String(), "");
  EXPECT_EQ(FaultOf(reader), "doc: /a: the member \"b\" is missing");
}

TEST_F(JsonReaderTest, AFaultAtTheTopHasNoPath) {
  JsonReader reader = Read("[]");
  reader.At("a");
  EXPECT_EQ(FaultOf(reader), "doc: expected an object, found an array");
}

TEST_F(JsonReaderTest, PathsEscapeAsJsonPointersDo) {
  JsonReader reader = Read(R"({"a/b":{"~":[0,"x"]}})");
  for (JsonReader& item : reader.At("a/b").At("~").Items()) item.Integer();
  EXPECT_EQ(FaultOf(reader), R"(doc: /a~1b/~0/1: expected an integer of 64 bits, found "x")");
}

TEST_F(JsonReaderTest, WhatWasFoundIsShortened) {
  const std::string text = "\"" + std::string(39, 'x') + "ééé" + std::string(1000, 'y') + "\"";
  JsonReader reader = Read(text);
  reader.Bool();
  EXPECT_EQ(FaultOf(reader),
            "doc: expected true or false, found \"" + std::string(39, 'x') + "…\"");
}

TEST_F(JsonReaderTest, IntegersOutsideTheirRangeAreFaults) {
  for (const char* text : {"9223372036854775808", "-9223372036854775809", "1e3", "1.0", "true"}) {
    JsonReader reader = Read(text);
    EXPECT_EQ(reader.Integer(), 0);
    EXPECT_NE(FaultOf(reader), "") << text;
  }
  for (const char* text : {"-1", "18446744073709551616", "2.0"}) {
    JsonReader reader = Read(text);
    EXPECT_EQ(reader.Unsigned(), 0u);
    EXPECT_NE(FaultOf(reader), "") << text;
  }
  EXPECT_EQ(Read("-9223372036854775808").Integer(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(Read("9223372036854775807").Integer(), std::numeric_limits<std::int64_t>::max());
}

TEST_F(JsonReaderTest, MembersNobodyAskedForAreRefused) {
  JsonReader reader = Read(R"({"a":1,"b":2})");
  reader.At("a").Integer();
  reader.RefuseOthers();
  EXPECT_EQ(FaultOf(reader), "doc: the member \"b\" is not known here");
}

TEST_F(JsonReaderTest, AllMembersCountAsAskedForWhenListed) {
  JsonReader reader = Read(R"({"a":1,"b":2})");
  std::int64_t sum = 0;
  for (auto& [name, member] : reader.Members()) sum += member.Integer();
  reader.RefuseOthers();
  EXPECT_EQ(FaultOf(reader), "");
  EXPECT_EQ(sum, 3);
}

}  // namespace
}  // namespace hone
