// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iostream>

#include "tests/oracle/kconfig_conf_oracle.h"
#include "tests/oracle/kconfig_random_tree.h"

// What conf does with its variables, its files and its user, against the kernel's own tool: exit
// status, output, errors and every file that it writes.
namespace hone::kconfig {
namespace {

constexpr std::uint64_t kSeeds = 25;

class KconfigConfTest : public ::testing::Test {
 protected:
  void SetUp() override {
    static const Result<KernelOracle> found = KernelOracle::Find();
    if (!found) GTEST_SKIP() << "needs Debian's linux-source-6.1: " << found.error().message;
    oracle_ = *found;
  }

  void TearDown() override {
    std::cout << fmt::format("{} equal, {} different\n", tally_.equal, tally_.different.size());
    for (const std::string& what : tally_.different) ADD_FAILURE() << what;
  }

  KernelOracle oracle_;
  Tally tally_;
};

TEST_F(KconfigConfTest, RandomTreesAreTreatedAlike) {
  constexpr const char* kModes[] = {
      "olddefconfig",  "alldefconfig",  "allnoconfig",   "allyesconfig",  "allmodconfig",
      "listnewconfig", "helpnewconfig", "yes2modconfig", "mod2yesconfig", "mod2noconfig",
      "savedefconfig", "syncconfig",    "oldconfig",     "oldaskconfig",  "defconfig"};
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    Rng rng(seed);
    RandomKconfig random(rng);
    ConfCall call;
    call.files["Kconfig"] = random.Tree();
    const std::string config = random.Config();
    const std::string seed_config = random.Config();
    call.input = random.Answers();
    for (const std::string mode : kModes) {
      ConfCall next = call;
      next.mode = mode;
      if (mode == "savedefconfig") next.file = "saved";
      if (mode == "defconfig") {
        next.file = "given";
        next.files["given"] = config;
      } else if (mode.starts_with("all")) {
        if (seed % 2 == 0) {
          next.environment["KCONFIG_ALLCONFIG"] = "";
          next.files["all.config"] = seed_config;
        }
      } else if (seed % 5 != 0 || mode == "listnewconfig" || mode == "helpnewconfig") {
        next.files[".config"] = config;
      }
      CompareCall(oracle_, nullptr, fmt::format("seed {} {}", seed, mode), next, tally_);
    }
  }
}

constexpr const char* kTree = R"(mainmenu "Example"
config MODULES
	bool "modules"
	default y
	modules
config A
	tristate "a"
	help
	  What a is.

	  More of it.
config B
	tristate "b"
	depends on A
	select C
	imply D
config C
	tristate
	depends on !A
config D
	bool "d" if A
	default y
choice
	prompt "one of"
	default TWO
config ONE
	bool "one"
config TWO
	bool "two"
config THREE
	bool "three"
	depends on D
endchoice
menu "numbers"
	visible if D
config N
	int "n"
	range 1 9
	default 4
config H
	hex "h" if A
	default 0x10
config S
	string "s"
	default "a \"b\" \\c"
endmenu
)";
constexpr const char* kSome = "CONFIG_A=m\nCONFIG_THREE=y\nCONFIG_N=7\n";

class KconfigVariablesTest : public KconfigConfTest {
 protected:
  void Check(const std::string& what, ConfCall call) {
    call.files.emplace("Kconfig", kTree);
    CompareCall(oracle_, nullptr, what, call, tally_);
  }
};

TEST_F(KconfigVariablesTest, AllconfigSeedsEveryModeByEachOfItsNames) {
  for (const std::string mode : {"allno", "allyes", "allmod", "alldef"}) {
    const auto check = [&](const std::string& value, const Texts& files) {
      Check(
          fmt::format("{} KCONFIG_ALLCONFIG={} {}", mode, value, files.size()),
          {.mode = mode + "config", .files = files, .environment = {{"KCONFIG_ALLCONFIG", value}}});
    };
    check("1", {{mode + ".config", kSome}, {"all.config", "CONFIG_N=2\n"}});
    check("", {{"all.config", kSome}});
    check("mine", {{"mine", kSome}});
    check("mine", {});
    check("1", {});
  }
}

TEST_F(KconfigVariablesTest, FilesLieWhereTheVariablesSay) {
  const std::string b = "CONFIG_A=y\nCONFIG_B=y\n";
  const auto check = [&](const std::string& mode, const Environment& environment, Texts files) {
    Check(fmt::format("{} {}", mode, environment.empty() ? "" : environment.begin()->first),
          {.mode = mode, .files = files, .environment = environment});
  };
  check("olddefconfig", {{"KCONFIG_CONFIG", "other"}}, {{"other", kSome}, {".config", b}});
  check("olddefconfig", {{"KCONFIG_CONFIG", "deep/down/file"}}, {{"deep/x", ""}});
  check("olddefconfig", {{"KCONFIG_CONFIG", ""}}, {});
  check("olddefconfig", {{"KCONFIG_CONFIG", "folder"}}, {{"folder/x", ""}});
  check("olddefconfig", {{"KCONFIG_OVERWRITECONFIG", "1"}}, {{".config", kSome}});
  check("olddefconfig", {{"KCONFIG_DEFCONFIG_LIST", " none  b\tc"}}, {{"b", b}, {"c", kSome}});
  check("olddefconfig", {{"KCONFIG_DEFCONFIG_LIST", "none"}}, {});
  check("listnewconfig", {{"KCONFIG_DEFCONFIG_LIST", "b"}}, {{"b", b}, {".config", kSome}});
  check("syncconfig", {{"KCONFIG_AUTOCONFIG", "x/auto"}, {"KCONFIG_AUTOHEADER", "y/header"}},
        {{".config", kSome}});
  check("syncconfig", {{"KCONFIG_NOSILENTUPDATE", "1"}}, {{".config", kSome}});
}

