// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/files/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"

namespace hone::llm {
namespace {

using testing::HasSubstr;

std::span<const std::byte> BytesIn(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

std::string FileOf(std::string_view header, std::string_view content) {
  const std::uint64_t size = header.size();
  std::string file(8, '\0');
  std::memcpy(file.data(), &size, 8);
  return file.append(header).append(content);
}

std::string FaultIn(const std::string& file) {
  const auto parsed = ParseSafetensors(BytesIn(file), "x");
  EXPECT_FALSE(parsed);
  return parsed ? "" : parsed.error().message;
}

TEST(SafetensorsTest, WhatIsWrittenIsReadBackAlignedAndInOneOrder) {
  const auto folder = TempDir::Make("safetensors");
  const auto path = folder->path() / "x.safetensors";
  const std::vector<TensorView> tensors = {{"b", DataType::kBF16, {2, 3}, BytesIn("123456123456")},
                                           {"a", DataType::kF32, {}, BytesIn("abcd")},
                                           {"empty", DataType::kI64, {0, 4}, {}}};
  ASSERT_TRUE(WriteSafetensors(path, tensors));
  const auto file = SafetensorsFile::Open(path);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->metadata().at("format"), "pt");
  ASSERT_EQ(file->tensors().size(), 3U);
  for (const TensorView& read : file->tensors()) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(read.bytes.data()) % BytesOf(read.type), 0U);
    for (const TensorView& written : tensors) {
      if (written.name != read.name) continue;
      EXPECT_EQ(read.shape, written.shape);
      EXPECT_TRUE(std::equal(read.bytes.begin(), read.bytes.end(), written.bytes.begin(),
                             written.bytes.end()));
    }
  }
}

TEST(SafetensorsTest, ReadsAFileOfTheFormatsOwnExample) {
  const std::string file = FileOf(
      R"({"__metadata__":{"k":"v"},"t":{"dtype":"F16","shape":[1,2],"data_offsets":[0,4]}}   )",
      "abcd");
  const auto parsed = ParseSafetensors(BytesIn(file), "x");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->tensors[0].shape, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(parsed->metadata.at("k"), "v");
}

TEST(SafetensorsTest, BadFilesAreRefusedWithAReason) {
  const auto one = [](std::string_view entry, std::string_view content) {
    return FaultIn(FileOf(std::string(R"({"t":)").append(entry).append("}"), content));
  };
  EXPECT_THAT(FaultIn("short"), HasSubstr("no safetensors file"));
  EXPECT_THAT(FaultIn(std::string(16, '\xff')), HasSubstr("over the"));
  EXPECT_THAT(FaultIn(FileOf("{}", "").substr(0, 9)), HasSubstr("cut off"));
  EXPECT_THAT(FaultIn(FileOf(" {}", "")), HasSubstr("begin with {"));
  EXPECT_THAT(FaultIn(FileOf("{}", "x")), HasSubstr("behind the last tensor"));
  EXPECT_THAT(one(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]})", "abc"),
              HasSubstr("cut off"));
  EXPECT_THAT(one(R"({"dtype":"F32","shape":[2],"data_offsets":[0,4]})", "abcd"),
              HasSubstr("takes 8 bytes"));
  EXPECT_THAT(one(R"({"dtype":"F32","shape":[1],"data_offsets":[4,8]})", "abcdefgh"),
              HasSubstr("leave a gap"));
  EXPECT_THAT(one(R"({"dtype":"F32","shape":[-1],"data_offsets":[0,4]})", "abcd"),
              HasSubstr("negative"));
  EXPECT_THAT(one(R"({"dtype":"F8_E4M3","shape":[4],"data_offsets":[0,4]})", "abcd"),
              HasSubstr("F8_E4M3 are not supported"));
  EXPECT_THAT(one(R"({"dtype":"U8","shape":[4294967296,4294967296,16],"data_offsets":[0,0]})", ""),
              HasSubstr("larger than any memory"));
  EXPECT_THAT(one(R"({"dtype":"U8","shape":[1],"data_offsets":[0,1],"x":1})", "a"),
              HasSubstr("not known"));
}

TEST(SafetensorsTest, OverlapsAndNamesGivenTwiceAreRefused) {
  const std::string entry = R"({"dtype":"U8","shape":[2],"data_offsets":[0,2]})";
  EXPECT_THAT(FaultIn(FileOf(R"({"a":)" + entry + R"(,"b":)" + entry + "}", "ab")),
              HasSubstr("overlap"));
  EXPECT_THAT(FaultIn(FileOf(R"({"a":)" + entry + R"(,"a":)" + entry + "}", "ab")),
              HasSubstr("again"));
  const auto folder = TempDir::Make("safetensors");
  const TensorView tensor{"a", DataType::kU8, {1}, BytesIn("x")};
  EXPECT_FALSE(WriteSafetensors(folder->path() / "x", std::vector<TensorView>{tensor, tensor}));
  const TensorView wrong{"a", DataType::kU8, {2}, BytesIn("x")};
  EXPECT_FALSE(WriteSafetensors(folder->path() / "x", std::vector<TensorView>{wrong}));
}

}  // namespace
}  // namespace hone::llm
