// SPDX-License-Identifier: Apache-2.0
// A campaign over kernels, killed at random moments and resumed: nothing is built twice, nothing is
// lost, nothing is left behind.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "hone/base/file.h"
#include "hone/base/sqlite/sqlite.h"
#include "hone/base/temp_dir.h"
#include "hone/core/rng.h"
#include "hone/domains/kconfig/build/kbuild_tree_for_test.h"
#include "hone/domains/kconfig/build/kernel_store.h"
#include "hone/testing/wait_until.h"
#include "tests/crash/killable.h"

namespace hone::kernels {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

// What stands in the log since the last look.
struct Life {
  std::multiset<std::string> built;
  bool died_building = false;
  bool died_booting = false;
};

class KconfigCrashTest : public ::testing::Test {
 protected:
  using Lines = std::vector<std::string>;
  using Rows = std::map<std::string, std::string>;

  void SetUp() override {
    if (const std::string missing = MissingBuildTool(); !missing.empty()) {
      GTEST_SKIP() << "needs " << missing;
    }
    ASSERT_TRUE(WriteKbuildTree(Place() / "tree"));
    for (const char* folder : {"cache", "tmp"}) ASSERT_TRUE(MakeFolder(Place() / folder));
    ::setenv("HONE_CACHE", (Place() / "cache").c_str(), 1);
    ::setenv("TMPDIR", (Place() / "tmp").c_str(), 1);
    // What a killed process leaves becomes a child of this one, where it can be seen.
    ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
  }

  fs::path Place() const { return folder_.path(); }

  Lines Hone(Lines arguments) const {
    arguments.insert(arguments.begin(), {HONE_KCONFIG_PROCESS, (Place() / "log").string()});
    arguments.insert(arguments.end(), {"--quiet", "--store", (Place() / "hone.db").string()});
    return arguments;
  }

  Lines Tune(int seed) const {
    return Hone({"tune", "kconfig", "-o", "tree=" + (Place() / "tree").string(), "-o", "base=tiny",
                 "-o", "options=MAIN,FAST,PANICS,BROKEN,WIDE,SPEED", "-o", "workloads=syscall,fork",
                 "--trials", "12", "--seed", std::to_string(seed), "--lease", "300ms"});
  }

  Rows Select(const std::string& sql) const {
    Rows rows;
    const fs::path store = Place() / "hone.db";
    if (!fs::exists(store)) return rows;
    auto database = Database::Open(store);
    EXPECT_TRUE(database) << database.error().message;
    auto query = database->Prepare(sql);
    if (!query) return rows;  // Killed before the tables were made.
    while (query->Step().value_or(false)) rows[query->Text(0)] = query->Text(1);
    return rows;
  }

  static std::string NameOfCampaign(int number) { return fmt::format("kconfig-{}", number); }

  Rows Evaluations() const { return Select("SELECT task, body FROM evaluations"); }

  // Kernels that lie whole in the store, by what the log calls them.
  std::set<std::string> Kernels() const {
    std::set<std::string> kernels;
    std::error_code fault;
    for (const auto& entry : fs::recursive_directory_iterator(Place() / "cache/kernels", fault)) {
      if (entry.path().filename() != "key") continue;
      if (entry.path().parent_path().filename().string().starts_with("new")) continue;
      kernels.insert(fmt::format("{:016x}", DigestOf(EssenceOf(ReadFile(entry.path()).value()))));
    }
    return kernels;
  }

  Life ReadLog() {
    Life life;
    const auto all = ReadFile(Place() / "log");
    if (!all) return life;
    std::istringstream lines(all->substr(std::exchange(read_, all->size())));
    std::string last;
    for (std::string line; std::getline(lines, line); last = line) {
      if (line.starts_with("built ")) life.built.insert(line.substr(6));
    }
    life.died_building = last.starts_with("asked ");
    life.died_booting = last == "boot";
    return life;
  }

  void ExpectNothingLost(const Rows& before) const {
    const Rows now = Evaluations();
    for (const auto& [task, evaluation] : before) {
      const auto found = now.find(task);
      ASSERT_NE(found, now.end()) << task << " was lost";
      ASSERT_EQ(found->second, evaluation) << task << " was done again";
    }
  }

  // Make, compilers, wardens and supervisors: whoever is left is a child of this process now.
  static void ExpectNoProcessIsLeft() {
    WaitUntil([] { return ::waitpid(-1, nullptr, WNOHANG) < 0; },
              "every process of the killed program has ended");
  }

  void Age() const {
    const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours{1};
    for (const std::string& folder : InTheMaking()) fs::last_write_time(folder, long_ago);
  }

