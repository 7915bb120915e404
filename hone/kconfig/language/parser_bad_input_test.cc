// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"
#include "hone/kconfig/files/load.h"
#include "hone/kconfig/language/texts_for_test.h"

// Input that nobody should write: each gives an error with its place, in bounded time and memory.
namespace hone::kconfig {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Repeated(std::string_view text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

TEST(BadInputTest, AHundredThousandNestedBlocksAreAnError) {
  for (const char* block : {"if A\n", "menu \"m\"\n", "choice\n\tprompt \"c\"\n"}) {
    EXPECT_THAT(Messages(ParseText(Repeated(block, 100'000), "linux-2.6")),
                HasSubstr("error: blocks are nested more than 1000 deep"))
        << block;
  }
}

TEST(BadInputTest, AHundredThousandNestedMacroCallsAreAnError) {
  const std::string deep = Repeated("$(a,", 100'000) + std::string(100'000, ')');
  EXPECT_THAT(Messages(ParseText("X := " + deep + "\n")),
              HasSubstr("Kconfig:1: error: Too deep recursive expansion"));
}

TEST(BadInputTest, BombsOfMacrosEnd) {
  std::string laughs = "X0 = ha\n";
  std::string silent = "Y0 =\n";
  for (int i = 1; i < 70; ++i) {
    const std::string x = fmt::format("$(X{})", i - 1);
    laughs += fmt::format("X{} = {}\n", i, Repeated(x, 10));
    const std::string y = fmt::format("$(Y{})", i - 1);
    silent += fmt::format("Y{} = {}{}\n", i, y, y);
  }
  EXPECT_THAT(Messages(ParseText(laughs + "Z := $(X69)\n")),
              HasSubstr("macro expansion: more than"));
  EXPECT_THAT(Messages(ParseText(silent + "Z := $(Y69)\n")),
              HasSubstr("macro expansion: more than"));
}

// Each stays below the limit for one word; all of them together do not.
TEST(BadInputTest, ManyLargeExpansionsEndToo) {
  std::string text = "X := " + std::string(100'000, 'x') + "\n";
  text += "Y = " + Repeated("$(X)", 10) + "\n";
  EXPECT_THAT(Messages(ParseText(text + Repeated("Z := $(Y)\n", 10'000))),
              HasSubstr("macro expansion: more than"));
}

TEST(BadInputTest, ALongLineOfMacrosIsReadInOnePass) {
  const std::string many = Repeated("$(A)", 500'000);
  EXPECT_NE(ParseText("config X\n\tbool \"" + many + "\"\n").tree, nullptr);
  EXPECT_THAT(Messages(ParseText("Z := $(f" + std::string(5'000'000, ',') + ")\n")),
              HasSubstr("Kconfig:1: error:"));
}

TEST(BadInputTest, ABinaryFileIsToldAsSuch) {
  std::string bytes =
      "\x7f"
      "ELF";
  for (std::uint32_t i = 0; i < 3'000'000; ++i) bytes += static_cast<char>((i * 7919U) >> 3U);
  const Parsed parsed = ParseText(bytes);
  EXPECT_EQ(parsed.tree, nullptr);
  EXPECT_LE(parsed.diagnostics.size(), 2'000U);
}

TEST(BadInputTest, MessagesAreOneLineWhateverTheTextHolds) {
  const Parsed parsed =
      ParseText("config A\n\tbool \"a\"\n\x1b[2J\x07 nonsense\n$(error-if,y,a\x0b z)\n");
  for (const Diagnostic& diagnostic : parsed.diagnostics) {
    const std::string line = ShowDiagnostic(parsed.files, diagnostic);
    EXPECT_EQ(line.find_first_of("\x1b\x07\x0b\n"), std::string::npos) << line;
    EXPECT_THAT(line, StartsWith("Kconfig:"));
  }
}

TEST(BadInputTest, MessagesStayShort) {
  const std::string text =
      std::string(1 << 20, 'x') + "\nsource \"" + std::string(1 << 20, 'y') + "\"\n";
  const Parsed parsed = ParseText(text);
  EXPECT_EQ(parsed.tree, nullptr);
  EXPECT_LT(Messages(parsed).size(), 20'000U);
}

TEST(BadInputTest, InclusionThatDoublesEnds) {
  std::map<std::string, std::string> files;
  for (int i = 0; i < 60; ++i) {
    const std::string next = fmt::format("source \"f{}\"\n", i + 1);
    files[i == 0 ? "Kconfig" : fmt::format("f{}", i)] = next + next;
  }
  files["f60"] = "\n";
  EXPECT_THAT(Messages(ParseFiles(files)), HasSubstr("files are included more than"));
}

TEST(BadInputTest, ALoopOfFilesTellsItsPath) {
  EXPECT_THAT(
      Messages(ParseFiles(
          {{"Kconfig", "source \"a\"\n"}, {"a", "\nsource \"b\"\n"}, {"b", "source \"a\"\n"}})),
      HasSubstr("b:1: error: recursive inclusion of a (included from a:2, Kconfig:1)"));
}

TEST(BadInputTest, ALoopOfDependenciesTellsItsPathInOneLine) {
  const std::string messages = Messages(ParseText(
      "config A\n\tbool \"a\"\n\tdepends on B\nconfig B\n\tbool \"b\"\n\tdepends on A\n"));
  EXPECT_THAT(messages,
              HasSubstr("Kconfig:4: error: recursive dependency detected! Kconfig:4: symbol B"));
  EXPECT_THAT(messages, HasSubstr("symbol A depends on B"));
  EXPECT_THAT(messages, HasSubstr("symbol B depends on A"));
}

// The files of a tree on disk.
class BadFileTest : public testing::Test {
 protected:
  BadFileTest() : folder_(TempDir::Make("kconfig-bad")) {
    options_.folders = {folder_->path()};
    options_.shell = ShellPolicy::kRefuse;
  }
  std::string Path(const std::string& name) const { return (folder_->path() / name).string(); }
  std::string ErrorOf(const std::string& kconfig, const char* dialect = "linux-6.1") {
    EXPECT_TRUE(WriteFileDurably(Path("Kconfig"), kconfig));
    options_.dialect = *DialectNamed(dialect);
    const auto tree = LoadTreeOrError(options_);
    return tree ? "loaded" : tree.error().message;
  }
  const Result<TempDir> folder_;
  LoadOptions options_;
};

TEST_F(BadFileTest, APipeAFolderAndADeviceAreNoSource) {
  ASSERT_EQ(::mkfifo(Path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(ErrorOf("\nsource \"pipe\"\n"),
              HasSubstr("Kconfig:2: error: pipe: not a regular file but a pipe"));
  EXPECT_THAT(ErrorOf("source \".\"\n"), HasSubstr(".: Is a directory"));
  EXPECT_THAT(ErrorOf("source \"/dev/zero\"\n"), HasSubstr("not in the tree"));
  EXPECT_THAT(ErrorOf("source \"gone\"\n"),
              HasSubstr("Kconfig:1: error: can't open file \"gone\""));
}

TEST_F(BadFileTest, TheRootFileIsHeldToTheSame) {
  ASSERT_EQ(::mkfifo(Path("pipe").c_str(), 0600), 0);
  options_.file = "pipe";
  EXPECT_THAT(LoadTreeOrError(options_).error().message,
              HasSubstr("pipe: not a regular file but a pipe"));
  options_.file = "gone";
  EXPECT_THAT(LoadTreeOrError(options_).error().message, HasSubstr("can't find file gone"));
}

TEST_F(BadFileTest, AFileThatMayNotBeReadSaysSo) {
  ASSERT_TRUE(WriteFileDurably(Path("closed"), "\n"));
  ASSERT_EQ(::chmod(Path("closed").c_str(), 0), 0);
  if (::access(Path("closed").c_str(), R_OK) == 0) GTEST_SKIP() << "root may read every file";
  EXPECT_THAT(ErrorOf("source \"closed\"\n"), HasSubstr("Permission denied"));
  EXPECT_THAT(ErrorOf("osource \"closed\"\n", "kconfiglib"), HasSubstr("Permission denied"));
}

TEST_F(BadFileTest, AFileOfAGigabyteIsRefusedUnread) {
  const int file = ::open(Path("large").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(::ftruncate(file, 1 << 30), 0);
  ::close(file);
  EXPECT_THAT(
      ErrorOf("source \"large\"\n"),
      HasSubstr("Kconfig:1: error: \"large\": 1073741824 bytes; at most 67108864 are read"));
}

TEST_F(BadFileTest, APatternMayMatchHundredsOfFilesButNotTensOfThousands) {
  std::filesystem::create_directory(Path("many"));
  for (int i = 0; i < 500; ++i) {
    const int file = ::open(Path(fmt::format("many/{:05}", i)).c_str(), O_WRONLY | O_CREAT, 0600);
    ::close(file);
  }
  EXPECT_EQ(ErrorOf("source \"many/*\"\n", "kconfiglib"), "loaded");
  for (int i = 500; i < 10'001; ++i) {
    ASSERT_EQ(::link(Path("many/00000").c_str(), Path(fmt::format("many/{:05}", i)).c_str()), 0);
  }
  EXPECT_THAT(ErrorOf("source \"many/*\"\n", "kconfiglib"), HasSubstr("10001 files match"));
}

}  // namespace
}  // namespace hone::kconfig
