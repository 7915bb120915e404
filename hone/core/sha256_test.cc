// SPDX-License-Identifier: Apache-2.0
#include "hone/core/sha256.h"

#include <gtest/gtest.h>

#include <string>

namespace hone {
namespace {

TEST(Sha256Test, IsWhatNistPublishes) {
  EXPECT_EQ(Sha256Of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256Of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Sha256Of(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256Test, EveryLengthAroundABlockIsPadded) {
  // The digest of the digests of 0 to 129 bytes, by another implementation.
  std::string all;
  for (std::size_t size = 0; size < 130; ++size) all += Sha256Of(std::string(size, '\xff'));
  EXPECT_EQ(Sha256Of(all), "355e28327ca248cea5ebce62cfc0ebbdd0cdfff0cad72e3e6a74f1ebf28a1968");
}

}  // namespace
}  // namespace hone
