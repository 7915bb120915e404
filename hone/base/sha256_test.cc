// SPDX-License-Identifier: Apache-2.0
#include "hone/base/sha256.h"

#include <gtest/gtest.h>

#include <string>

namespace hone {
namespace {

// The examples of FIPS 180-2.
TEST(Sha256Test, PublishedDigestsAreGiven) {
  EXPECT_EQ(Sha256Of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256Of(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256Test, PartsAreOneText) {
  Sha256 sum;
  sum.Add("a");
  sum.Add("");
  sum.Add("bc");
  EXPECT_EQ(HexOf(sum.Take()), Sha256Of("abc"));
}

TEST(Sha256Test, WhereATextEndsIsAPartOfTheDigestOfTexts) {
  EXPECT_EQ(Sha256OfTexts({"ab", "c"}), Sha256Of("2 ab1 c"));
  EXPECT_NE(Sha256OfTexts({"ab", "c"}), Sha256OfTexts({"a", "bc"}));
  EXPECT_NE(Sha256OfTexts({"abc", ""}), Sha256OfTexts({"abc"}));
}

TEST(Sha256Test, AfterItsDigestWasTakenItBeginsAnew) {
  Sha256 sum;
  sum.Add("abc");
  const Sha256Digest first = sum.Take();
  EXPECT_EQ(HexOf(sum.Take()), Sha256Of(""));
  sum.Add("abc");
  EXPECT_EQ(sum.Take(), first);
}

}  // namespace
}  // namespace hone