  std::vector<std::string> InTheMaking() const {
    std::vector<std::string> left;
    for (const char* folder : {"cache", "tmp"}) {
      for (const auto& entry : fs::recursive_directory_iterator(Place() / folder)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with("new-") || (entry.path().parent_path() == Place() / "tmp")) {
          left.push_back(entry.path().string());
        }
      }
    }
    return left;
  }

  bool IsInTheMiddleOf(std::string_view what) const {
    const std::string log = ReadFile(Place() / "log").value_or("");
    if (log.size() <= read_ || !log.ends_with('\n')) return false;
    const std::size_t before = log.rfind('\n', log.size() - 2);
    return log.substr(before + 1).starts_with(what);
  }

  static bool HasEnded(const Killable& child) {
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(child.pid()), &info, WEXITED | WNOHANG | WNOWAIT);
    return info.si_pid != 0;
  }

  // One life of the program; how it ended is in the store. It is killed at that age, or that long
  // after it was seen in the middle of something ("asked": of a build).
  void LiveAndDie(const Lines& arguments, std::string_view middle, std::chrono::microseconds age) {
    const std::set<std::string> known = Kernels();
    const Rows settled = Evaluations();
    {
      Killable child(arguments);
      if (!middle.empty()) {
        WaitUntil([&] { return IsInTheMiddleOf(middle) || HasEnded(child); }, "it comes so far");
      }
      std::this_thread::sleep_for(age);
      child.Kill();
    }
    ExpectNoProcessIsLeft();
    ExpectNothingLost(settled);
    const Life life = ReadLog();
    building_ += life.died_building ? 1 : 0;
    booting_ += life.died_booting ? 1 : 0;
    for (const std::string& kernel : life.built) {
      EXPECT_FALSE(known.contains(kernel)) << kernel << " was there and was built again";
      EXPECT_EQ(life.built.count(kernel), std::size_t{1}) << kernel;
    }
  }

  TempDir folder_ = TempDir::Make("kconfig-crash").value();
  std::size_t read_ = 0;
  int building_ = 0;
  int booting_ = 0;
};

TEST_F(KconfigCrashTest, KilledAtRandomMomentsNothingIsBuiltTwiceLostOrLeft) {
  struct Moment {
    std::string_view middle;
    std::uint64_t max_us;
  };
  constexpr std::array<Moment, 3> kMoments{
      {{"", 1'500'000}, {"asked ", 100'000}, {"boot\n", 3'000}}};
  Rng rng(20'261'117);
  int kills = 0;
  int campaigns = 0;
  int lives = 0;
  const int max_kills = NumberFromEnvironment("HONE_KILLS", 20);
  const int max_lives = 10 * max_kills;
  while (kills < max_kills) {
    Lines next = Tune(++campaigns);
    bool is_stored = false;
    for (bool has_ended = false; !has_ended && kills < max_kills;) {
      // One that is not stored yet would be killed at its first boot again and again.
      const auto kind = is_stored ? static_cast<std::size_t>(kills) % kMoments.size() : 0;
      const Moment& moment = kMoments.at(kind);
      LiveAndDie(next, moment.middle, std::chrono::microseconds(rng.Below(moment.max_us)));
      ASSERT_LT(++lives, max_lives) << "it does not come to where it can be killed";
      const Rows intact = Select("PRAGMA integrity_check");
      ASSERT_TRUE(intact.empty() ||
                  intact.begin()->first == "ok");  // Empty: there is no store yet.
      const Rows started = Select("SELECT id, coalesce(verdict, '') FROM campaigns");
      const auto campaign = started.find(NameOfCampaign(campaigns));
      is_stored = campaign != started.end();
      if (!is_stored) continue;  // Killed before: start it again.
      has_ended = !campaign->second.empty();
      kills += has_ended ? 0 : 1;
      next = Hone({"resume", campaign->first, "--lease", "300ms"});
    }
  }
  std::cout << kills << " kills in " << campaigns << " campaigns, " << building_
            << " while building, " << booting_ << " while booting\n";
  EXPECT_GT(building_, 0);
  EXPECT_GT(booting_, 0);

  Age();  // Folders that are a few seconds old are left alone: their makers may be about to lock
          // them.

  // The last campaign goes on to its end, and has decided what it decides when nobody kills it. (A
  // campaign begun anew would have other prices: what a change costs is measured when it begins.)
  Killable resumed(Hone({"resume", NameOfCampaign(campaigns)}));
  EXPECT_LE(resumed.Wait(), 1);
  ReadLog();
  Killable replayed(Hone({"replay", NameOfCampaign(campaigns)}));
  EXPECT_EQ(replayed.Wait(), 0);
  ExpectNoProcessIsLeft();
  EXPECT_THAT(ReadLog().built, IsEmpty());
  EXPECT_THAT(InTheMaking(), IsEmpty());
}

}  // namespace
}  // namespace hone::kernels
