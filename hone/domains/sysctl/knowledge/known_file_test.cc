// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/knowledge/known_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "hone/core/rng.h"
#include "hone/domains/sysctl/kernel/fake_kernel.h"
#include "hone/domains/sysctl/knowledge/settings_here.h"

namespace hone::sysctl {
namespace {

using testing::HasSubstr;

ParameterPath PathOf(const std::string& name) {
  const auto path = ParameterPath::Of(name);
  EXPECT_TRUE(path) << path.error().message;
  return *path;
}

// A path that the pattern covers.
std::string Example(const std::string& form) {
  std::string path;
  for (std::size_t i = 0; i < form.size(); ++i) {
    const bool is_deep = form.compare(i, 2, "**") == 0;
    path += is_deep ? "a/b" : form[i] == '*' ? "x1" : std::string(1, form[i]);
    if (is_deep) ++i;
  }
  return path;
}

std::vector<std::string> DeniedPaths() {
  std::vector<std::string> paths;
  for (const ParameterFacts& facts : Knowledge::Builtin().all()) {
    if (facts.risk != Risk::kDenied) continue;
    for (const std::string& form : FormsOf(facts)) paths.push_back(Example(form));
  }
  return paths;
}

// The file by another text that the kernel takes for the same, as sysctl(8) and programs write it.
std::string Respelled(const std::string& path, Rng& rng) {
  std::string odd;
  for (const char letter : path) {
    if (letter != '/' || rng.Below(3) == 0) {
      odd += letter;
      continue;
    }
    constexpr std::array kBetween{"//", "/./", "/x/../", "/././/", "/"};
    odd += kBetween[rng.Below(kBetween.size())];
  }
  constexpr std::array kEnds{"", "/", "/.", "//", "/x/.."};
  odd += kEnds[rng.Below(kEnds.size())];
  const std::string below = "/proc/sys/";
  if (!odd.starts_with(below) || rng.Coin()) return odd;
  odd.erase(0, below.size());
  return odd.find('.') == odd.npos && rng.Coin() ? NameOfPath(below + odd) : odd;
}

class KnownFileTest : public testing::Test {
 protected:
  // Why it may not be set, though the user allows what is unknown; empty: it may.
  std::string FaultOfSetting(const std::string& path) {
    const auto settings = ReadSettingsHere("w " + path + " - - - - 1\n", "f", kernel_);
    if (!settings) return settings.error().message;
    for (const Setting& setting : *settings) {
      const auto one = ParameterPath::Of(setting.path);
      if (!one) return one.error().message;
      const auto facts = FactsOfFile(kernel_, Knowledge::Builtin(), *one);
      if (!facts) return facts.error().message;
      if (*facts != nullptr && (*facts)->risk == Risk::kDenied) return "denied";
    }
    return "";
  }

  std::string FaultOfRequest(const std::string& name) {
    ParameterRequest request;
    request.name = name;
    request.range = IntegerRange{0, 9};
    request.is_unknown_allowed = true;
    request.is_disruption_allowed = true;
    const auto set = FindTunables(kernel_, Knowledge::Builtin(), {request}, Place::kHost);
    return set ? "" : set.error().message;
  }

