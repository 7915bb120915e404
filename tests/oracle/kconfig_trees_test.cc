// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "hone/base/file.h"
#include "hone/base/process/subprocess.h"
#include "hone/base/temp_dir.h"
#include "hone/kconfig/conf/conf.h"
#include "hone/kconfig/files/defconfig.h"
#include "tests/oracle/kconfig_cases.h"
#include "tests/oracle/kconfig_conf_oracle.h"
#include "tests/oracle/kconfig_random_tree.h"

// Trees of other projects, each against the conf tool that it carries: what both write is equal,
// byte for byte. scripts/kconfig-trees fetches and builds them.
namespace hone::kconfig {
namespace {

struct RealTree {
  std::string name;
  std::string folder;
  std::string file;
  std::string conf;
};

// An Error that says why it cannot be had.
Result<RealTree> FindTree(const std::string& name) {
  Command command;
  command.arguments = {HONE_SOURCE_DIR "/scripts/kconfig-trees", name};
  command.limit = std::chrono::minutes(20);
  const auto result = RunProcess(command);
  if (!result) return result.error();
  std::istringstream line(result->output.substr(0, result->output.find('\n')));
  RealTree tree;
  for (std::string* part : {&tree.name, &tree.folder, &tree.file, &tree.conf}) {
    std::getline(line, *part, '\t');
  }
  if (tree.conf.empty()) return Error{Errc::kUnavailable, result->output + result->errors};
  return tree;
}

// A mode, and the file of `defconfig`.
struct Task {
  std::string mode;
  std::string file;
};

// What the Makefile of each would set. Neither tool writes files for a build where it runs.
Environment EnvironmentOf(const RealTree& tree, const std::string& config) {
  const char* path = ::getenv("PATH");
  return {{"PATH", path == nullptr ? "/usr/bin:/bin" : path},
          {"srctree", tree.folder},
          {"KCONFIG_CONFIG", config},
          {"KCONFIG_AUTOCONFIG", config + ".build/auto.conf"},
          {"KCONFIG_AUTOHEADER", config + ".build/autoconf.h"},
          {"KCONFIG_RUSTCCFG", config + ".build/rustc_cfg"},
          {"KCONFIG_TRISTATE", config + ".build/tristate.conf"},
          {"BR2_CONFIG", config},
          {"BASE_DIR", tree.folder + "/output"},
          {"BR2_VERSION_FULL", "2026.08"},
          {"HOST_GCC_VERSION", "12"},
          {"HOSTARCH", "x86_64"},
          {"VERSION", "1.0"},
          {"CT_VERSION", "1.28"},
          {"KCONFIG_NOTIMESTAMP", "1"},
          {"KERNELVERSION", "1.2.3"},
          {"UBOOTVERSION", "2023.01"},
          {"XEN_FULLVERSION", "4.17"},
          {"ARCH", tree.name == "xen" ? "x86_64" : "x86"},
          {"SRCARCH", "x86"},
          {"CC", "gcc"},
          {"LD", "ld"},
          {"PYTHON", "python3"},
          {"PAHOLE", "pahole"},
          {"RUSTC", "rustc"},
          {"CC_VERSION_TEXT", "gcc"},
          {"KCONFIG_OBJDIR", ""}};
}

// The tools of BusyBox and Toybox are older than long options and some modes; that of uClibc-ng has
// both, and reads short ones only.
bool IsOld(const RealTree& tree) { return tree.name == "busybox" || tree.name == "toybox"; }

bool HasLongOptions(const RealTree& tree) { return !IsOld(tree) && tree.name != "uclibc-ng"; }

std::vector<std::string> ArgumentsOf(const RealTree& tree, const Task& task) {
  const std::string& mode = task.mode;
  if (HasLongOptions(tree)) {
    return {tree.conf, "--" + mode + (task.file.empty() ? "" : "=" + task.file), tree.file};
  }
  const char* option = mode == "allyesconfig" ? "-y" : mode == "allnoconfig" ? "-n" : "-A";
  return {tree.conf, mode == "allmodconfig" ? "-m" : option, tree.file};
}

Result<std::string> WrittenByC(const RealTree& tree, const Task& task,
                               const std::filesystem::path& folder) {
  Command command;
  command.arguments = ArgumentsOf(tree, task);
  const bool is_old = tree.name == "busybox";  // It writes .config in the current folder.
  command.folder = tree.folder;
  Environment environment = EnvironmentOf(tree, (folder / "c").string());
  if (tree.name == "buildroot") {
    environment["CONFIG_"] = "";
    std::filesystem::create_directories(tree.folder + "/output");
    for (const char* part :
         {"paths", "menus", "toolchains", "linux", "skeleton", "init", "jpeg", "openssl"}) {
      std::ofstream(tree.folder + "/output/.br2-external.in." + part);
    }
  }
  command.environment.emplace(environment.begin(), environment.end());
  command.limit = std::chrono::minutes(5);
  const auto old = std::filesystem::path(tree.folder) / ".config";
  std::filesystem::remove(old);
  const auto result = RunProcess(command);
  if (!result) return result.error();
  auto text = ReadFile(is_old ? old : folder / "c");
  std::filesystem::remove(old);
  if (!text) return Error{Errc::kUnavailable, text.error().message + "\n" + result->errors};
  return text;
}

// Commands of a tree are restricted, as they are by default, and those of its own tool are free: so
// both give the same. Where a machine cannot restrict them, ours are free too.
ShellPolicy ShellPolicyHere() {
  static const ShellPolicy policy = [] {
    ShellSettings settings;
    settings.policy = ShellPolicy::kRestricted;
    const auto runner = MakeShellRunner(settings);
    runner->Start("echo here");
    const ShellOutcomes outcomes = runner->Finish();
    return outcomes.at("echo here") ? ShellPolicy::kRestricted : ShellPolicy::kRun;
  }();
  return policy;
}

ConfRequest RequestOf(const RealTree& tree, const Task& task, const std::filesystem::path& folder) {
  ConfRequest conf;
  conf.mode = *ConfModeNamed(task.mode);
  conf.file = task.file;
  conf.load.file = tree.file;
  conf.load.folders = {tree.folder};
  conf.load.dialect = DetectDialect(tree.folder);
  conf.load.shell_folder = tree.folder;
  conf.load.shell = ShellPolicyHere();
  conf.load.environment = EnvironmentOf(tree, (folder / "h").string());
  conf.load.memo = folder / "memo";
  conf.load.snapshots = folder / "trees";
  return conf;
}

Result<std::string> WrittenByUs(const ConfRequest& conf, const std::filesystem::path& folder) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  std::filesystem::remove(folder / "h");
  const int status = RunConf(conf, in, out, err);
  auto text = ReadFile(folder / "h");
  if (status != 0 || !text) return Error{Errc::kInvalidArgument, err.str()};
  return text;
}

// Ours parses the tree and leaves a snapshot, then takes the tree from there: both are equal to
// what the tree's own tool writes.
void CompareTask(const RealTree& tree, const Task& task) {
  SCOPED_TRACE(tree.name + " " + task.mode + " " + task.file);
  const auto folder = TempDir::Make("kconfig-tree");
  const auto theirs = WrittenByC(tree, task, folder->path());
  ASSERT_TRUE(theirs) << theirs.error().message;
  const ConfRequest conf = RequestOf(tree, task, folder->path());
  const auto ours = WrittenByUs(conf, folder->path());
  ASSERT_TRUE(ours) << ours.error().message.substr(0, 2000);
  EXPECT_GT(theirs->size(), 1000U);
  EXPECT_TRUE(*ours == *theirs) << "not equal";
  EXPECT_TRUE(LoadTree(conf.load).is_from_snapshot);
  const auto again = WrittenByUs(conf, folder->path());
  ASSERT_TRUE(again) << again.error().message.substr(0, 2000);
  EXPECT_TRUE(*again == *theirs) << "not equal from the snapshot";
}

// Evenly spread over all that there are; all of them if HONE_KCONFIG_DEFCONFIGS is set.
std::vector<std::filesystem::path> SomeDefconfigs(const TreePlace& place) {
  constexpr std::size_t kMax = 8;
  auto files = DefconfigsOf(place);
  if (std::getenv("HONE_KCONFIG_DEFCONFIGS") != nullptr || files.size() <= kMax) return files;
  std::vector<std::filesystem::path> some;
  for (std::size_t i = 0; i < kMax; ++i) some.push_back(files[i * files.size() / kMax]);
  return some;
}

// A row for scripts/kconfig-table: what was compared, and that all of it was equal.
void TellRow(const RealTree& tree, const std::vector<std::string>& modes, std::size_t defconfigs,
             std::size_t all_defconfigs) {
  const char* file = std::getenv("HONE_KCONFIG_TABLE");
  if (file == nullptr) return;
  std::ofstream(file, std::ios::app) << fmt::format(
      "{}\t{}\t{}\t{}\t{}\t{}\n", tree.name, DetectDialect(tree.folder).name, fmt::join(modes, " "),
      defconfigs, all_defconfigs, testing::Test::HasFailure() ? "NOT EQUAL" : "equal");
}

class KconfigTreesTest : public testing::TestWithParam<const char*> {};

TEST_P(KconfigTreesTest, WritesWhatItsOwnToolWrites) {
  const auto tree = FindTree(GetParam());
  if (!tree) GTEST_SKIP() << tree.error().message;
  std::vector<std::string> modes = {"alldefconfig", "allnoconfig", "allyesconfig", "allmodconfig"};
  if (IsOld(*tree)) modes = {"allnoconfig", "allyesconfig"};
  for (const std::string& mode : modes) CompareTask(*tree, {mode, ""});
  std::size_t compared = 0;
  std::size_t all = 0;
  const auto place = LocateTree(tree->folder, tree->name == "xen" ? "x86_64" : "x86");
  if (place && HasLongOptions(*tree)) {
    all = DefconfigsOf(*place).size();
    const auto folder = TempDir::Make("kconfig-tree");
    for (const auto& file : SomeDefconfigs(*place)) {
      const auto text =
          ReadDefconfig(*place, file, RequestOf(*tree, {"defconfig", ""}, folder->path()).load);
      ASSERT_TRUE(text) << text.error().message;
      const auto plain = folder->path() / file.filename();
      ASSERT_TRUE(WriteFileDurably(plain, *text));
      CompareTask(*tree, {"defconfig", plain.string()});
      ++compared;
    }
  }
  TellRow(*tree, modes, compared, all);
}

std::string NameOfTree(const testing::TestParamInfo<const char*>& info) {
  std::string name;
  for (const char c : std::string_view(info.param)) name += c == '-' || c == '.' ? '_' : c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(Debian, KconfigTreesTest,
                         testing::Values("busybox", "seabios", "u-boot", "coreboot", "xen",
                                         "linux-6.12", "linux-new"),
                         NameOfTree);

// Debian does not have these; scripts/kconfig-trees --clone fetches them.
INSTANTIATE_TEST_SUITE_P(Cloned, KconfigTreesTest,
                         testing::Values("buildroot", "toybox", "openwrt", "crosstool-ng",
                                         "barebox", "uclibc-ng", "u-boot-new"),
                         NameOfTree);

// Random trees of a kernel's dialect in the modes that need no answers (and the symbols that are
// new), against the tool of that kernel.
void CompareRandomTrees(const RealTree& tree, const std::string& dialect, bool has_transitional) {
  const KernelOracle oracle{.tree = tree.folder, .conf = tree.conf};
  constexpr const char* kModes[] = {"olddefconfig", "alldefconfig",  "allnoconfig",  "allyesconfig",
                                    "allmodconfig", "savedefconfig", "listnewconfig"};
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Rng rng(seed);
    RandomKconfig random(rng, true, has_transitional);
    ConfCall call{.dialect = dialect};
    call.files["Kconfig"] = random.Tree();
    const std::string config = random.Config();
    call.input = random.Answers();
    for (const std::string mode : kModes) {
      ConfCall next = call;
      next.mode = mode;
      if (mode == "savedefconfig") next.file = "saved";
      if (!mode.starts_with("all")) next.files[".config"] = config;
      const auto theirs = RunTheirs(oracle, nullptr, next);
      if (!theirs) continue;  // It asks for ever about a choice of which no member is visible.
      const auto ours = RunOurs(nullptr, next);
      ASSERT_TRUE(ours) << ours.error().message;
      SCOPED_TRACE(
          fmt::format("seed {} {}\n{}\n--- with\n{}", seed, mode, call.files["Kconfig"], config));
      const std::string file = mode == "savedefconfig" ? "saved" : ".config";
      ASSERT_EQ(ours->files.contains(file), theirs->files.contains(file));
      if (theirs->files.contains(file)) {
        ASSERT_EQ(ours->files.at(file), theirs->files.at(file));
      }
      if (mode == "listnewconfig") {
        ASSERT_EQ(ours->output, theirs->output);
      }
      ++compared;
    }
  }
  EXPECT_GT(compared, 500);
}

// The choice rules since Linux 6.11, with what no real tree has.
TEST(KconfigGroupsTest, RandomTreesAreTreatedAsLinuxSince611Does) {
  const auto tree = FindTree("linux-6.12");
  if (!tree) GTEST_SKIP() << tree.error().message;
  CompareRandomTrees(*tree, "linux-6.11", false);
}

TEST(KconfigGroupsTest, RandomTransitionalSymbolsAreTreatedAsTheNewestLinuxDoes) {
  const auto tree = FindTree("linux-new");
  if (!tree) GTEST_SKIP() << tree.error().message;
  CompareRandomTrees(*tree, "linux-7.0", true);
}

TEST(KconfigCasesTest, TheNewestKernelsOwnTestCasesPassThroughOurCommand) {
  const auto tree = FindTree("linux-new");
  if (!tree) GTEST_SKIP() << tree.error().message;
  const auto cases = RunKernelCases(tree->folder, HONE_PROGRAM, "linux-7.0");
  if (!cases && cases.error().code == Errc::kUnsupported) GTEST_SKIP() << cases.error().message;
  ASSERT_TRUE(cases) << cases.error().message;
  EXPECT_TRUE(cases->failed.empty()) << cases->output;
  EXPECT_GE(cases->passed.size(), 21U);
}

}  // namespace
}  // namespace hone::kconfig
