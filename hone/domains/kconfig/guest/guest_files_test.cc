// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/guest/guest_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "hone/base/file.h"
#include "hone/base/process/find_program.h"
#include "hone/base/process/subprocess.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/kconfig/guest/elf_for_test.h"

namespace hone::kernels {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

using Taken = Result<std::vector<InitramfsFile>>;

const InitramfsFile* Find(const Taken& taken, const fs::path& path) {
  if (!taken) return nullptr;
  const auto found = std::find_if(taken->begin(), taken->end(), [&](const InitramfsFile& file) {
    return "/" + file.path == path.string();
  });
  return found == taken->end() ? nullptr : &*found;
}

bool HasPart(const Taken& taken, const std::string& part) {
  return taken && std::any_of(taken->begin(), taken->end(), [&](const InitramfsFile& file) {
           return file.path.find(part) != std::string::npos;
         });
}

class TakenFolderTest : public ::testing::Test {
 protected:
  TakenFolderTest() {
    EXPECT_TRUE(MakeFolder(At("www/below")));
    EXPECT_TRUE(MakeFolder(At("private")));
    Write("www/page", "hello");
    Write("private/key", "secret");
  }

  fs::path At(const std::string& name) const { return folder_.path() / name; }
  void Write(const std::string& name, const std::string& text) const {
    EXPECT_TRUE(WriteFileAtomically(At(name), text));
  }
  bool Compile(const std::vector<std::string>& arguments) const {
    Command command;
    command.arguments = {"gcc"};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    const auto ran = RunProcess(command);
    return ran && ran->end == ProcessResult::End::kExited && ran->status == 0;
  }
  Taken Take(const std::vector<std::string>& names) const {
    GuestWorkload workload{.name = "x", .steps = {}};
    for (const std::string& name : names) workload.files.push_back(At(name).string());
    return TakenAlong(workload);
  }

  TempDir folder_ = TempDir::Make("hone-guest-files-test").value();
};

TEST(GuestFilesTest, AProgramComesWithItsLibrariesAndItsLoader) {
  const auto files = TakenAlong({.name = "x", .steps = {}, .programs = {"ls"}});
  ASSERT_TRUE(files) << files.error().message;
  const auto has = [&](const std::string& part) {
    return std::any_of(files->begin(), files->end(), [&](const InitramfsFile& file) {
      return file.path.find(part) != std::string::npos && file.is_program;
    });
  };
  EXPECT_TRUE(has("bin/ls"));
  EXPECT_TRUE(has("libc.so.6"));
  EXPECT_TRUE(has("ld-linux"));
}

TEST(GuestFilesTest, AFolderComesWithAllThatIsBelow) {
  const TempDir folder = TempDir::Make("hone-guest-files-test").value();
  ASSERT_TRUE(MakeFolder(folder.path() / "a/b"));
  ASSERT_TRUE(WriteFileAtomically(folder.path() / "a/b/text", "hello"));
  const auto files =
      TakenAlong({.name = "x", .steps = {}, .files = {(folder.path() / "a").string()}});
  ASSERT_TRUE(files) << files.error().message;
  ASSERT_EQ(files->size(), 1u);
  EXPECT_EQ("/" + files->front().path, (folder.path() / "a/b/text").string());
  EXPECT_EQ(files->front().content, "hello");
}

TEST(GuestFilesTest, WhatIsNotHereIsNamed) {
  const auto no_program = TakenAlong({.name = "x", .steps = {}, .programs = {"no-such-program"}});
  EXPECT_THAT(no_program.error().message, HasSubstr("no-such-program"));
  EXPECT_FALSE(TakenAlong({.name = "x", .steps = {}, .files = {"/no/such/file"}}));
}

// The dynamic linker would run what DT_AUDIT names, as root, before any plan is shown.
TEST_F(TakenFolderTest, NothingOfAFolderIsRunToFindItsLibraries) {
  if (!FindProgram("gcc", SearchPath())) GTEST_SKIP() << "needs gcc";
  Write("audit.c",
        "#include <stdio.h>\n__attribute__((constructor)) static void Run(void) { fclose(fopen(\"" +
            At("ran").string() +
            "\", \"w\")); }\n"
            "unsigned la_version(unsigned version) { return version; }\n");
  Write("main.c", "int main(void) { return 0; }\n");
  ASSERT_TRUE(Compile({"-shared", "-fPIC", "-o", At("audit.so"), At("audit.c")}));
  ASSERT_TRUE(
      Compile({"-o", At("www/program"), At("main.c"), "-Wl,--audit=" + At("audit.so").string()}));
  const auto taken = Take({"www"});
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_NE(Find(taken, At("www/program")), nullptr);
  EXPECT_FALSE(fs::exists(At("ran")));
}

TEST_F(TakenFolderTest, ALinkThatLeadsOutIsNotFollowed) {
  fs::create_symlink(At("private/key"), At("www/absolute"));
  const auto absolute = Take({"www"});
  ASSERT_FALSE(absolute);
  EXPECT_THAT(absolute.error().message, HasSubstr("absolute: a link that leads out of"));
  fs::remove(At("www/absolute"));
  fs::create_symlink("../../private/key", At("www/below/relative"));
  EXPECT_FALSE(Take({"www"}));
}

TEST_F(TakenFolderTest, WhatIsNamedByItselfMayBeALinkAlsoInAFolder) {
  fs::create_symlink(At("private/key"), At("www/absolute"));
  const auto taken = Take({"www", "www/absolute"});
  ASSERT_TRUE(taken) << taken.error().message;
  ASSERT_NE(Find(taken, At("www/absolute")), nullptr);
  EXPECT_EQ(Find(taken, At("www/absolute"))->content, "secret");
  fs::create_directory_symlink(At("www"), At("link"));
  fs::remove(At("www/absolute"));
  EXPECT_NE(Find(Take({"link"}), At("link/page")), nullptr);
}

TEST_F(TakenFolderTest, ALinkThatStaysInTheFolderBecomesWhatItPointsTo) {
  fs::create_symlink("../page", At("www/below/again"));
  fs::create_symlink("nowhere", At("www/dangling"));
  fs::create_symlink(".", At("www/round"));
  const auto taken = Take({"www"});
  ASSERT_TRUE(taken) << taken.error().message;
  ASSERT_NE(Find(taken, At("www/below/again")), nullptr);
  EXPECT_EQ(Find(taken, At("www/below/again"))->content, "hello");
  EXPECT_EQ(taken->size(), 2u);
}

TEST_F(TakenFolderTest, LibrariesComeOnlyForWhatNobodyElseCanChange) {
  fs::copy_file(fs::canonical(*FindProgram("ls", SearchPath())), At("www/below/ls"));
  EXPECT_TRUE(HasPart(Take({"www"}), "libc.so.6"));
  fs::permissions(At("www/below"), fs::perms::all);
  EXPECT_FALSE(HasPart(Take({"www"}), "libc.so.6"));
  fs::permissions(At("www/below"), fs::perms::owner_all);
  fs::permissions(At("www/below/ls"), fs::perms::all);
  EXPECT_FALSE(HasPart(Take({"www"}), "libc.so.6"));
  EXPECT_TRUE(HasPart(Take({"www/below/ls"}), "libc.so.6")) << "named by itself";
}

class TakenLibrariesTest : public TakenFolderTest {
 protected:
  TakenLibrariesTest() { EXPECT_TRUE(MakeFolder(At("lib"))); }