  FakeKernel kernel_;
};

TEST_F(KnownFileTest, NoSpellingOfADeniedParameterIsAccepted) {
  Rng rng(7);
  for (const std::string& path : DeniedPaths()) {
    kernel_.Add(path, "1");
    EXPECT_NE(FaultOfRequest(path), "") << path;
    EXPECT_NE(FaultOfSetting(path), "") << path;
    for (int i = 0; i < 40; ++i) {
      const std::string odd = Respelled(path, rng);
      EXPECT_NE(FaultOfRequest(odd), "") << odd;
      EXPECT_NE(FaultOfSetting(PathOfName(odd)), "") << odd;
    }
  }
}

TEST_F(KnownFileTest, NorByAPattern) {
  kernel_.Add("/proc/sys/kernel/core_pattern", "core");
  for (const char* const pattern :
       {"/proc/sys/kernel/core_pat*", "/proc/sys/*/core_pattern",
        "/proc/sys/kernel/.*/core_pattern", "/proc/sys/./kernel/core_p*",
        "/proc/sys/*/../kernel/core_pattern"}) {
    EXPECT_NE(FaultOfSetting(pattern), "") << pattern;
    EXPECT_NE(FaultOfRequest(pattern), "") << pattern;
  }
}

// As /sys/class and /sys/block lead to /sys/devices.
TEST_F(KnownFileTest, NorByALinkToIt) {
  kernel_.Add("/sys/devices/pci0/net/eth0/mtu", "1500");
  kernel_.Add("/sys/devices/pci0/net/eth0/made_up", "1");
  kernel_.Link("/sys/class/net/eth0", "/sys/devices/pci0/net/eth0");
  kernel_.Link("/sys/class/odd/eth0", "/sys/devices/pci0/net/eth0");
  kernel_.Link("/sys/class/odd/power", "/sys/power");
  kernel_.Add("/sys/power/state", "mem");
  EXPECT_THAT(FaultOfRequest("/sys/class/net/eth0/mtu"), HasSubstr("it is never tuned"));
  for (const char* const path : {"/sys/devices/pci0/net/eth0/mtu", "/sys/class/odd/eth0/mtu"}) {
    EXPECT_THAT(FaultOfRequest(path),
                HasSubstr("it is /sys/class/net/eth0/mtu under another name"));
    EXPECT_THAT(FaultOfSetting(path), HasSubstr("under another name; use that"));
  }
  EXPECT_THAT(FaultOfRequest("/sys/class/odd/power/state"), HasSubstr("it is never tuned"));
  EXPECT_EQ(FaultOfSetting("/sys/class/odd/power/state"), "denied");
  EXPECT_EQ(FaultOfRequest("/sys/class/odd/eth0/made_up"), "") << "what nobody knows may be tried";
}

// What is written to some of these is run by the kernel.
TEST_F(KnownFileTest, WhatIsNoParameterIsNotAnUnknownOne) {
  for (const char* const path :
       {"/sys/kernel/uevent_helper", "/sys/kernel/debug/made_up",
        "/sys/kernel/tracing/kprobe_events", "/sys/bus/pci/drivers_probe",
        "/sys/firmware/efi/efivars/x", "/sys/fs/selinux/enforce", "/sys/kernel/security/lockdown",
        "/sys/class/gpio/export", "/sys/devices/pci0/driver_override",
        "/sys/devices/pci0/net/eth0/uevent", "/sys/module/firmware_class/parameters/path",
        "/sys/module/kernel/parameters/panic"}) {
    kernel_.Add(path, "1");
    EXPECT_NE(FaultOfRequest(path), "") << path;
    EXPECT_NE(FaultOfSetting(path), "") << path;
  }
  kernel_.Add("/sys/module/made_up/parameters/depth", "1");
  EXPECT_EQ(FaultOfRequest("/sys/module/made_up/parameters/depth"), "");
}

TEST_F(KnownFileTest, WhatIsDeniedAndWhatIsUnknownOfSysctlIsLeftAlone) {
  const Knowledge& knowledge = Knowledge::Builtin();
  for (const std::string& path : DeniedPaths()) EXPECT_TRUE(IsLeftAlone(kernel_, knowledge, path));
  EXPECT_TRUE(IsLeftAlone(kernel_, knowledge, "/proc/sys/kernel/made_up_hardening"));
  EXPECT_TRUE(IsLeftAlone(kernel_, knowledge, "/sys/kernel/uevent_helper"));
  EXPECT_FALSE(IsLeftAlone(kernel_, knowledge, "/proc/sys/vm/min_free_kbytes"));
  EXPECT_FALSE(IsLeftAlone(kernel_, knowledge, "/sys/block/vda/queue/nr_requests"));
  EXPECT_FALSE(IsLeftAlone(kernel_, knowledge, "/sys/devices/vda/queue/iosched/made_up"));
}

TEST_F(KnownFileTest, WhatIsKnownIsFoundAndWhatIsNotIsNull) {
  const auto known = FactsOfFile(kernel_, Knowledge::Builtin(), PathOf("vm.swappiness"));
  ASSERT_TRUE(known && *known != nullptr);
  EXPECT_EQ((*known)->name, "vm.swappiness");
  const auto unknown = FactsOfFile(kernel_, Knowledge::Builtin(), PathOf("vm.made_up"));
  ASSERT_TRUE(unknown);
  EXPECT_EQ(*unknown, nullptr);
}

}  // namespace
}  // namespace hone::sysctl
