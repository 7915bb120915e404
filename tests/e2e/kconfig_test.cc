// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "hone/base/file.h"
#include "hone/base/json/json.h"
#include "hone/base/process/subprocess.h"
#include "hone/base/temp_dir.h"

namespace hone {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

namespace fs = std::filesystem;

constexpr const char* kTree = R"kconfig(mainmenu "Small tree $(KERNELVERSION)"
config MODULES
	bool "Modules"
	modules
	default y
config BUS
	bool "The bus"
	help
	  Everything hangs on it.
menuconfig DRIVER
	tristate "A driver"
	depends on BUS
	select LIBRARY
config SPEED
	int "Speed"
	depends on DRIVER
	range 1 10
	default 5
config LIBRARY
	tristate
choice
	prompt "Flavour"
	default SWEET
config SWEET
	bool "Sweet"
config SOUR
	bool "Sour"
endchoice
source "arch/$(SRCARCH)/Kconfig"
)kconfig";

// The real binary over a small kernel tree of our own; it finds the environment itself.
class KconfigCommandTest : public testing::Test {
 protected:
  KconfigCommandTest() : folder_(TempDir::Make("kconfig-cli")) {
    for (const char* arch : {"x86", "arm"}) {
      fs::create_directories(tree() / "arch" / arch);
      Write(tree() / "arch" / arch / "Kconfig",
            std::string("config ") + (arch[0] == 'x' ? "X86" : "ARM") + "\n\tdef_bool y\n");
    }
    Write(tree() / "Kconfig", kTree);
    Write(tree() / "Makefile", "VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 7\nEXTRAVERSION =\n");
    fs::create_directories(work());
  }

  fs::path tree() const { return folder_->path() / "linux"; }
  fs::path work() const { return folder_->path() / "work"; }
  static void Write(const fs::path& path, const std::string& text) {
    ASSERT_TRUE(WriteFileDurably(path, text));
  }
  std::string Read(const std::string& name) const { return ReadFile(work() / name).value_or(""); }

  // In the work folder. ARCH is given, so that the machine does not matter.
  ProcessResult Run(std::vector<std::string> arguments,
                    const std::map<std::string, std::string>& more = {}) const {
    Command command;
    arguments.insert(arguments.begin(), {HONE_BINARY, "kconfig"});
    command.arguments = std::move(arguments);
    command.environment = {{"PATH", "/usr/bin:/bin"}, {"HOME", folder_->path()}, {"ARCH", "x86"}};
    for (const auto& [name, value] : more) (*command.environment)[name] = value;
    command.folder = work();
    command.limit = std::chrono::seconds(100);
    auto result = RunProcess(command);
    EXPECT_TRUE(result);
    return result ? std::move(*result) : ProcessResult();
  }

  Json RunJson(std::vector<std::string> arguments) const {
    arguments.emplace_back("--json");
    const ProcessResult result = Run(std::move(arguments));
    auto json = ParseJson(result.output, "standard output");
    EXPECT_TRUE(json) << result.output << result.errors;
    return json ? std::move(*json) : Json();
  }

  const Result<TempDir> folder_;
};

TEST_F(KconfigCommandTest, InfoFindsTheEnvironmentItself) {
  const Json info = RunJson({"info", tree()});
  EXPECT_EQ(info["title"], "Small tree 6.1.7");
  EXPECT_EQ(info["dialect"], "linux-6.1");
  EXPECT_EQ(info["arch"], "x86");
  EXPECT_EQ(info["choices"], 1);
  const ProcessResult text = Run({"info", tree()});
  EXPECT_EQ(text.status, 0);
  EXPECT_EQ(text.errors, "");
  EXPECT_THAT(text.output, HasSubstr("Small tree 6.1.7"));
}

