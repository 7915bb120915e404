// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hone/domains/sysctl/knowledge/knowledge.h"

namespace hone::sysctl {
namespace {

Value ReadValue(const Kind& kind, const std::string& text) {
  const auto value = ValueOf(kind, text);
  EXPECT_TRUE(value) << value.error().message;
  return value ? *value : Value();
}

std::string FaultOfValue(const Kind& kind, const std::string& text) {
  const auto value = ValueOf(kind, text);
  EXPECT_FALSE(value) << text << " was read as " << ToText(*value);
  return value ? "" : value.error().message;
}

TEST(ValueTextTest, TheKernelsTextsAreRead) {
  EXPECT_EQ(ReadValue(IntegerRange{}, "-1"), Value(std::int64_t{-1}));
  EXPECT_EQ(ReadValue(IntegerRange{}, "4294967295"), Value(std::int64_t{4294967295}));
  EXPECT_EQ(ReadValue(RealRange{}, "0.5"), Value(0.5));
  EXPECT_EQ(ReadValue(Boolean{}, "1"), Value(true));
  EXPECT_EQ(ReadValue(Boolean{}, "N"), Value(false));
  EXPECT_EQ(ReadValue(Boolean{}, "true"), Value(true));
  EXPECT_EQ(ReadValue(Category{}, "madvise"), Value(std::string("madvise")));
  EXPECT_EQ(ReadValue(OrderedTuple{3, {}}, "4096 131072 6291456"),
            Value(std::vector<std::int64_t>{4096, 131072, 6291456}));
}

TEST(ValueTextTest, AWordForNoLimitIsReadAndWrittenAsTheKernelHasIt) {
  const std::vector<SpecialValue> specials{{"max", "no limit"}};
  const auto value = ValueOf(IntegerRange{}, "max", specials);
  ASSERT_TRUE(value) << value.error().message;
  EXPECT_EQ(TextOf(*value, "4096"), "max");
  EXPECT_EQ(FaultOfValue(IntegerRange{}, "max"), "\"max\" does not read as an integer");
}

TEST(ValueTextTest, WhatDoesNotReadIsTold) {
  EXPECT_EQ(FaultOfValue(IntegerRange{}, "12 kB"), "\"12 kB\" does not read as an integer");
  EXPECT_EQ(FaultOfValue(IntegerRange{}, ""), "\"\" does not read as an integer");
  EXPECT_EQ(FaultOfValue(IntegerRange{}, "18446744073692774399"),
            "\"18446744073692774399\" does not read as an integer");
  EXPECT_EQ(FaultOfValue(RealRange{}, "fast"), "\"fast\" does not read as a number");
  EXPECT_EQ(FaultOfValue(Boolean{}, "2"),
            "\"2\" does not read as on or off (0 or 1, N or Y, false or true, "
            "off or on, no or yes)");
  EXPECT_EQ(FaultOfValue(Category{}, ""), "\"\" does not read as a choice");
  EXPECT_EQ(FaultOfValue(OrderedTuple{3, {}}, "1 2"), "\"1 2\" does not read as 3 integers");
  EXPECT_EQ(FaultOfValue(OrderedTuple{2, {}}, "1 x"), "\"1 x\" does not read as 2 integers");
}

TEST(ValueTextTest, ABooleanIsWrittenAsTheKernelShowsIt) {
  EXPECT_EQ(TextOf(true, "0"), "1");
  EXPECT_EQ(TextOf(false, "Y"), "N");
  EXPECT_EQ(TextOf(true, "false"), "true");
  EXPECT_EQ(TextOf(std::int64_t{7}, "Y"), "7");
  EXPECT_EQ(TextOf(std::vector<std::int64_t>{1, 2}, ""), "1 2");
}

}  // namespace
}  // namespace hone::sysctl
