// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/language/token_lister.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hone/kconfig/language/texts_for_test.h"

namespace hone::kconfig {
namespace {

std::vector<Token> KindsIn(std::string_view text, const std::string& dialect = "linux-6.1") {
  TokenLister lister(*DialectNamed(dialect));
  std::vector<Token> kinds;
  for (const ListedToken& token : lister.List(text).tokens) kinds.push_back(token.token);
  return kinds;
}

using Kinds = std::vector<Token>;

TEST(TokenListerTest, ListsTheTokensOfALineAndItsEnd) {
  EXPECT_EQ(
      KindsIn("\tdepends on A && (B != \"x\")  # why\n"),
      (Kinds{Token::kDepends, Token::kOn, Token::kWord, Token::kAnd, Token::kOpen, Token::kWord,
             Token::kUnequal, Token::kQuoted, Token::kClose, Token::kEndOfLine}));
}

TEST(TokenListerTest, BlankLinesAreOneTokenThatCountsThem) {
  TokenLister lister(*DialectNamed("linux-6.1"));
  const auto tokens = lister.List("config A\n\n# a comment\n\nconfig B\n").tokens;
  ASSERT_EQ(tokens.size(), 7U);
  EXPECT_EQ(tokens[2].token, Token::kEndOfLine);
  EXPECT_EQ(tokens[2].size, 1U);
  EXPECT_EQ(tokens[3].token, Token::kEndOfLine);
  EXPECT_EQ(tokens[3].size, 3U);
}

TEST(TokenListerTest, AHelpTextIsOneToken) {
  TokenLister lister(*DialectNamed("linux-6.1"));
  const std::string text =
      "config A\n\thelp\n\t  A text with $(a macro)\n\t  and \"more\nconfig B\n";
  const auto tokens = lister.List(text).tokens;
  ASSERT_EQ(tokens.size(), 10U);
  EXPECT_EQ(tokens[5].token, Token::kHelpText);
  EXPECT_EQ(text.substr(tokens[5].begin, tokens[5].size),
            "\t  A text with $(a macro)\n\t  and \"more");
  EXPECT_EQ(tokens[6].token, Token::kEndOfLine);
  EXPECT_EQ(tokens[6].size, 2U);
}

TEST(TokenListerTest, LeavesOutLinesThatOnlyALexerCanRead) {
  const Kinds left_out{Token::kUnlisted, Token::kConfig, Token::kWord, Token::kEndOfLine};
  for (const std::string line :
       {"default $(x)", "default \"a$(x)\"", "default \"a\\\"b\"", "default a$(x)", "X := 1",
        "X = 1", "X += 1", "default A || \\\n B", "default \"open", "default %", "default A\r"}) {
    EXPECT_EQ(KindsIn(line + "\nconfig B\n"), left_out) << line;
  }
  EXPECT_EQ(KindsIn("config B"), Kinds{Token::kUnlisted});
}

TEST(TokenListerTest, NamesTheFilesOfSourceInTheirOrder) {
  TokenLister lister(*DialectNamed("linux-6.1"));
  const std::string text =
      "source \"b/Kconfig\"\nsource \"arch/$(SRCARCH)/Kconfig\"\n  source 'a'\n# source \"c\"\n"
      "config A\n\thelp\n\t  text\n\n\t  source \"d\"\nsource \"e\" # five\n";
  const auto sources = lister.List(text).sources;
  EXPECT_EQ(std::vector<std::string>(sources.begin(), sources.end()),
            (std::vector<std::string>{"b/Kconfig", "a", "e"}));
}

// What ParseText compares with a parse without a list.
TEST(TokenListerTest, AListChangesNothing) {
  for (const std::string text : {
           "help\n\tnobody takes it\nconfig A\n\tbool \"a\"\n",
           "config A\n\tbool \"a\"\n\thelp me\n\t  text\nconfig B\n\tbool \"b\"\n",
           "config A\n\tbool \"a\"\n\thelp\r\n\t  text\nconfig B\n\tbool \"b\"\n",
           "config A\n\tbool \"a\"\n\thelp $(x)\n\t  text\n\n\nconfig B\n\tbool \"b\"\n",
           "config A\n\tbool \"a\" # \\\nconfig B $(x) # \\\n\n\tbool \"b\"\nconfig C\n\tbool x\n",
           "config A\n\tbool \"a\" \\\n  if B\nconfig B\n\tdef_bool y\n\tdepends on \\\n\n",
           "$(info,x)\n\n$(warning-if,y,z)\nconfig A\n\tbool \"a\"\n",
           "X := help\nconfig A\n\tbool \"$(X)\"\n\t$(X)\n\t  text\nconfig B\n\tbool \"b\"\n",
           "config A\n\tbool \"a\"\n\tdefault =\n\tdefault y\n\toption =\nconfig \"B\n\tbool x y\n",
           "config A\n\tbool \"a\"\n\thelp",
           "config A\n\tbool \"a\"\n\thelp\n",
           "config A\n\tbool \"a\"\n\thelp\n\n\n",
           "\n\n  ",
           "",
       }) {
    ParseText(text);
    ParseText(text, "kconfiglib");
    ParseText(text, "busybox");
  }
}

TEST(TokenListerTest, AListChangesNothingWhereFilesAreIncluded) {
  const std::string inner = "config B\n\tbool \"b\"\n\thelp\n\t  text";
  ParseFiles({{"Kconfig", "X := a\nsource \"$(X)\"\nsource \"a\" \\\n\nconfig C\n\tbool \"c\"\n"},
              {"a", inner}});
  ParseFiles({{"Kconfig", "config A\n\tbool \"a\"\nsource \"a\"\nsource \"b\"\nmenu\n"},
              {"a", inner},
              {"b", "config D # $(x) \\\n\tbool \"d\"\n"}});
}

}  // namespace
}  // namespace hone::kconfig
