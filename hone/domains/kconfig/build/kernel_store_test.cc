// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/build/kernel_store.h"

#include <gtest/gtest.h>

#include <chrono>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/kconfig/build/build_trees.h"

namespace hone::kernels {
namespace {

namespace fs = std::filesystem;

class KernelStoreTest : public ::testing::Test {
 protected:
  BuiltKernel Kernel(const std::string& text) {
    BuiltKernel kernel;
    kernel.image = folder_.path() / "made";
    EXPECT_TRUE(WriteFileAtomically(kernel.image, text));
    kernel.image_bytes = static_cast<std::int64_t>(text.size());
    kernel.text_bytes = 7;
    kernel.compiled = 3;
    return kernel;
  }

  TempDir folder_ = TempDir::Make("hone-kernel-store-test").value();
  KernelStore store_{folder_.path() / "kernels"};
};

TEST_F(KernelStoreTest, WhatIsKeptIsFoundByItsWholeKey) {
  EXPECT_FALSE(store_.Find("CONFIG_A=y\n"));
  ASSERT_TRUE(store_.Keep("CONFIG_A=y\n", Kernel("image")));
  const auto found = store_.Find("CONFIG_A=y\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(ReadFile(found->image).value(), "image");
  EXPECT_EQ(found->compiled, 3);
  EXPECT_FALSE(store_.Find("CONFIG_A=n\n"));
}

TEST_F(KernelStoreTest, ADamagedOneCountsAsAbsentAndIsReplaced) {
  const auto kept = store_.Keep("key", Kernel("image"));
  ASSERT_TRUE(kept);
  fs::resize_file(kept->image, 2);
  EXPECT_FALSE(store_.Find("key"));
  ASSERT_TRUE(store_.Keep("key", Kernel("whole")));
  EXPECT_EQ(ReadFile(store_.Find("key")->image).value(), "whole");
}

TEST_F(KernelStoreTest, TheOldestGoWhenThereAreTooMany) {
  const KernelStore small(folder_.path() / "small", 2);
  auto age = std::chrono::hours{3};
  for (const char* key : {"one", "two", "three"}) {
    const auto kept = small.Keep(key, Kernel(key));
    ASSERT_TRUE(kept);
    fs::last_write_time(kept->image.parent_path(), fs::file_time_type::clock::now() - age--);
  }
  EXPECT_FALSE(small.Find("one"));
  EXPECT_TRUE(small.Find("two"));
  EXPECT_TRUE(small.Find("three"));
}

TEST_F(KernelStoreTest, WhatAKilledProcessLeftHalfMadeGoesWhenTheNextOneStarts) {
  const fs::path left = folder_.path() / "kernels/new-killed";
  ASSERT_TRUE(MakeFolder(left));
  fs::last_write_time(left, fs::file_time_type::clock::now() - std::chrono::hours{1});
  const KernelStore next(folder_.path() / "kernels");
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(KernelStoreTest, TheEssenceIsWhatIsSet) {
  EXPECT_EQ(EssenceOf("#\n# Linux/x86 6.1\n#\nCONFIG_A=y\n# CONFIG_B is not set\n"),
            "CONFIG_A=y\n");
}

class BuildTreesTest : public ::testing::Test {
 protected:
  void Build(BuildTrees& trees, const std::string& essence, const std::string& object) {
    auto folder = trees.Begin(essence);
    ASSERT_TRUE(folder) << folder.error().message;
    ASSERT_TRUE(WriteFileAtomically(folder->objects() / object, "made"));
    trees.Keep(std::move(*folder), essence);
  }

  std::size_t Count() {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(place_)) count += entry.is_directory() ? 1 : 0;
    return count;
  }

  TempDir folder_ = TempDir::Make("hone-trees-test").value();
  fs::path place_ = folder_.path() / "trees";
};

TEST_F(BuildTreesTest, ABuildStartsWithTheObjectsOfTheOneBefore) {
  BuildTrees trees(place_);
  EXPECT_FALSE(trees.CostOf("CONFIG_A=y\n"));
  Build(trees, "CONFIG_A=y\n", "first.o");
  const auto next = trees.Begin("CONFIG_A=n\n");
  ASSERT_TRUE(next);
  EXPECT_TRUE(fs::exists(next->objects() / "first.o"));
}

TEST_F(BuildTreesTest, ABuildThatCameToNothingLeavesNothing) {
  BuildTrees trees(place_);
  {
    const auto folder = trees.Begin("CONFIG_A=y\n");
    ASSERT_TRUE(folder);
    EXPECT_EQ(Count(), std::size_t{1});
  }
  EXPECT_EQ(Count(), std::size_t{0});
}

TEST_F(BuildTreesTest, NoMoreThanSomeAreKept) {
  BuildTrees trees(place_, {}, 2);
  for (const char* essence : {"CONFIG_A=1\n", "CONFIG_A=2\n", "CONFIG_A=3\n"}) {
    Build(trees, essence, "x.o");
  }
  EXPECT_EQ(Count(), std::size_t{2});
}

TEST_F(BuildTreesTest, WhatAKilledBuildLeftIsRemovedAndWhatLivesStays) {
  ASSERT_TRUE(MakeFolder(place_ / "new-killed"));
  BuildTrees trees(place_);
  const auto alive = trees.Begin("CONFIG_A=y\n");
  ASSERT_TRUE(alive);
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours{1};
  for (const auto& entry : fs::directory_iterator(place_)) {
    fs::last_write_time(entry.path(), long_ago);
  }
  const BuildTrees others(place_);
  EXPECT_EQ(Count(), std::size_t{1});
  EXPECT_TRUE(fs::exists(alive->objects()));
}

// FNV-1a, which other digests of ours are, is the same of these two.
TEST_F(KernelStoreTest, WhoFindsAnotherKeyOfAShortHashReplacesNoKernel) {
  const auto first = store_.Keep("8yn0iYCKYHlIj4-BwPqk", Kernel("first"));
  const auto second = store_.Keep("GReLUrM4wMqfg9yzV3KQ", Kernel("other"));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(ReadFile(first->image).value(), "first");
  EXPECT_TRUE(store_.Find("8yn0iYCKYHlIj4-BwPqk"));
}

}  // namespace
}  // namespace hone::kernels