  void WriteElf(const std::string& name, const ElfForTest& asked) const {
    Write(name, MakeElf(asked));
  }
  Taken TakeProgram(const ElfForTest& asked, const std::vector<std::string>& more = {}) const {
    WriteElf("program", asked);
    GuestWorkload workload{.name = "x", .steps = {}, .files = {At("program").string()}};
    for (const std::string& name : more) workload.files.push_back(At(name).string());
    return TakenAlong(workload, {At("lib")});
  }
};

TEST_F(TakenLibrariesTest, LibrariesThatNeedEachOtherComeOnce) {
  WriteElf("lib/one", {.needed_names = {"two"}});
  WriteElf("lib/two", {.needed_names = {"one", "two"}});
  const auto taken = TakeProgram({.needed_names = {"one"}});
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_EQ(taken->size(), 3u);
  EXPECT_NE(Find(taken, At("lib/two")), nullptr);
}

TEST_F(TakenLibrariesTest, AProgramCannotAskForFilesThatAreNoLibraries) {
  WriteElf("private/elf", {});
  Write("lib/text", "secret");
  WriteElf("lib/foreign", {.machine = EM_AARCH64});
  const std::vector<ElfForTest> hostile{
      {.loader = At("private/elf")},        {.loader = At("private/key")},
      {.loader = At("lib/../private/elf")}, {.loader = At("lib/text")},
      {.needed_names = {"../private/elf"}}, {.needed_names = {At("private/elf")}},
      {.needed_names = {"text"}},           {.needed_names = {".."}},
      {.needed_names = {"foreign"}}};
  for (const ElfForTest& asked : hostile) {
    const auto taken = TakeProgram(asked);
    ASSERT_FALSE(taken) << asked.loader;
    EXPECT_THAT(taken.error().message, HasSubstr("name the file in guest.files"));
  }
}

TEST_F(TakenLibrariesTest, ALibraryThatLiesElsewhereIsNamedByItself) {
  WriteElf("private/odd.so", {});
  EXPECT_FALSE(TakeProgram({.needed_names = {"odd.so"}}));
  EXPECT_TRUE(TakeProgram({.needed_names = {"odd.so"}}, {"private"}));
  EXPECT_TRUE(TakeProgram({.loader = At("private/odd.so")}, {"private/odd.so"}));
}

TEST_F(TakenLibrariesTest, WhatAFolderBringsMayLackItsLibraries) {
  WriteElf("www/plugin", {.needed_names = {"odd.so"}});
  EXPECT_TRUE(TakeProgram({}, {"www"}));
}

}  // namespace
}  // namespace hone::kernels
