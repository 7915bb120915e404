// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/option_reader.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

const std::vector<OptionFacts> kDeclared = {
    {"noise", "0.5", "A number."}, {"runs", "3", "An integer."}, {"shape", "round", "A choice."}};
const std::vector<std::string> kShapes = {"round", "square"};

std::string FaultOfNumber(const std::string& text) {
  const Options options = {{"noise", text}};
  OptionReader reader("toy", kDeclared, options);
  reader.Number("noise", 0, 1);
  const auto finished = reader.Finish();
  return finished ? "" : finished.error().message;
}

TEST(OptionReaderTest, ReadsWhatIsGivenAndTheDeclaredDefaultElse) {
  const Options options = {{"noise", "0.25"}, {"shape", "square"}};
  OptionReader reader("toy", kDeclared, options);
  EXPECT_EQ(reader.Number("noise", 0, 1), 0.25);
  EXPECT_EQ(reader.Integer("runs", 1, 10), 3);
  EXPECT_EQ(reader.Choice("shape", kShapes), "square");
  EXPECT_EQ(reader.Text("runs"), "3");
  EXPECT_TRUE(reader.Finish());
}

TEST(OptionReaderTest, FaultNamesOptionWhatWasFoundAndWhatIsAllowed) {
  EXPECT_EQ(FaultOfNumber("loud"),
            "toy: option noise: expected a number from 0 to 1, found \"loud\"");
}

TEST(OptionReaderTest, RefusesNumbersThatAreNotWhollyNumbersInRange) {
  EXPECT_EQ(FaultOfNumber("1"), "");
  EXPECT_EQ(FaultOfNumber("1e-3"), "");
  for (const char* text : {"", " 0.5", "0.5 ", "0.5x", "5%", "1.01", "-0.1", "nan", "inf", "0,5"}) {
    EXPECT_NE(FaultOfNumber(text), "") << text;
  }
}

TEST(OptionReaderTest, RefusesIntegersThatAreNotWhollyIntegersInRange) {
  for (const char* text : {"", "2.0", "0", "11", "0x2", "99999999999999999999"}) {
    const Options options = {{"runs", text}};
    OptionReader reader("toy", kDeclared, options);
    reader.Integer("runs", 1, 10);
    ASSERT_FALSE(reader.Finish()) << text;
    EXPECT_EQ(reader.Finish().error().code, Errc::kInvalidArgument);
  }
}

TEST(OptionReaderTest, ChoiceListsWhatIsAllowed) {
  const Options options = {{"shape", "Round"}};
  OptionReader reader("toy", kDeclared, options);
  EXPECT_EQ(reader.Choice("shape", kShapes), "round");
  ASSERT_FALSE(reader.Finish());
  EXPECT_EQ(reader.Finish().error().message,
            "toy: option shape: expected one of round, square, found \"Round\"");
}

TEST(OptionReaderTest, TheFirstFaultIsKept) {
  const Options options = {{"noise", "x"}, {"runs", "y"}};
  OptionReader reader("toy", kDeclared, options);
  reader.Number("noise", 0, 1);
  reader.Integer("runs", 1, 10);
  reader.Fail("shape", "is never right");
  ASSERT_FALSE(reader.Finish());
  EXPECT_EQ(reader.Finish().error().message,
            "toy: option noise: expected a number from 0 to 1, found \"x\"");
}

}  // namespace
}  // namespace hone
