// SPDX-License-Identifier: Apache-2.0
#include "hone/server/live/versioned_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace hone::server {
namespace {

using testing::ElementsAre;
using testing::Pair;
using testing::UnorderedElementsAre;

TEST(VersionedMapTest, WhoHasSeenNothingGetsAll) {
  VersionedMap versions;
  EXPECT_TRUE(versions.Since(0).is_empty());
  EXPECT_TRUE(versions.Replace({{"a", 1}, {"b", 2}}));
  const auto changes = versions.Since(0);
  EXPECT_TRUE(changes.is_whole);
  EXPECT_THAT(changes.items, ElementsAre(Pair("a", Json(1)), Pair("b", Json(2))));
}

TEST(VersionedMapTest, TellsTheDifferenceOverAnyNumberOfVersions) {
  VersionedMap versions;
  versions.Replace({{"a", 1}, {"b", 2}, {"c", 3}, {"d", 4}});
  const std::uint64_t seen = versions.Since(0).version;
  EXPECT_TRUE(versions.Replace({{"a", 1}, {"b", 5}, {"d", 4}}));
  EXPECT_TRUE(versions.Replace({{"a", 1}, {"b", 6}, {"e", 7}}));
  const auto changes = versions.Since(seen);
  EXPECT_FALSE(changes.is_whole);
  EXPECT_THAT(changes.items, ElementsAre(Pair("b", Json(6)), Pair("e", Json(7))));
  EXPECT_THAT(changes.gone, UnorderedElementsAre("c", "d"));
  EXPECT_TRUE(versions.Since(changes.version).is_empty());
}

TEST(VersionedMapTest, TheSameAgainIsNoChange) {
  VersionedMap versions;
  versions.Replace({{"a", 1}});
  const std::uint64_t seen = versions.Since(0).version;
  EXPECT_FALSE(versions.Replace({{"a", 1}}));
  EXPECT_TRUE(versions.Since(seen).is_empty());
}

TEST(VersionedMapTest, WhatCameBackIsNotGone) {
  VersionedMap versions;
  versions.Replace({{"a", 1}});
  const std::uint64_t seen = versions.Since(0).version;
  versions.Replace({});
  versions.Replace({{"a", 2}});
  const auto changes = versions.Since(seen);
  EXPECT_THAT(changes.items, ElementsAre(Pair("a", Json(2))));
  EXPECT_TRUE(changes.gone.empty());
}

TEST(VersionedMapTest, WhoIsTooFarBehindGetsAllAgain) {
  VersionedMap versions;
  versions.Replace({{"a", 1}, {"0", 1}});
  const std::uint64_t seen = versions.Since(0).version;
  for (std::size_t k = 1; k <= VersionedMap::kMaxGone + 1; ++k) {
    versions.Replace({{"a", 1}, {std::to_string(k), 1}});
  }
  const auto changes = versions.Since(seen);
  EXPECT_TRUE(changes.is_whole);
  EXPECT_EQ(changes.items.size(), 2U);
}

}  // namespace
}  // namespace hone::server
