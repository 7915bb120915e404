// SPDX-License-Identifier: Apache-2.0
#include "hone/server/http/tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "hone/base/sha256.h"
#include "hone/base/temp_dir.h"

namespace hone::server {
namespace {

using testing::HasSubstr;

TEST(TokensTest, TheFirstStartMakesAPrivateFileWithEveryRole) {
  const auto folder = TempDir::Make();
  const auto path = folder->path() / "deep" / "tokens";
  const auto book = TokenBook::LoadOrMake(path);
  ASSERT_TRUE(book) << book.error().message;
  for (const TokenRole role : {TokenRole::kSubmit, TokenRole::kWork, TokenRole::kAdmin}) {
    EXPECT_EQ(book->RoleOf(*book->TokenOf(role)), role);
  }
  struct stat facts {};
  ASSERT_EQ(::stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
  const auto again = TokenBook::LoadOrMake(path);
  EXPECT_EQ(again->TokenOf(TokenRole::kAdmin), book->TokenOf(TokenRole::kAdmin));
}

TEST(TokensTest, AFileThatOthersCanReadIsRefused) {
  const auto folder = TempDir::Make();
  const auto path = folder->path() / "tokens";
  ASSERT_TRUE(TokenBook::LoadOrMake(path));
  std::filesystem::permissions(path, std::filesystem::perms::group_read,
                               std::filesystem::perm_options::add);
  const auto book = TokenBook::Load(path);
  ASSERT_FALSE(book);
  EXPECT_THAT(book.error().message, HasSubstr("chmod 600"));
}

TEST(TokensTest, ATokenIsRecognisedWholeOrNotAtAll) {
  const auto book = TokenBook::Parse("# comment\nsubmit 0123456789abcdef\n", "tokens");
  ASSERT_TRUE(book);
  EXPECT_EQ(book->RoleOf("0123456789abcdef"), TokenRole::kSubmit);
  for (const char* wrong : {"", "0", "0123456789abcde", "0123456789abcdeF", "0123456789abcdef0",
                            "0123456789abcdef0123456789abcdef"}) {
    EXPECT_EQ(book->RoleOf(wrong), TokenRole::kNobody) << wrong;
  }
}

TEST(TokensTest, ATokenDoesNotFollowFromWhatIsWrittenIntoItsTasks) {
  const std::string token = "0123456789abcdef";
  const std::string submitter = SubmitterOf(token);
  EXPECT_EQ(submitter.size(), 32U);
  EXPECT_EQ(submitter, SubmitterOf(token)) << "every server of a queue writes the same";
  EXPECT_NE(submitter, SubmitterOf("0123456789abcdeF"));
  EXPECT_EQ(submitter.find(token), submitter.npos);
  EXPECT_NE(submitter, Sha256Of(token).substr(0, submitter.size()));
}

TEST(TokensTest, BrokenFilesAreExplained) {
  EXPECT_THAT(TokenBook::Parse("king 0123456789abcdef", "t").error().message, HasSubstr("line 1"));
  EXPECT_THAT(TokenBook::Parse("admin short", "t").error().message, HasSubstr("5 characters"));
  EXPECT_THAT(TokenBook::Parse("# none\n", "t").error().message, HasSubstr("no token"));
}

TEST(TokensTest, ATokenMayComeAsBearerOrAsPassword) {
  EXPECT_EQ(TokenIn("Bearer abc"), "abc");
  EXPECT_EQ(TokenIn("bearer abc"), "abc");
  EXPECT_EQ(TokenIn("Basic aG9uZTpzZWNyZXQ="), "secret");  // hone:secret
  EXPECT_EQ(TokenIn("Basic ????"), "");
  EXPECT_EQ(TokenIn("Digest abc"), "");
  EXPECT_EQ(TokenIn(""), "");
}

}  // namespace
}  // namespace hone::server
