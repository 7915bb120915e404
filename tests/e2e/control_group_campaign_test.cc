// SPDX-License-Identifier: Apache-2.0
// Campaigns over a control group by the real binary in a guest: one to its end, some killed.
#include <gmock/gmock.h>

#include "tests/e2e/control_group_guest.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Ne;

// What the service gets of the processor in a tenth of a second.
constexpr char kWorkload[] = R"json({
  "name": "made", "description": "A service that takes what it gets of the processor.",
  "benchmark": {"shell":
    "read -r name before </sys/fs/cgroup/system.slice/made.service/cpu.stat; usleep 100000; read -r name after </sys/fs/cgroup/system.slice/made.service/cpu.stat; echo work: $((after - before))"},
  "metrics": [{"name": "work", "direction": "higher_is_better"}],
  "parameters": ["cgroup:made.service/cpu.weight", "cgroup:made.service/memory.high",
                 "cgroup:made.service/io.weight/default", "cgroup:made.service/io.bfq.weight/default",
                 "cgroup:made.service/io.max/loop0/rbps"],
  "budget": {"trials": 4, "gate_pairs": 6, "least_pairs": 6, "most_pairs": 8}})json";

TEST_F(ControlGroupTest, ACampaignProvesWhatAWeightIsWorthAndPutsAllBack) {
  const auto told = InGuest(R"sh(
say start; controls
say tune; hone tune /w.json --yes --store /tmp/hone.db
say back; controls
)sh",
                            {{"w.json", kWorkload}}, std::chrono::minutes{25});
  if (IsSkipped() || HasFailure()) return;
  EXPECT_EQ(told.at("start"), kControlsAtStart);
  const std::string& tune = told.at("tune");
  EXPECT_THAT(tune, HasSubstr("Gain: +"));
  EXPECT_THAT(tune, HasSubstr("made.service/cpu.weight"));
  EXPECT_THAT(tune, HasSubstr("Everything is back: all 5 parameters"));
  EXPECT_THAT(tune, HasSubstr("status 0")) << tune;
  EXPECT_EQ(told.at("back"), kControlsAtStart);
}

TEST_F(ControlGroupTest, AKilledCampaignsControlsGoBackByItsGuardianOrByTheNextStart) {
  const auto told = InGuest(R"sh(
start="$(controls)"
children_of() {
  for status in $(grep -l "^PPid:[[:space:]]*$1\$" /proc/[0-9]*/status 2>/dev/null); do
    basename $(dirname $status)
  done
}
begin() {
  /bin/hone tune /w.json --yes --quiet --trials 400 --store /tmp/hone.db >/tmp/log 2>&1 &
  tuner=$!
  await != "$start"
}
begin
say in force; controls
kill -9 $tuner
await = "$start"
say by the guardian; controls
begin
kill -STOP $tuner
kill -9 $(children_of $tuner) $tuner
sleep 3
say nobody is left; controls
say restore; hone sysctl restore
say by the next start; controls
say log; cat /tmp/log
)sh",
                            {{"w.json", kWorkload}}, std::chrono::minutes{25});
  if (IsSkipped() || HasFailure()) return;
  EXPECT_THAT(told.at("in force"), Ne(kControlsAtStart)) << told.at("log");
  EXPECT_EQ(told.at("by the guardian"), kControlsAtStart);
  EXPECT_THAT(told.at("nobody is left"), Ne(kControlsAtStart)) << told.at("log");
  EXPECT_THAT(told.at("restore"), HasSubstr("status 0"));
  EXPECT_EQ(told.at("by the next start"), kControlsAtStart);
}

}  // namespace
}  // namespace hone
