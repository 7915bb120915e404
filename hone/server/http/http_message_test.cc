// SPDX-License-Identifier: Apache-2.0
#include "hone/server/http/http_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace hone::server {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(HttpMessageTest, AnEscapedSlashDoesNotPartAPath) {
  EXPECT_THAT(*SplitPath("/v1/tasks/a%2fb"), ElementsAre("v1", "tasks", "a/b"));
  EXPECT_THAT(*SplitPath("/v1/tasks/"), ElementsAre("v1", "tasks", ""));
  EXPECT_THAT(*SplitPath("/"), ElementsAre());
}

TEST(HttpMessageTest, WhatIsNoEscapeOrNoTextIsRefused) {
  for (const char* path : {"/%", "/%4", "/%zz", "/%00", "/%ff", "/%c0%80", "/%ed%a0%80", "x"}) {
    EXPECT_FALSE(SplitPath(path)) << path;
  }
  EXPECT_TRUE(SplitPath("/%e2%82%ac"));
}

TEST(HttpMessageTest, AQueryIsDecodedInOrder) {
  EXPECT_THAT(*ParseQuery("a=1&b=x+y%26&&c"),
              ElementsAre(Pair("a", "1"), Pair("b", "x y&"), Pair("c", "")));
  std::string many;
  for (int k = 0; k < 100; ++k) many += "a=1&";
  EXPECT_FALSE(ParseQuery(many));
}

TEST(HttpMessageTest, Utf8IsToldFromWhatLooksLikeIt) {
  EXPECT_TRUE(IsUtf8("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"));
  for (const char* text :
       {"\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xf5\x80\x80\x80", "\x80", "\xc3("}) {
    EXPECT_FALSE(IsUtf8(text)) << text;
  }
}

}  // namespace
}  // namespace hone::server
