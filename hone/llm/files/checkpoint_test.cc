// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/files/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"

namespace hone::llm {
namespace {

using testing::HasSubstr;

class CheckpointTest : public testing::Test {
 protected:
  void Write(const std::string& file, const std::vector<std::string>& names) const {
    static const std::byte byte{7};
    std::vector<TensorView> tensors;
    for (const std::string& name : names) {
      tensors.push_back({name, DataType::kU8, {1}, std::span(&byte, 1)});
    }
    ASSERT_TRUE(WriteSafetensors(folder_->path() / file, tensors));
  }

  void Index(const std::string& map) const {
    ASSERT_TRUE(WriteFileAtomically(folder_->path() / kWeightsIndexFile,
                                    R"({"metadata":{"total_size":2},"weight_map":)" + map + "}"));
  }

  std::string Fault() const {
    const auto opened = Checkpoint::Open(folder_->path());
    EXPECT_FALSE(opened);
    return opened ? "" : opened.error().message;
  }

  const Result<TempDir> folder_ = TempDir::Make("checkpoint");
};

TEST_F(CheckpointTest, OneFileOrShardsByTheirIndex) {
  Write("model.safetensors", {"whole"});
  const auto whole = Checkpoint::Open(folder_->path());
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_NE(whole->Find("whole"), nullptr);
  Write("1.safetensors", {"a"});
  Write("2.safetensors", {"b"});
  Index(R"({"a":"1.safetensors","b":"2.safetensors"})");
  const auto shards = Checkpoint::Open(folder_->path());
  ASSERT_TRUE(shards) << shards.error().message;
  EXPECT_EQ(shards->names(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(shards->bytes(), 2U);
  const std::vector<std::int64_t> one = {1};
  const std::vector<std::int64_t> two = {1, 1};
  EXPECT_TRUE(shards->Get("a", one));
  EXPECT_THAT(shards->Get("a", two).error().message, HasSubstr("[1], and by config.json it is"));
  EXPECT_THAT(shards->Get("c", one).error().message, HasSubstr("no tensor c"));
}

TEST_F(CheckpointTest, WhatDoesNotFitTheIndexIsRefused) {
  EXPECT_THAT(Fault(), HasSubstr("no weights"));
  Write("1.safetensors", {"a"});
  Write("2.safetensors", {"a"});
  Index(R"({"a":"1.safetensors","b":"3.safetensors"})");
  EXPECT_THAT(Fault(), HasSubstr("3.safetensors: missing"));
  Index(R"({"a":"1.safetensors","b":"1.safetensors"})");
  EXPECT_THAT(Fault(), HasSubstr("tensor b is not in it"));
  Index(R"({"a":"../1.safetensors"})");
  EXPECT_THAT(Fault(), HasSubstr("a file in the same folder"));
  Index(R"({"a":".."})");
  EXPECT_THAT(Fault(), HasSubstr("a file in the same folder"));
}

TEST_F(CheckpointTest, ATensorInTwoShardsIsRefused) {
  Write("1.safetensors", {"a", "b"});
  Write("2.safetensors", {"a", "c"});
  Index(R"({"b":"1.safetensors","c":"2.safetensors"})");
  EXPECT_THAT(Fault(), HasSubstr("also in another file"));
}

}  // namespace
}  // namespace hone::llm
