// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/chat/secret_key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include "hone/base/temp_dir.h"

namespace hone::agent {
namespace {

using testing::HasSubstr;
using testing::Not;

class SecretKeyTest : public testing::Test {
 protected:
  std::filesystem::path Write(const std::string& text, mode_t mode) const {
    const auto file = folder_->path() / "key";
    std::ofstream(file) << text;
    ::chmod(file.c_str(), mode);
    return file;
  }

  Result<TempDir> folder_ = TempDir::Make("key");
};

TEST_F(SecretKeyTest, AFileThatOnlyItsOwnerReadsIsTaken) {
  const auto key = SecretKey::FromFile(Write("sk-geheim-123\n", 0600));
  ASSERT_TRUE(key) << key.error().message;
  EXPECT_EQ(key->Reveal(), "sk-geheim-123");
}

TEST_F(SecretKeyTest, AFileThatOthersReadIsRefusedWithWhatToDo) {
  for (const mode_t mode : {0644U, 0640U, 0604U, 0660U}) {
    const auto key = SecretKey::FromFile(Write("sk-geheim-123", mode));
    ASSERT_FALSE(key);
    EXPECT_THAT(key.error().message, HasSubstr("chmod 600"));
    EXPECT_THAT(key.error().message, Not(HasSubstr("geheim")));
  }
}

TEST_F(SecretKeyTest, WhatIsNoKeyIsRefusedAndNotRepeated) {
  for (const char* text : {"", "\n", "two words geheim", "geheim\nX-Header: 1", "geheim\x01"}) {
    const auto key = SecretKey::FromFile(Write(text, 0600));
    ASSERT_FALSE(key) << text;
    EXPECT_THAT(key.error().message, Not(HasSubstr("geheim")));
  }
  EXPECT_FALSE(SecretKey::FromFile(Write(std::string(9000, 'x'), 0600)));
  EXPECT_FALSE(SecretKey::FromFile(folder_->path()));
  EXPECT_FALSE(SecretKey::FromFile(folder_->path() / "none"));
}

TEST_F(SecretKeyTest, AVariableThatIsNotSetGivesNoKey) {
  ::setenv("TEST_SECRET", " sk-geheim-456 ", 1);
  EXPECT_EQ(SecretKey::FromVariable("TEST_SECRET")->Reveal(), "sk-geheim-456");
  ::unsetenv("TEST_SECRET");
  EXPECT_FALSE(SecretKey::FromVariable("TEST_SECRET")->is_there());
  EXPECT_FALSE(SecretKey::FromVariable("")->is_there());
}

TEST_F(SecretKeyTest, TheKeyIsTakenOutOfTextsAlsoAcrossPieces) {
  const auto key = SecretKey::FromFile(Write("sk-sk-geheim", 0600));
  ASSERT_TRUE(key);
  EXPECT_EQ(key->Redact("a sk-sk-geheim b sk-sk-geheim"), "a [key] b [key]");
  const std::string text = "see sk-sk-sk-geheim, sk-sk-geheisk-sk-geheim and sk-sk-gehei";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    KeyRedactor redactor(*key);
    std::string shown;
    for (std::size_t at = 0; at < text.size(); at += size) {
      shown += redactor.Pass(text.substr(at, size));
    }
    shown += redactor.Finish();
    EXPECT_EQ(shown, "see sk-[key], sk-sk-gehei[key] and sk-sk-gehei") << size;
  }
}

TEST_F(SecretKeyTest, AWordThatStandsForNoKeyIsNoSecret) {
  const auto key = SecretKey::FromFile(Write("EMPTY", 0600));
  ASSERT_TRUE(key);
  EXPECT_EQ(key->Redact("it is EMPTY"), "it is EMPTY");
}

}  // namespace
}  // namespace hone::agent