// Whoever made the tree may have put a pipe there, which would be waited for, or a file without an
// end.
TEST_F(KconfigCommandTest, WhatIsNoFileInATreeIsNamedAndNotWaitedFor) {
  fs::remove(tree() / "Makefile");
  ASSERT_EQ(::mkfifo((tree() / "Makefile").c_str(), 0666), 0);
  const ProcessResult makefile = Run({"info", tree()});
  EXPECT_EQ(makefile.status, 2);
  EXPECT_THAT(makefile.errors, HasSubstr("Makefile: not a regular file but a pipe"));
  fs::remove(tree() / "Makefile");
  const fs::path config = work() / ".config";
  ASSERT_EQ(::mkfifo(config.c_str(), 0666), 0);
  for (const char* verb : {"olddefconfig", "syncconfig", "savedefconfig"}) {
    const ProcessResult pipe = Run({verb, tree()});
    EXPECT_NE(pipe.status, 0) << verb;
    EXPECT_THAT(pipe.errors, HasSubstr(".config: not a regular file but a pipe")) << verb;
  }
  EXPECT_TRUE(fs::is_fifo(config)) << "it is left as it is";
  EXPECT_THAT(Run({"get", tree(), "BUS", "-c", config}).errors,
              HasSubstr(".config: not a regular file but a pipe"));
  fs::remove(config);
  fs::create_symlink("/dev/zero", config);
  EXPECT_THAT(Run({"olddefconfig", tree()}).errors,
              HasSubstr(".config: not a regular file but a device"));
  fs::remove(config);
  Write(config, "");
  fs::resize_file(config, std::uintmax_t{100} << 30);
  EXPECT_THAT(Run({"olddefconfig", tree()}).errors, HasSubstr(".config: larger than"));
}

TEST_F(KconfigCommandTest, APipeWhereADefaultConfigurationOrABuildFileShouldBeIsNotWaitedFor) {
  fs::create_directories(tree() / "arch/x86/configs");
  ASSERT_EQ(::mkfifo((tree() / "arch/x86/configs/odd_defconfig").c_str(), 0666), 0);
  EXPECT_NE(Run({"defconfig", tree(), "odd_defconfig"}).status, 0);
  ASSERT_EQ(Run({"olddefconfig", tree()}).status, 0);
  fs::create_directories(work() / "include/config");
  for (const char* name : {"include/config/auto.conf", "include/config/BUS"}) {
    fs::remove(work() / name);
    ASSERT_EQ(::mkfifo((work() / name).c_str(), 0666), 0);
    EXPECT_NE(Run({"syncconfig", tree()}).end, ProcessResult::End::kTimedOut) << name;
  }
}

