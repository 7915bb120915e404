// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/knowledge/range_text.h"

#include <gtest/gtest.h>

namespace hone::sysctl {
namespace {

Parameter Of(Kind kind) {
  Parameter parameter;
  parameter.kind = std::move(kind);
  return parameter;
}

TEST(RangeTextTest, EveryKindReadsAsPeopleWriteIt) {
  EXPECT_EQ(RangeText(Of(IntegerRange{10, 500, 1, true})), "10 … 500, log");
  EXPECT_EQ(RangeText(Of(RealRange{0.5, 2, 0, false})), "0.5 … 2");
  EXPECT_EQ(RangeText(Of(Boolean{})), "0 | 1");
  EXPECT_EQ(RangeText(Of(Category{{"always", "never"}})), "always | never");
}

TEST(RangeTextTest, ATupleShowsEachIntegersOwnRange) {
  OrderedTuple tuple;
  tuple.arity = 2;
  tuple.parts = {{4096, 4096, 1, false}, {16384, 65536, 1, true}};
  EXPECT_EQ(RangeText(Of(tuple)), "4096 16384…65536");
}

TEST(RangeTextTest, SpecialValuesStandBehind) {
  Parameter parameter = Of(IntegerRange{8, 100, 1, false});
  parameter.specials = {{Value(std::int64_t{0}), "off"}};
  EXPECT_EQ(RangeText(parameter), "8 … 100, or 0 (off)");
  parameter.specials = {{"max", "no limit"}};
  EXPECT_EQ(RangeText(parameter), "8 … 100, or max (no limit)");
}

}  // namespace
}  // namespace hone::sysctl
