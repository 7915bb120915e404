// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hone/domains/sysctl/kernel/kernel_files.h"

// The exam that every implementation of KernelFiles passes. Instantiate it with the implementation
// and with parameters of it that may be written in a test; every case puts back what it wrote.
namespace hone::sysctl {

struct KernelFilesCase {
  std::string name;
  // Null where it cannot be had here; then `why_not` says so.
  std::function<std::unique_ptr<KernelFiles>()> make;
  std::function<std::string()> why_not = [] { return std::string(); };
  std::string integer;    // Readable and writable, takes every small positive integer.
  std::string pattern;    // With a *, matches at least `integer`.
  std::string folder;     // `integer` is below it.
  std::string refused;    // A text that `integer` refuses.
  std::string tuple;      // Three numbers; empty if there is none.
  std::string choice;     // Shown with brackets; empty if there is none.
  std::string read_only;  // Empty if there is none.
  std::string write_only;
};

class KernelFilesContract : public testing::TestWithParam<KernelFilesCase> {
 protected:
  void SetUp() override {
    if (const std::string why = GetParam().why_not(); !why.empty()) GTEST_SKIP() << why;
    files_ = GetParam().make();
    ASSERT_TRUE(files_);
    const auto text = files_->Read(GetParam().integer);
    ASSERT_TRUE(text) << text.error().message;
    original_ = *text;
  }

  void TearDown() override {
    if (!files_ || original_.empty()) return;
    const auto text = files_->Read(GetParam().integer);
    if (text && *text == original_) return;
    EXPECT_TRUE(files_->Write(GetParam().integer, original_));
  }

  std::unique_ptr<KernelFiles> files_;
  std::string original_;
};

TEST_P(KernelFilesContract, WhatIsWrittenIsRead) {
  const std::string other = std::to_string(std::stoll(original_) + 1);
  ASSERT_TRUE(files_->Write(GetParam().integer, other));
  EXPECT_EQ(files_->Read(GetParam().integer).value(), other);
  EXPECT_EQ(files_->ReadRaw(GetParam().integer).value(), other);
  ASSERT_TRUE(files_->Write(GetParam().integer, original_));
  EXPECT_EQ(files_->Read(GetParam().integer).value(), original_);
}

TEST_P(KernelFilesContract, ARefusedValueIsAnErrorThatNamesTheParameterAndChangesNothing) {
  const auto written = files_->Write(GetParam().integer, GetParam().refused);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Errc::kInvalidArgument) << written.error().message;
  EXPECT_THAT(written.error().message, testing::HasSubstr(GetParam().refused));
  EXPECT_EQ(files_->Read(GetParam().integer).value(), original_);
}

TEST_P(KernelFilesContract, AnAbsentParameterIsNotFound) {
  const std::string absent = GetParam().integer + "_nonesuch";
  EXPECT_EQ(files_->Read(absent).error().code, Errc::kNotFound);
  EXPECT_EQ(files_->ReadRaw(absent).error().code, Errc::kNotFound);
  EXPECT_EQ(files_->Write(absent, "1").error().code, Errc::kNotFound);
  EXPECT_FALSE(files_->IsWritable(absent));
}

TEST_P(KernelFilesContract, PatternsAndFoldersFindTheParameter) {
  const auto matched = files_->Match(GetParam().pattern);
  ASSERT_TRUE(matched) << matched.error().message;
  EXPECT_THAT(*matched, testing::Contains(GetParam().integer));
  EXPECT_TRUE(std::is_sorted(matched->begin(), matched->end()));
  const auto below = files_->FilesBelow(GetParam().folder);
  ASSERT_TRUE(below) << below.error().message;
  EXPECT_THAT(*below, testing::Contains(GetParam().integer));
  EXPECT_TRUE(std::is_sorted(below->begin(), below->end()));
}

TEST_P(KernelFilesContract, APatternWithoutMatchIsEmptyAndAnAbsentFolderNotFound) {
  const auto matched = files_->Match(GetParam().folder + "/nonesuch*");
  ASSERT_TRUE(matched);
  EXPECT_TRUE(matched->empty());
  EXPECT_EQ(files_->FilesBelow(GetParam().folder + "/nonesuch").error().code, Errc::kNotFound);
}

TEST_P(KernelFilesContract, WritableIsWhatCanBeWritten) {
  EXPECT_TRUE(files_->IsWritable(GetParam().integer));
  if (GetParam().read_only.empty()) return;
  EXPECT_FALSE(files_->IsWritable(GetParam().read_only));
  EXPECT_TRUE(files_->Read(GetParam().read_only));
  EXPECT_EQ(files_->Write(GetParam().read_only, "1").error().code, Errc::kUnsupported);
}

TEST_P(KernelFilesContract, OnlyTheOneSpellingOfAParameterIsWritten) {
  const std::string& path = GetParam().integer;
  const std::size_t last = path.rfind('/');
  const std::string folder = path.substr(0, last);
  const std::string name = path.substr(last + 1);
  const std::string folder_name = folder.substr(folder.rfind('/') + 1);
  for (const std::string& odd : {folder + "/./" + name, folder + "//" + name, path + "/",
                                 folder + "/../" + folder_name + "/" + name, "/" + path}) {
    const auto written = files_->Write(odd, std::to_string(std::stoll(original_) + 1));
    EXPECT_EQ(written.error().code, Errc::kInvalidArgument) << odd;
  }
  EXPECT_EQ(files_->Read(path).value(), original_);
}

TEST_P(KernelFilesContract, WhatCannotBeReadIsUnsupported) {
  if (GetParam().write_only.empty()) return;
  EXPECT_EQ(files_->Read(GetParam().write_only).error().code, Errc::kUnsupported);
}

TEST_P(KernelFilesContract, TuplesAreReadWithBlanks) {
  if (GetParam().tuple.empty()) return;
  const auto text = files_->Read(GetParam().tuple);
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_THAT(*text, testing::MatchesRegex("[0-9]+ [0-9]+ [0-9]+"));
}

TEST_P(KernelFilesContract, AChoiceIsReadAsWhatIsChosen) {
  if (GetParam().choice.empty()) return;
  const auto raw = files_->ReadRaw(GetParam().choice);
  const auto text = files_->Read(GetParam().choice);
  ASSERT_TRUE(raw && text);
  EXPECT_THAT(*raw, testing::HasSubstr("[" + *text + "]"));
}

}  // namespace hone::sysctl