TEST_F(KconfigCommandTest, TheArchitectureComesFromTheFlagOrTheEnvironment) {
  EXPECT_EQ(RunJson({"get", tree(), "ARM", "--arch", "arm"})[0]["value"], "y");
  EXPECT_EQ(Run({"get", tree(), "ARM"}, {{"ARCH", "arm"}}).status, 0);
  const ProcessResult wrong = Run({"info", tree(), "--arch", "vax"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.errors, HasSubstr("no folder arch/vax; it has arm, x86"));
}

TEST_F(KconfigCommandTest, GetShowsASymbolAndNamesNearOnes) {
  const ProcessResult shown = Run({"get", tree(), "CONFIG_BUS"});
  EXPECT_THAT(shown.output, StartsWith("BUS=n\n"));
  EXPECT_THAT(shown.output, HasSubstr("Kconfig:6"));
  EXPECT_EQ(RunJson({"get", tree(), "BUS"})[0]["type"], "bool");
  const ProcessResult unknown = Run({"get", tree(), "BSU"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.errors, HasSubstr("BUS"));
}

TEST_F(KconfigCommandTest, GetTellsWhatIsKnownOfLinuxOptions) {
  Write(tree() / "Kconfig",
        "config AIO\n\tbool \"Old calls\"\nconfig SECCOMP\n\tbool \"Filter\"\n");
  const ProcessResult shown = Run({"info", tree(), "AIO", "SECCOMP"});
  EXPECT_THAT(shown.output, HasSubstr("better for  size n"));
  EXPECT_THAT(shown.output, HasSubstr("size 7 KiB"));
  EXPECT_THAT(shown.output, HasSubstr("protected   programs confine themselves by it"));
  const Json json = RunJson({"get", tree(), "AIO", "SECCOMP"});
  EXPECT_EQ(json[0]["known"]["better"]["size"], "n");
  EXPECT_EQ(json[0]["known"]["source"], "init/Kconfig");
  EXPECT_FALSE(json[0].contains("protected"));
  EXPECT_TRUE(json[1].contains("protected"));
  EXPECT_EQ(RunJson({"info", tree()})["known"], 1);
  EXPECT_THAT(Run({"get", tree(), "AIO", "--dialect", "u-boot"}).output, Not(HasSubstr("size 7")));
}

TEST_F(KconfigCommandTest, SetTellsWhatChangesAndWritesOnlyWhenAsked) {
  const ProcessResult shown = Run({"set", tree(), "BUS=y", "DRIVER=m"});
  EXPECT_EQ(shown.status, 0) << shown.errors;
  EXPECT_THAT(shown.output, HasSubstr("LIBRARY: - -> m"));
  EXPECT_TRUE(fs::is_empty(work()));
  EXPECT_EQ(Run({"set", tree(), "BUS=y", "-o", "new"}).status, 0);
  EXPECT_THAT(Read("new"), HasSubstr("CONFIG_BUS=y\n"));
  const ProcessResult refused = Run({"set", tree(), "DRIVER=y"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.output, HasSubstr("explain"));
  EXPECT_EQ(RunJson({"set", tree(), "DRIVER=y"})["refused"].size(), 1U);
  EXPECT_EQ(Run({"set", tree(), "BUS"}).status, 2);
}

TEST_F(KconfigCommandTest, ExplainNamesWhatIsInTheWay) {
  const ProcessResult blocked = Run({"explain", tree(), "DRIVER=y"});
  EXPECT_EQ(blocked.status, 1);
  EXPECT_THAT(blocked.output, HasSubstr("BUS is n, needs y"));
  EXPECT_THAT(blocked.output, HasSubstr("Kconfig:"));
  EXPECT_EQ(Run({"explain", tree(), "X86"}).status, 0);
  EXPECT_EQ(RunJson({"explain", tree(), "DRIVER=y"})[0]["is_possible"], false);
}

TEST_F(KconfigCommandTest, SolveShowsADifferenceAndWritesOnlyWhenAsked) {
  const ProcessResult shown = Run({"solve", tree(), "SPEED=7"});
  EXPECT_EQ(shown.status, 0) << shown.errors;
  EXPECT_THAT(shown.output, HasSubstr("+CONFIG_BUS=y"));
  EXPECT_THAT(shown.output, HasSubstr("+CONFIG_SPEED=7"));
  EXPECT_TRUE(fs::is_empty(work()));
  EXPECT_EQ(Run({"solve", tree(), "SPEED=7", "-o", "solved"}).status, 0);
  EXPECT_THAT(Read("solved"), HasSubstr("CONFIG_SPEED=7\n"));
  const ProcessResult none = Run({"solve", tree(), "SPEED=11"});
  EXPECT_EQ(none.status, 1);
  EXPECT_EQ(RunJson({"solve", tree(), "SWEET=y", "SOUR=y"})["is_possible"], false);
}

TEST_F(KconfigCommandTest, JudgeSearchWalkAndTreeAnswer) {
  EXPECT_EQ(RunJson({"judge", tree(), "BUS=y"})["outcome"], "accepted");
  EXPECT_EQ(Run({"judge", tree(), "SPEED=7"}).status, 1);
  EXPECT_EQ(RunJson({"search", tree(), "hangs"})[0]["symbol"], "BUS");
  EXPECT_EQ(Run({"search", tree(), "zyxw"}).status, 1);
  EXPECT_GT(RunJson({"walk", tree()})["questions"].size(), 2U);
  const Json groups = RunJson({"groups", tree(), "--limit", "1"});
  EXPECT_EQ(groups[0]["kind"], "Choice");
  EXPECT_EQ(groups[1]["questions"].size(), 1U);
  EXPECT_EQ(groups[1]["questions"][0]["assignable"], Json({"n", "y"}));
  EXPECT_THAT(Run({"walk", tree(), "A drivver"}).errors, HasSubstr("did you mean \"A driver\"?"));
  EXPECT_EQ(RunJson({"walk", tree(), "a driver"})["title"], "A driver");
  EXPECT_THAT(Run({"tree", tree()}).output, HasSubstr("The bus (BUS=n)"));
  EXPECT_GT(RunJson({"tree", tree()})["children"].size(), 3U);
}

TEST_F(KconfigCommandTest, DiffComparesWhatTheFilesMean) {
  Write(work() / "a", "CONFIG_BUS=y\n");
  Write(work() / "b", "CONFIG_BUS=y\nCONFIG_DRIVER=m\n");
  const ProcessResult different = Run({"diff", tree(), "a", "b"});
  EXPECT_EQ(different.status, 1);
  EXPECT_THAT(different.output, HasSubstr("DRIVER: n -> m\n"));
  EXPECT_EQ(Run({"diff", tree(), "a", "a"}).status, 0);
  EXPECT_EQ(RunJson({"diff", tree(), "a", "b"}).size(), 3U);
  EXPECT_EQ(Run({"diff", tree(), "a"}).status, 2);
  EXPECT_THAT(Run({"diff", tree(), "a", "gone"}).errors, HasSubstr("gone"));
}

TEST_F(KconfigCommandTest, WriteHasEveryForm) {
  Write(work() / "a", "CONFIG_BUS=y\nCONFIG_DRIVER=m\n");
  const auto form = [&](const char* name) {
    return Run({"write", tree(), "-c", "a", "--as", name}).output;
  };
  EXPECT_THAT(form("config"), HasSubstr("# Small tree 6.1.7\n"));
  EXPECT_EQ(form("defconfig"), "CONFIG_BUS=y\nCONFIG_DRIVER=m\n");
  EXPECT_THAT(form("auto.conf"), HasSubstr("CONFIG_DRIVER=m\n"));
  EXPECT_THAT(form("autoconf.h"), HasSubstr("#define CONFIG_DRIVER_MODULE 1\n"));
  EXPECT_THAT(form("rustc_cfg"), HasSubstr("--cfg=CONFIG_BUS\n"));
  EXPECT_EQ(Run({"write", tree(), "--as", "pdf"}).status, 2);
}

TEST_F(KconfigCommandTest, ModesWriteInTheCurrentFolder) {
  Write(work() / ".config", "CONFIG_BUS=y\n");
  EXPECT_EQ(Run({"olddefconfig", tree()}).status, 0);
  EXPECT_THAT(Read(".config"), HasSubstr("# CONFIG_DRIVER is not set\n"));
  EXPECT_EQ(Run({"savedefconfig", tree(), "small"}).status, 0);
  EXPECT_EQ(Read("small"), "CONFIG_BUS=y\n");
  EXPECT_EQ(Run({"allyesconfig", tree()}, {{"KCONFIG_CONFIG", "yes"}}).status, 0);
  EXPECT_THAT(Read("yes"), HasSubstr("CONFIG_DRIVER=y\n"));
  EXPECT_EQ(Run({"allmodconfig", tree(), "-c", "mod"}).status, 0);
  EXPECT_THAT(Read("mod"), HasSubstr("CONFIG_DRIVER=m\n"));
  EXPECT_EQ(Run({"defconfig", tree(), "small"}, {{"KCONFIG_CONFIG", "def"}}).status, 0);
  EXPECT_THAT(Read("def"), HasSubstr("CONFIG_BUS=y\n"));
  Write(work() / "seed", "CONFIG_SOUR=y\n");
  EXPECT_EQ(Run({"allnoconfig", tree(), "-c", "no"}, {{"KCONFIG_ALLCONFIG", "seed"}}).status, 0);
  EXPECT_THAT(Read("no"), HasSubstr("CONFIG_SOUR=y\n"));
}

TEST_F(KconfigCommandTest, ErrorsAreOneLineWithTheirPlace) {
  Write(tree() / "arch/x86/Kconfig", "config A\n\tnonsense\n");
  const ProcessResult broken = Run({"info", tree()});
  EXPECT_EQ(broken.status, 2);
  EXPECT_EQ(broken.output, "");
  EXPECT_THAT(broken.errors, HasSubstr("arch/x86/Kconfig:2: error: unknown statement \"nonsense\" "
                                       "(included from Kconfig:29)"));
  Write(tree() / "arch/x86/Kconfig", "config A\n\tbool \"a\"\n\tdepends on A\n");
  EXPECT_THAT(Run({"info", tree()}).errors, HasSubstr("symbol A depends on A"));
  EXPECT_THAT(Run({"info", folder_->path() / "gone"}).errors, HasSubstr("no such folder"));
  EXPECT_THAT(Run({"info", work()}).errors, HasSubstr("holds none of Kconfig"));
  EXPECT_THAT(Run({"info"}).errors, HasSubstr(".: it holds none of Kconfig"));
  EXPECT_THAT(Run({"get"}).errors, HasSubstr("TREE"));
  EXPECT_THAT(Run({"infos", tree()}).errors, HasSubstr("info"));
}

TEST_F(KconfigCommandTest, BadFilesNeitherCrashNorHang) {
  ASSERT_EQ(::mkfifo((work() / "pipe").c_str(), 0600), 0);
  for (const char* name : {"/dev/zero", "."}) {
    const ProcessResult result = Run({"get", tree(), "BUS", "-c", name});
    EXPECT_EQ(result.end, ProcessResult::End::kExited) << name;
    EXPECT_NE(result.status, 0) << name;
    EXPECT_THAT(result.errors, HasSubstr(name));
    EXPECT_LT(result.peak_memory_kib, 300 * 1024) << name;
  }
  Write(tree() / "arch/x86/Kconfig", "source \"" + (work() / "pipe").string() + "\"\n");
  EXPECT_THAT(Run({"info", tree()}).errors, HasSubstr("not in the tree"));
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "menu \"m\"\n";
  Write(tree() / "arch/x86/Kconfig", deep);
  const ProcessResult nested = Run({"info", tree()});
  EXPECT_THAT(nested.errors, HasSubstr("error: blocks are nested more than"));
  EXPECT_EQ(nested.end, ProcessResult::End::kExited);
}

TEST_F(KconfigCommandTest, ADefconfigIsFoundByItsName) {
  fs::create_directories(tree() / "arch/x86/configs");
  Write(tree() / "arch/x86/configs/x86_64_defconfig", "CONFIG_BUS=y\n");
  Write(tree() / "arch/x86/configs/tiny_defconfig", "# CONFIG_BUS is not set\n");
  const ProcessResult usual = Run({"defconfig", tree()});
  EXPECT_EQ(usual.status, 0) << usual.errors;
  EXPECT_THAT(usual.errors, HasSubstr("arch/x86/configs/x86_64_defconfig"));
  EXPECT_THAT(Read(".config"), HasSubstr("CONFIG_BUS=y\n"));
  EXPECT_EQ(Run({"defconfig", tree(), "tiny"}).status, 0);
  EXPECT_THAT(Read(".config"), HasSubstr("# CONFIG_BUS is not set\n"));
  const ProcessResult wrong = Run({"defconfig", tree(), "tyni_defconfig"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.errors, HasSubstr("tiny_defconfig"));
}

TEST_F(KconfigCommandTest, ADefconfigWithIncludesGoesThroughThePreprocessor) {
  fs::create_directories(tree() / "arch/x86/configs");
  Write(tree() / "arch/x86/configs/base.config", "CONFIG_BUS=y\n");
  Write(tree() / "arch/x86/configs/board_defconfig",
        "#include <arch/x86/configs/base.config>\n# CONFIG_GONE is not set\n");
  const ProcessResult result = Run({"defconfig", tree(), "board_defconfig"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(Read(".config"), HasSubstr("CONFIG_BUS=y\n"));
}

TEST_F(KconfigCommandTest, ASearchWithoutAHitSaysSo) {
  const ProcessResult nothing = Run({"search", tree(), "zzzyx"});
  EXPECT_EQ(nothing.status, 1);
  EXPECT_THAT(nothing.errors, HasSubstr("no symbol has \"zzzyx\""));
}

TEST_F(KconfigCommandTest, AnAnswerThatChangesTheProcessorFamilySaysSoFirst) {
  Write(tree() / "arch/x86/Kconfig",
        "choice\n\tprompt \"Processor family\"\nconfig OLD_CPU\n\tbool \"old\"\n"
        "config NEW_CPU\n\tbool \"new\"\nendchoice\n"
        "config ONE\n\tbool \"one\"\nconfig TWO\n\tbool \"two\"\n"
        "config WIDE\n\tbool \"wide\"\n\tdepends on NEW_CPU || (ONE && TWO)\n");
  const ProcessResult result = Run({"solve", tree(), "WIDE=y"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, StartsWith("This changes the board or processor family: "));
  EXPECT_THAT(result.output, HasSubstr("NEW_CPU n -> y"));
  EXPECT_THAT(result.output, HasSubstr("The nearest that keeps it (--keep OLD_CPU):"));
  EXPECT_THAT(result.output, HasSubstr("CONFIG_TWO=y"));
  const Json json = *ParseJson(Run({"solve", tree(), "WIDE=y", "--json"}).output, "solve");
  EXPECT_EQ(json["nearest_in_family"]["settings"].size(), 3U);
  EXPECT_THAT(Run({"solve", tree(), "WIDE=y", "--keep", "OLD_CPU"}).output,
              Not(HasSubstr("This changes")));
}

TEST_F(KconfigCommandTest, WhereThereIsNoWayTheCommandBehindItIsNamed) {
  Write(tree() / "arch/x86/Kconfig",
        "config HAS_IT\n\tdef_bool $(shell,test -e /no/such/plugin && echo y || echo n)\n"
        "config IT\n\tbool \"it\"\n\tdepends on HAS_IT\n");
  const ProcessResult result = Run({"solve", tree(), "IT=y", "--shell", "run"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output, HasSubstr("\"n\" from test -e /no/such/plugin"));
  EXPECT_THAT(result.output, HasSubstr("(arch/x86/Kconfig:2)"));
}

TEST_F(KconfigCommandTest, ATreeIsParsedOnceWhileNothingChanges) {
  const fs::path cache = folder_->path() / "cache";
  const std::map<std::string, std::string> more = {{"XDG_CACHE_HOME", cache.string()}};
  const std::string first = Run({"write", tree()}, more).output;
  ASSERT_TRUE(fs::exists(cache / "hone/kconfig/trees"));
  EXPECT_EQ(Run({"write", tree()}, more).output, first);
  EXPECT_EQ(Run({"write", tree(), "--no-snapshot"}, more).output, first);
  Write(tree() / "arch/x86/Kconfig", "config NOW\n\tdef_bool y\n");
  EXPECT_THAT(Run({"write", tree()}, more).output, HasSubstr("CONFIG_NOW=y"));
}

TEST_F(KconfigCommandTest, ATreeWhoseCommandsWriteWhatItReadsSaysWhatToDo) {
  fs::create_directories(tree() / "support/build");
  Write(tree() / "support/build/config-submenu.sh", "");
  const ProcessResult result = Run({"info", tree()});
  EXPECT_NE(result.status, 0);
  EXPECT_THAT(result.errors, HasSubstr("give --shell run if you trust it"));
  EXPECT_EQ(Run({"info", tree(), "--shell", "run"}).status, 0);
}

TEST_F(KconfigCommandTest, PoliciesForShellCommandsAreObeyed) {
  Write(tree() / "arch/x86/Kconfig", "config A\n\tstring\n\tdefault \"$(shell,echo hello > " +
                                         (work() / "made").string() + "; echo done)\"\n");
  const ProcessResult refused = Run({"get", tree(), "A", "--shell", "refuse"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.errors, HasSubstr("arch/x86/Kconfig:3: error: $(shell,"));
  Run({"get", tree(), "A"});  // Restricted, or refused where that cannot be.
  EXPECT_FALSE(fs::exists(work() / "made"));
  const auto runs = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"get", tree(), "A", "--shell", "run"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(Run(words).status, 0);
    return fs::remove(work() / "made");
  };
  EXPECT_TRUE(runs({}));
  EXPECT_FALSE(runs({}));  // From the memo.
  EXPECT_TRUE(runs({"--no-memo"}));
  EXPECT_EQ(Run({"get", tree(), "A", "--shell", "wild"}).status, 2);
}

}  // namespace
}  // namespace hone
