// SPDX-License-Identifier: Apache-2.0
// A campaign on a bad day: the real program killed at random moments, a full disk, a read-only one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "hone/base/process/subprocess.h"
#include "hone/base/sqlite/sqlite.h"
#include "hone/base/temp_dir.h"
#include "hone/core/rng.h"
#include "hone/testing/test_machine.h"
#include "tests/crash/killable.h"

namespace hone {
namespace {

using testing::HasSubstr;

class CampaignCrashTest : public testing::Test {
 protected:
  using Lines = std::vector<std::string>;

  std::filesystem::path File() const { return folder_->path() / "hone.db"; }

  Lines Hone(Lines arguments) const {
    arguments.insert(arguments.begin(), HONE_PROGRAM);
    arguments.insert(arguments.end(), {"--quiet", "--store", File().string()});
    return arguments;
  }

  Lines Tune(int seed) const {
    return Hone({"tune", "toy", "-o", "noise=0.03", "-o", "duration_ms=1", "--trials", "10",
                 "--seed", std::to_string(seed), "--lease", "200ms"});
  }

  static ProcessResult Run(const Lines& arguments) {
    Command command;
    command.arguments = arguments;
    auto result = RunProcess(command);
    EXPECT_TRUE(result) << result.error().message;
    return result ? *result : ProcessResult{};
  }

  // All rows of a query with two columns, the first being the key.
  std::map<std::string, std::string> Rows(const std::string& sql) const {
    std::map<std::string, std::string> rows;
    if (!std::filesystem::exists(File())) return rows;
    auto database = Database::Open(File());
    EXPECT_TRUE(database) << database.error().message;
    auto query = database->Prepare(sql);
    if (!query) return rows;  // Killed before the tables were made.
    while (query->Step().value_or(false)) rows[query->Text(0)] = query->Text(1);
    return rows;
  }

  std::map<std::string, std::string> Evaluations() const {
    return Rows("SELECT task, body FROM evaluations");
  }

  std::map<std::string, std::string> Decisions(const std::string& campaign) const {
    return Rows(
        "SELECT printf('%06d', position), kind || choice FROM decisions WHERE campaign = '" +
        campaign + "'");
  }

  void ExpectNothingLost(const std::map<std::string, std::string>& before) const {
    const auto now = Evaluations();
    for (const auto& [task, evaluation] : before) {
      const auto found = now.find(task);
      ASSERT_NE(found, now.end()) << task << " was lost";
      ASSERT_EQ(found->second, evaluation) << task << " was done again";
    }
  }

  Result<TempDir> folder_ = TempDir::Make("campaign-crash");
};

TEST_F(CampaignCrashTest, KilledAtRandomMomentsItGoesOnWithNothingLostAndNothingDoneTwice) {
  Rng rng(20'261'115);
  int kills = 0;
  int campaigns = 0;
  const int max_kills = NumberFromEnvironment("HONE_KILLS", 20);
  while (kills < max_kills) {
    ++campaigns;
    const std::string id = "toy-" + std::to_string(campaigns);
    Lines next = Tune(campaigns);
    while (true) {
      const auto settled = Evaluations();
      Killable child(next);
      std::this_thread::sleep_for(std::chrono::microseconds(rng.Below(700'000)));
      child.Kill();
      ExpectNothingLost(settled);
      ASSERT_EQ(Rows("PRAGMA integrity_check").begin()->first, "ok");
      const auto started = Rows("SELECT id, coalesce(verdict, '') FROM campaigns");
      if (!started.contains(id)) continue;  // Killed before it was stored: start it again.
      if (!started.at(id).empty()) break;   // It had ended by itself.
      ++kills;
      next = Hone({"resume", id, "--lease", "200ms"});
    }
    const auto replay = Run(Hone({"replay", id}));
    EXPECT_EQ(replay.status, 0) << replay.output << replay.errors;
  }
  ASSERT_GE(campaigns, 1);

  // The last campaign, killed and resumed, decided what it decides when nobody kills it.
  const auto killed = Decisions("toy-" + std::to_string(campaigns));
  Run(Tune(campaigns));
  EXPECT_EQ(Decisions("toy-" + std::to_string(campaigns + 1)), killed);
}

TEST_F(CampaignCrashTest, FullDiskIsAClearErrorAndTheCampaignGoesOnOnceThereIsRoom) {
  const auto disk = TinyDisk::Mount(folder_->path(), 4 << 20);
  if (!disk) GTEST_SKIP() << disk.error().message;
  const auto ballast = folder_->path() / "ballast";
  std::ofstream(ballast) << std::string((4 << 20) - (600 << 10), 'x');
  const auto full = Run(Tune(1));
  EXPECT_EQ(full.status, 3) << full.output << full.errors;
  EXPECT_THAT(full.errors, HasSubstr("the disk is full"));
  const auto settled = Evaluations();
  ASSERT_FALSE(settled.empty()) << "the disk was full too early to tell anything";

  ASSERT_TRUE(std::filesystem::remove(ballast));
  ASSERT_EQ(Rows("PRAGMA integrity_check").begin()->first, "ok");
  const auto resumed = Run(Hone({"resume", "last", "--lease", "200ms"}));
  EXPECT_LE(resumed.status, 1) << resumed.output << resumed.errors;
  ExpectNothingLost(settled);
  EXPECT_EQ(Run(Hone({"replay", "last"})).status, 0);
}

TEST_F(CampaignCrashTest, ReadOnlyDatabaseIsAClearErrorAndStaysReadable) {
  auto disk = TinyDisk::Mount(folder_->path(), 16 << 20);
  if (!disk) GTEST_SKIP() << disk.error().message;
  ASSERT_LE(Run(Tune(1)).status, 1);
  ASSERT_TRUE(disk->MakeReadOnly());
  const auto refused = Run(Tune(2));
  EXPECT_EQ(refused.status, 3) << refused.output << refused.errors;
  EXPECT_THAT(refused.errors, HasSubstr("hone.db"));
  const auto shown = Run(Hone({"show", "last"}));
  EXPECT_LE(shown.status, 1) << shown.output << shown.errors;
  EXPECT_THAT(shown.output, HasSubstr("toy-1"));
}

}  // namespace
}  // namespace hone
