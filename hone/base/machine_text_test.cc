// SPDX-License-Identifier: Apache-2.0
#include "hone/base/machine_text.h"

#include <gtest/gtest.h>

// Texts recorded on Linux 6.18 and 6.1, shortened.
namespace hone {
namespace {

using std::chrono::microseconds;

TEST(CpuTimesTest, SumsWhatIsBusyAndWhatIsNot) {
  const auto times = ParseCpuTimes(
      "cpu  4815 11 1603 146874 2776 3 51 7 5 0\n"
      "cpu0 2040 0 840 73527 1633 0 11 4 0 0\nintr 259640 0 0\n");
  ASSERT_TRUE(times.has_value());
  EXPECT_EQ(times->busy, CpuTicks(4815 + 11 + 1603 + 3 + 51));  // Guest time is in user already.
  EXPECT_EQ(times->idle, CpuTicks(146874 + 2776));
  EXPECT_EQ(times->steal, CpuTicks(7));
  EXPECT_EQ(times->Total(), times->busy + times->idle + times->steal);
}

TEST(CpuTimesTest, OtherTextsGiveNothing) {
  EXPECT_FALSE(ParseCpuTimes(""));
  EXPECT_FALSE(ParseCpuTimes("cpu0 1 2 3 4 5 6 7 8\n"));
  EXPECT_FALSE(ParseCpuTimes("cpu  1 2 3\n"));
  EXPECT_FALSE(ParseCpuTimes("cpu  1 2 x 4 5 6 7 8\n"));
}

TEST(PressureTest, TotalsAreRead) {
  const auto both = ParsePressure(
      "some avg10=1.75 avg60=1.02 avg300=0.31 total=3230493\n"
      "full avg10=0.00 avg60=0.00 avg300=0.00 total=17\n");
  EXPECT_EQ(both, (PressureTotals{microseconds(3230493), microseconds(17)}));
  const auto some = ParsePressure("some avg10=0.00 avg60=0.00 avg300=0.00 total=5\n");
  EXPECT_EQ(some, (PressureTotals{microseconds(5), microseconds(0)}));
  EXPECT_FALSE(ParsePressure("not supported"));
}

TEST(ProcessStatTest, NameMayHoldAnything) {
  const auto process = ParseProcessStat(
      "4242 (a) b (c d) S 17 4242 4242 0 -1 4194560 909 52 0 3 150 50 7 2 20 0 1 0 83412 "
      "10567680 917 18446744073709551615 1 1 0\n");
  ASSERT_TRUE(process.has_value());
  EXPECT_EQ(*process, (ProcessTicks{.pid = 4242,
                                    .parent = 17,
                                    .name = "a) b (c d",
                                    .used = CpuTicks(200),
                                    .used_by_children = CpuTicks(9),
                                    .started = 83412}));
}

TEST(ProcessStatTest, OtherTextsGiveNothing) {
  EXPECT_FALSE(ParseProcessStat(""));
  EXPECT_FALSE(ParseProcessStat(")("));
  EXPECT_FALSE(ParseProcessStat("12 (sh) S 1 2 3"));
}

TEST(FirstNumberTest, ReadsTheFrontOnly) {
  EXPECT_EQ(ParseFirstNumber("3.25 2.10 1.00 1/80 11206\n"), 3.25);
  EXPECT_EQ(ParseFirstNumber("24689 kB"), 24689);
  EXPECT_FALSE(ParseFirstNumber("max\n"));
  EXPECT_FALSE(ParseFirstNumber(" \n"));
}

TEST(FieldTest, SeparatorsOfAllKindsAreKnown) {
  const char* cpuinfo =
      "processor\t: 0\nmodel\t\t: 143\nmodel name\t: Intel(R) Xeon(R)\nempty\t:\n";
  EXPECT_EQ(FindField(cpuinfo, "model"), "143");
  EXPECT_EQ(FindField(cpuinfo, "model name"), "Intel(R) Xeon(R)");
  EXPECT_EQ(FindField(cpuinfo, "empty"), "");
  EXPECT_EQ(FindField("MemTotal:       24689 kB\n", "MemTotal"), "24689 kB");
  EXPECT_EQ(FindField("nr_periods 4\nnr_throttled 2\n", "nr_throttled"), "2");
  EXPECT_FALSE(FindField(cpuinfo, "mode"));
}

TEST(SettingTest, QuotesAreTakenOff) {
  const char* release =
      "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n";
  EXPECT_EQ(FindSetting(release, "PRETTY_NAME"), "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(FindSetting(release, "ID"), "debian");
  EXPECT_FALSE(FindSetting(release, "VERSION"));
}

TEST(CpuListTest, RangesAreCounted) {
  EXPECT_EQ(CountCpuList("0-3,8\n"), 5);
  EXPECT_EQ(CountCpuList("0"), 1);
  EXPECT_FALSE(CountCpuList(""));
  EXPECT_FALSE(CountCpuList("3-1"));
  EXPECT_FALSE(CountCpuList("all"));
}

TEST(CgroupTest, PathIsFoundInEachHierarchy) {
  const char* hybrid =
      "5:cpu,cpuacct:/jobs\n4:memory:/process_api/9e47\n1:name=systemd:/\n0::/top\n";
  EXPECT_EQ(FindCgroup(hybrid, "cpu"), "/jobs");
  EXPECT_EQ(FindCgroup(hybrid, "memory"), "/process_api/9e47");
  EXPECT_EQ(FindCgroup(hybrid, ""), "/top");
  EXPECT_FALSE(FindCgroup(hybrid, "pids"));
  EXPECT_FALSE(FindCgroup("5:cpu:/jobs\n", ""));
}

TEST(CgroupTest, QuotaIsANumberOfCpus) {
  EXPECT_EQ(ParseCpuMax("150000 100000\n"), 1.5);
  EXPECT_FALSE(ParseCpuMax("max 100000\n"));
  EXPECT_FALSE(ParseCpuMax("150000\n"));
}

TEST(CgroupTest, ThrottledTimeIsReadInBothUnits) {
  EXPECT_EQ(ParseThrottled("usage_usec 9\nthrottled_usec 1500\n"), microseconds(1500));
  EXPECT_EQ(ParseThrottled("nr_throttled 3\nthrottled_time 1500000\n"), microseconds(1500));
  EXPECT_FALSE(ParseThrottled("usage_usec 9\n"));
}

}  // namespace
}  // namespace hone