TEST_F(KconfigVariablesTest, WarningsAreErrorsWhereAskedFor) {
  for (const std::string mode : {"olddefconfig", "defconfig", "savedefconfig", "listnewconfig"}) {
    for (const std::string text : {"CONFIG_NOBODY=y\n", "CONFIG_N=x\n", "CONFIG_A=y\nCONFIG_B=y\n",
                                   "CONFIG_A=y\nCONFIG_A=m\n", "CONFIG_A=y\n", "CONFIG_N=77\n"}) {
      for (const bool warns_of_unknown : {false, true}) {
        ConfCall call{.mode = mode,
                      .file = mode.ends_with("edefconfig") ? "saved" : "given",
                      .files = {{".config", text}, {"given", text}},
                      .environment = {{"KCONFIG_WERROR", "1"}}};
        if (mode.starts_with("old") || mode.starts_with("list")) call.file = "";
        if (warns_of_unknown) call.environment["KCONFIG_WARN_UNKNOWN_SYMBOLS"] = "1";
        Check(mode + " " + text, call);
      }
    }
  }
}

TEST_F(KconfigVariablesTest, AnswersAreTakenAlike) {
  for (const std::string mode : {"oldconfig", "oldaskconfig", "syncconfig"}) {
    for (const std::string answers :
         {"\n\n\n\n\n\n\n\n\n\n\n\n", "y\n?\nm\nn\nyes\n2\n9\n10\n5\n0x1f\ntext\n\n\n\n",
          "n\n1\nx\n1?\n3\n\n\n\n\n\n\n\n", "?\ny\ny\ny\ny\n4\n2\n?\n77\n3\nzz\n1f\n\n\n\n\n"}) {
      for (const std::string config : {"", "CONFIG_A=m\n", "# CONFIG_MODULES is not set\n"}) {
        Check(mode + " " + config + answers, {.mode = mode,
                                              .files = {{".config", config}},
                                              .input = answers + std::string(60, '\n')});
      }
    }
  }
}

// The same seed gives the same file, which evaluates to itself in the C tool.
TEST_F(KconfigVariablesTest, RandconfigIsRepeatableAndHoldsInTheCTool) {
  for (const std::string probability : {"", "0", "100", "30:40", "50:10:80"}) {
    ConfCall call{.mode = "randconfig",
                  .files = {{"Kconfig", kTree}},
                  .environment = {{"KCONFIG_SEED", "0x2A"}}};
    if (!probability.empty()) call.environment["KCONFIG_PROBABILITY"] = probability;
    const auto first = RunOurs(nullptr, call);
    const auto second = RunOurs(nullptr, call);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->output.find("KCONFIG_SEED=0x2A\n"), 0U);
    EXPECT_EQ(first->files, second->files);
    const std::string& written = first->files.at(".config");
    const auto again =
        RunTheirs(oracle_, nullptr,
                  {.mode = "olddefconfig", .files = {{"Kconfig", kTree}, {".config", written}}});
    ASSERT_TRUE(again);
    tally_.Compare("randconfig " + probability, written, again->files.at(".config"));
    const bool has_d = written.find("CONFIG_D=y") != std::string::npos;
    EXPECT_TRUE(has_d || probability != "100");
    const bool has_a = written.find("# CONFIG_A is not set") == std::string::npos;
    EXPECT_TRUE(!has_a || probability != "0");
  }
  for (const std::string wrong : {"101", "60:60", "-1", "50:60:70"}) {
    const ConfCall call{.mode = "randconfig",
                        .files = {{"Kconfig", kTree}},
                        .environment = {{"KCONFIG_SEED", "7"}, {"KCONFIG_PROBABILITY", wrong}}};
    const auto ours = RunOurs(nullptr, call);
    const auto theirs = RunTheirs(oracle_, nullptr, call);
    ASSERT_TRUE(ours && theirs);
    EXPECT_EQ(ours->status, theirs->status) << wrong;
    EXPECT_EQ(ours->files, theirs->files) << wrong;
  }
}

TEST_F(KconfigVariablesTest, TheKernelsTreeIsTreatedAlike) {
  const auto arch = ArchOracle::Load(oracle_, "x86_64");
  ASSERT_TRUE(arch) << arch.error().message;
  const std::string given = (oracle_.tree / "arch/x86/configs/x86_64_defconfig").string();
  const auto check = [&](const std::string& mode, const ConfCall& call) {
    CompareCall(oracle_, &*arch, "x86_64 " + mode, call, tally_);
  };
  ConfCall defconfig{.mode = "defconfig", .file = given};
  check("defconfig", defconfig);
  const auto made = RunOurs(&*arch, defconfig);
  ASSERT_TRUE(made);
  const Texts before = {{".config", made->files.at(".config")}};
  for (const std::string mode : {"yes2modconfig", "mod2yesconfig", "mod2noconfig"}) {
    check(mode, {.mode = mode, .files = before});
  }
  const Texts few = {{".config", "CONFIG_NET=y\nCONFIG_PCI=y\n"}};
  check("helpnewconfig", {.mode = "helpnewconfig", .files = few});
  for (const std::string mode : {"allnoconfig", "allmodconfig"}) {
    check(mode + " KCONFIG_ALLCONFIG",
          {.mode = mode, .environment = {{"KCONFIG_ALLCONFIG", "kernel/configs/tiny.config"}}});
  }
}

}  // namespace
}  // namespace hone::kconfig
