// SPDX-License-Identifier: Apache-2.0
#include "hone/core/base64.h"

#include <gtest/gtest.h>

#include <utility>

namespace hone {
namespace {

TEST(Base64Test, TheValuesOfRfc4648) {
  for (const auto& [bytes, text] :
       {std::pair{"", ""}, std::pair{"f", "Zg=="}, std::pair{"fo", "Zm8="},
        std::pair{"foo", "Zm9v"}, std::pair{"foob", "Zm9vYg=="}, std::pair{"fooba", "Zm9vYmE="},
        std::pair{"foobar", "Zm9vYmFy"}, std::pair{"\xff\xfe\xfd", "//79"}}) {
    EXPECT_EQ(Base64Encode(bytes), text);
    EXPECT_EQ(Base64Decode(text), bytes);
  }
}

TEST(Base64Test, WhatIsNoBase64EndsIt) {
  EXPECT_EQ(Base64Decode("Zm9v!YmFy"), "foo");
  EXPECT_EQ(Base64Decode("Zm9vYg==Zm9v"), "foob");
}

}  // namespace
}  // namespace hone
