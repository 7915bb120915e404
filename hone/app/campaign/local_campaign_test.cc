// SPDX-License-Identifier: Apache-2.0
#include "hone/app/campaign/local_campaign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "hone/base/temp_dir.h"

namespace hone::app {
namespace {

using testing::HasSubstr;

// A store holds commands. Who else could have written it would be root when root goes on.
TEST(LocalCampaignTest, AStoreThatSomebodyElseCouldHaveWrittenIsNotRun) {
  const Builtins builtins = MakeBuiltins();
  const auto folder = TempDir::Make();
  ASSERT_TRUE(folder);
  TuneRequest request;
  request.target = "toy";
  request.trials = 2;
  const auto plan = MakePlan(request, builtins);
  ASSERT_TRUE(plan) << plan.error().message;
  LocalSettings settings;
  settings.store = folder->path() / "hone.db";
  auto store = tune::CampaignStore::Open(settings.store, SystemClock());
  ASSERT_TRUE(store) << store.error().message;
  const auto id = CreateCampaign(*store, *plan, settings.store, SystemClock());
  ASSERT_TRUE(id) << id.error().message;
  const auto planted = folder->path() / "hone.db-journal";
  std::filesystem::create_symlink("nowhere", planted);
  const auto beside = RunLocally(*id, *store, builtins, SystemClock(), settings);
  ASSERT_FALSE(beside);
  EXPECT_THAT(beside.error().message, HasSubstr("hone.db-journal: it is a link"));
  std::filesystem::remove(planted);
  if (::chown(settings.store.c_str(), 65534, 65534) != 0) {
    GTEST_SKIP() << "only root can give a file away";
  }
  const auto verdict = RunLocally(*id, *store, builtins, SystemClock(), settings);
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().code, Errc::kCorrupt);
  EXPECT_THAT(verdict.error().message, HasSubstr("hone.db: it belongs to user 65534"));
}

}  // namespace
}  // namespace hone::app
