// SPDX-License-Identifier: Apache-2.0
// Settings of a control group, applied and put back by the real binary in a guest.
#include <gmock/gmock.h>

#include "tests/e2e/control_group_guest.h"

namespace hone {
namespace {

using testing::HasSubstr;

TEST_F(ControlGroupTest, AppliedControlsAreInForceAndGoBack) {
  const std::string settings = R"({"format": "hone-settings", "settings": [
    {"path": "/sys/fs/cgroup/system.slice/made.service/cpu.weight", "before": "100", "after": "300"},
    {"path": "/sys/fs/cgroup/system.slice/made.service/memory.high", "before": "max", "after": "536870912"},
    {"path": "/sys/fs/cgroup/system.slice/made.service/memory.low", "before": "0", "after": "67108864"},
    {"path": "/sys/fs/cgroup/system.slice/made.service/io.weight/default", "before": "100", "after": "50"},
    {"path": "/sys/fs/cgroup/system.slice/made.service/io.bfq.weight/default", "before": "100", "after": "200"},
    {"path": "/sys/fs/cgroup/system.slice/made.service/io.max/loop0/rbps", "before": "max", "after": "8388608"}]})";
  const auto told = InGuest(
      R"sh(
say start; controls
say apply; hone sysctl apply /settings.json
say in force; controls
say restore; hone sysctl restore --applied
say back; controls
say refused; hone sysctl apply /refused.json
say after the refusal; controls
)sh",
      {{"settings.json", settings}, {"refused.json", R"({"format": "hone-settings", "settings": [
    {"path": "/sys/fs/cgroup/system.slice/made.service/cpu.weight", "before": "100", "after": "300"},
    {"path": "/sys/fs/cgroup/system.slice/made.service/io.weight/default", "before": "100", "after": "20000"}]})"}},
      std::chrono::minutes{10});
  if (IsSkipped() || HasFailure()) return;
  EXPECT_EQ(told.at("start"), kControlsAtStart);
  EXPECT_THAT(told.at("apply"), HasSubstr("status 0"));
  EXPECT_EQ(told.at("in force"),
            "cpu.weight 300\nmemory.high 536870912\nmemory.low 67108864\nio.weight default 50\n"
            "io.bfq.weight default 200\nio.max 7:0 rbps=8388608 wbps=max riops=max wiops=max\n");
  EXPECT_THAT(told.at("restore"), HasSubstr("status 0"));
  EXPECT_EQ(told.at("back"), kControlsAtStart);
  EXPECT_THAT(told.at("refused"), testing::Not(HasSubstr("status 0")));
  EXPECT_EQ(told.at("after the refusal"), kControlsAtStart);
}

}  // namespace
}  // namespace hone
