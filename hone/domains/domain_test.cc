// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/domain.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

// Makes nothing, but shows in its message what it was given.
DomainEntry EntryThatEchoes(std::string name) {
  return {.name = std::move(name),
          .summary = "Echoes.",
          .options = {{"colour", "red", "Of the thing."}, {"size", "1", "Of the thing."}},
          .make = [](const Options& options) -> Result<std::unique_ptr<Domain>> {
            std::string text = "made with";
            for (const auto& [option, value] : options) text += " " + option + "=" + value;
            return Error{Errc::kUnsupported, text};
          }};
}

DomainTable TwoDomains() {
  return {{"one", EntryThatEchoes("one")}, {"two", EntryThatEchoes("two")}};
}

TEST(MakeDomainTest, PassesTheOptionsToTheNamedDomain) {
  const auto made = MakeDomain(TwoDomains(), "two", {{"size", "3"}});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, "made with size=3");
}

TEST(MakeDomainTest, UnknownNameListsTheDomains) {
  const auto made = MakeDomain(TwoDomains(), "three", {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Errc::kNotFound);
  EXPECT_EQ(made.error().message, "domain three: no such domain; there are: one, two");
}

TEST(MakeDomainTest, UnknownOptionListsTheOptions) {
  const auto made = MakeDomain(TwoDomains(), "one", {{"color", "blue"}});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Errc::kInvalidArgument);
  EXPECT_EQ(made.error().message,
            "one: option color: no such option; did you mean colour? there are: colour, size");
}

}  // namespace
}  // namespace hone
