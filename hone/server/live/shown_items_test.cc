// SPDX-License-Identifier: Apache-2.0
#include "hone/server/live/shown_items.h"

#include <gtest/gtest.h>

#include <vector>

namespace hone::server {
namespace {

TEST(ShownItemsTest, WhatIsNotTheAskersNeitherComesNorGoes) {
  ShownItems shown([](const std::string& submitter) { return submitter == "ada"; });
  const auto first =
      shown.Of({true, {{"a", OwnedItem(1, "ada")}, {"b", OwnedItem(2, "bob")}, {"c", 3}}, {}, 7});
  EXPECT_TRUE(first.is_whole);
  EXPECT_EQ(first.version, 7U);
  EXPECT_EQ(first.items, (VersionedMap::Items{{"a", 1}, {"c", 3}}));
  const auto second = shown.Of({false, {}, {"a", "b", "c"}, 8});
  EXPECT_EQ(second.gone, (std::vector<std::string>{"a", "c"}));
  EXPECT_TRUE(shown.Of({false, {}, {"a"}, 9}).is_empty()) << "it was told";
}

}  // namespace
}  // namespace hone::server
