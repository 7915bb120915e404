// SPDX-License-Identifier: Apache-2.0
#include "hone/base/mapped_file.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"

namespace hone {
namespace {

std::string_view TextOf(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

TEST(MappedFileTest, HoldsTheBytesAlsoAfterAnotherFileTookTheName) {
  const auto folder = TempDir::Make("mapped");
  ASSERT_TRUE(folder);
  const auto path = folder->path() / "file";
  ASSERT_TRUE(WriteFileAtomically(path, "first"));
  auto file = MappedFile::Open(path);
  ASSERT_TRUE(file) << file.error().message;
  const MappedFile moved = std::move(*file);
  ASSERT_TRUE(WriteFileAtomically(path, "second"));
  EXPECT_EQ(TextOf(moved), "first");
}

TEST(MappedFileTest, EmptyFilesFoldersAndMissingFiles) {
  const auto folder = TempDir::Make("mapped");
  ASSERT_TRUE(folder);
  ASSERT_TRUE(WriteFileAtomically(folder->path() / "empty", ""));
  const auto empty = MappedFile::Open(folder->path() / "empty");
  ASSERT_TRUE(empty);
  EXPECT_TRUE(empty->bytes().empty());
  EXPECT_FALSE(MappedFile::Open(folder->path()));
  const auto missing = MappedFile::Open(folder->path() / "missing");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Errc::kNotFound);
}

}  // namespace
}  // namespace hone
