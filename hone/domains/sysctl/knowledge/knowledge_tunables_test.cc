// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/domains/sysctl/kernel/fake_kernel.h"
#include "hone/domains/sysctl/knowledge/knowledge.h"

namespace hone::sysctl {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Int = std::int64_t;

// A small machine: 16 GiB of memory, one disk, one that is not set up.
class TunablesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    kernel_.Add("/proc/meminfo", "MemTotal: 16777216 kB\nHugepagesize: 2048 kB");
    kernel_.Add("/proc/sys/kernel/osrelease", "6.1.0");
    kernel_.Add("/proc/sys/vm/swappiness", "60");
    kernel_.Add("/proc/sys/vm/dirty_ratio", "20");
    kernel_.Add("/proc/sys/vm/dirty_background_ratio", "10");
    kernel_.Add("/proc/sys/vm/dirty_bytes", "0");
    kernel_.Add("/proc/sys/vm/dirty_background_bytes", "0");
    kernel_.Add("/proc/sys/vm/overcommit_memory", "0");
    kernel_.Add("/proc/sys/vm/drop_caches", "0");
    kernel_.Add("/proc/sys/vm/min_free_kbytes", "67584");
    kernel_.Add("/proc/sys/fs/aio-max-nr", "100000");
    kernel_.Add("/proc/sys/net/core/busy_poll", "0");
    kernel_.Add("/proc/sys/net/core/rmem_max", "4194304");
    kernel_.Add("/proc/sys/net/ipv4/tcp_rmem", "8192 131072 6291456");
    kernel_.Add("/proc/sys/net/ipv4/tcp_sack", "1");
    kernel_.Add("/proc/sys/net/ipv4/tcp_fastopen", "1");
    kernel_.Add("/proc/sys/net/ipv4/tcp_congestion_control", "cubic");
    kernel_.Add("/proc/sys/net/ipv4/tcp_available_congestion_control", "reno cubic bbr");
    kernel_.Add("/proc/sys/net/ipv4/tcp_allowed_congestion_control", "reno cubic");
    kernel_.Add("/proc/sys/net/ipv4/ipfrag_low_thresh", "3145728");
    kernel_.Add("/proc/sys/net/ipv4/ipfrag_high_thresh", "4194304");
    kernel_.AddChoice("/sys/kernel/mm/transparent_hugepage/enabled", {"always", "madvise", "never"},
                      "madvise");
    kernel_.Add("/sys/module/zswap/parameters/enabled", "N");
    AddDisk("vda", "1000", "mq-deadline");
    AddDisk("loop0", "1000", "none");
    AddDisk("zram0", "0", "none");
  }

  void AddDisk(const std::string& name, const std::string& size, const std::string& scheduler) {
    const std::string folder = "/sys/block/" + name;
    kernel_.Add(folder + "/size", size);
    kernel_.Add(folder + "/queue/read_ahead_kb", "128");
    kernel_.Add(folder + "/queue/nr_requests", "256");
    kernel_.AddChoice(folder + "/queue/scheduler", {"none", "mq-deadline", "kyber"}, scheduler);
    if (scheduler == "mq-deadline") kernel_.Add(folder + "/queue/iosched/read_expire", "500");
  }

  TunableSet Find(const std::vector<ParameterRequest>& requests, Place place = Place::kHost) {
    auto set = FindTunables(kernel_, Knowledge::Builtin(), requests, place);
    EXPECT_TRUE(set) << set.error().message;
    if (!set) return {};
    std::vector<Parameter> parameters;
    for (const Tunable& tunable : set->tunables) parameters.push_back(tunable.parameter);
    const auto space = Space::Make(parameters, set->constraints);
    EXPECT_TRUE(space) << space.error().message;
    return *set;
  }

  std::string Refusal(const std::vector<ParameterRequest>& requests, Place place = Place::kHost) {
    const auto set = FindTunables(kernel_, Knowledge::Builtin(), requests, place);
    EXPECT_FALSE(set);
    return set ? "" : set.error().message;
  }

  Tunable FindOne(const ParameterRequest& request, Place place = Place::kHost) {
    const TunableSet set = Find({request}, place);
    EXPECT_THAT(set.tunables, SizeIs(1));
    return set.tunables.empty() ? Tunable{} : set.tunables.front();
  }

  IntegerRange RangeOf(const ParameterRequest& request) {
    return std::get<IntegerRange>(FindOne(request).parameter.kind);
  }

  FakeKernel kernel_;
};

ParameterRequest Asked(const std::string& name) { return {name, {}, {}, false}; }
ParameterRequest Asked(const std::string& name, Kind range) { return {name, range, {}, false}; }
ParameterRequest Unknown(const std::string& name, std::optional<Kind> range) {
  return {name, std::move(range), {}, true};
}

TEST_F(TunablesTest, ATunableHasItsRangeItsValueInForceAndItsFacts) {
  const Tunable tunable = FindOne(Asked("vm.swappiness"));
  EXPECT_EQ(tunable.parameter.name, "vm.swappiness");
  EXPECT_EQ(tunable.path, "/proc/sys/vm/swappiness");
  EXPECT_EQ(tunable.in_force, "60");
  EXPECT_EQ(tunable.parameter.default_value, Value(Int{60}));
  EXPECT_EQ(tunable.parameter.kind, Kind(IntegerRange{0, 200}));
  EXPECT_EQ(tunable.risk, Risk::kSafe);
  ASSERT_NE(tunable.facts, nullptr);
  EXPECT_EQ(tunable.parameter.description, tunable.facts->summary);
}

TEST_F(TunablesTest, PathsAndSlashesNameTheSameParameter) {
  EXPECT_EQ(FindOne(Asked("vm/swappiness")).parameter.name, "vm.swappiness");
  EXPECT_EQ(FindOne(Asked("/proc/sys/vm/swappiness")).parameter.name, "vm.swappiness");
}

TEST_F(TunablesTest, AnAliasFindsTheNameThatThisKernelHas) {
  kernel_.Add("/proc/sys/kernel/sched_min_granularity_ns", "3000000");
  EXPECT_EQ(FindOne(Asked("/sys/kernel/debug/sched/base_slice_ns")).path,
            "/proc/sys/kernel/sched_min_granularity_ns");
  kernel_.Add("/sys/kernel/debug/sched/base_slice_ns", "3000000");
  EXPECT_EQ(FindOne(Asked("kernel.sched_min_granularity_ns")).path,
            "/sys/kernel/debug/sched/base_slice_ns");
}

TEST_F(TunablesTest, ABooleanIsWrittenAsItsFileShowsIt) {
  const TunableSet set =
      Find({Asked("net.ipv4.tcp_sack"), Asked("/sys/module/zswap/parameters/enabled")});
  EXPECT_THAT(SettingsFor(set, {{"net.ipv4.tcp_sack", false},
                                {"/sys/module/zswap/parameters/enabled", true}}),
              ElementsAre(Setting{"/proc/sys/net/ipv4/tcp_sack", "0"},
                          Setting{"/sys/module/zswap/parameters/enabled", "Y"}));
}

TEST_F(TunablesTest, WhatIsInForceIsNotWritten) {
  const TunableSet set = Find({Asked("vm.swappiness"), Asked("net.ipv4.tcp_sack")});
  EXPECT_THAT(SettingsFor(set, {{"vm.swappiness", Int{60}}, {"net.ipv4.tcp_sack", false}}),
              ElementsAre(Setting{"/proc/sys/net/ipv4/tcp_sack", "0"}));
}

TEST_F(TunablesTest, SpecialValuesAndFlagsAreThere) {
  const Tunable poll = FindOne(Asked("net.core.busy_poll"));
  EXPECT_THAT(poll.parameter.specials, ElementsAre(SpecialValue{Int{0}, "off"}));
  EXPECT_EQ(std::get<IntegerRange>(poll.parameter.kind).low, 20);
  const Tunable open = FindOne(Asked("net.ipv4.tcp_fastopen"));
  EXPECT_TRUE(open.facts->is_flags);
  EXPECT_EQ(open.parameter.kind, Kind(Category{{"0", "1", "3"}}));
}

TEST_F(TunablesTest, APatternGivesOneForEachDeviceThatMakesSense) {
  AddDisk("sda", "7", "none");
  const TunableSet set = Find({Asked("/sys/block/*/queue/read_ahead_kb")});
  ASSERT_THAT(set.tunables, SizeIs(2));
  EXPECT_EQ(set.tunables[0].path, "/sys/block/sda/queue/read_ahead_kb");
  EXPECT_EQ(set.tunables[1].parameter.name, "/sys/block/vda/queue/read_ahead_kb");
  EXPECT_THAT(set.notes,
              ElementsAre("/sys/block/*/queue/read_ahead_kb: left out on loop0, zram0: not set "
                          "up, not a real device, or without this"));
  EXPECT_THAT(Find({Asked("/sys/block/v*/queue/read_ahead_kb")}).tunables, SizeIs(1));
  EXPECT_EQ(FindOne(Asked("/sys/block/loop0/queue/read_ahead_kb")).path,
            "/sys/block/loop0/queue/read_ahead_kb");
}

TEST_F(TunablesTest, ChoicesAreThoseThatTheKernelOffers) {
  EXPECT_EQ(FindOne(Asked("/sys/block/vda/queue/scheduler")).parameter.kind,
            Kind(Category{{"none", "mq-deadline", "kyber"}}));
  EXPECT_EQ(FindOne(Asked("net.ipv4.tcp_congestion_control")).parameter.kind,
            Kind(Category{{"cubic", "bbr", "reno"}}));
}

TEST_F(TunablesTest, APrivateNamespaceOffersOnlyWhatTheHostAllows) {
  EXPECT_EQ(FindOne(Asked("net.ipv4.tcp_congestion_control"), Place::kNamespace).parameter.kind,
            Kind(Category{{"cubic", "reno"}}));
}

TEST_F(TunablesTest, TheLeastSizeOfATupleStaysAsItIs) {
  const Tunable rmem = FindOne(Asked("net.ipv4.tcp_rmem"));
  const auto& tuple = std::get<OrderedTuple>(rmem.parameter.kind);
  ASSERT_THAT(tuple.parts, SizeIs(3));
  EXPECT_EQ(tuple.parts[0], (IntegerRange{8192, 8192}));
  EXPECT_EQ(tuple.parts[2].high, 64 << 20);
  const Tunable own =
      FindOne(Asked("net.ipv4.tcp_rmem", OrderedTuple{3, IntegerRange{16384, 1 << 20, 1, true}}));
  const auto& parts = std::get<OrderedTuple>(own.parameter.kind).parts;
  EXPECT_THAT(parts, ElementsAre(IntegerRange{8192, 8192}, IntegerRange{16384, 1 << 20, 1, true},
                                 IntegerRange{16384, 1 << 20, 1, true}));
}

TEST_F(TunablesTest, ALimitIsOnlyEverRaised) {
  EXPECT_EQ(RangeOf(Asked("fs.aio-max-nr")).low, 100000);
  EXPECT_EQ(RangeOf(Asked("fs.aio-max-nr", IntegerRange{1, 200000})).low, 100000);
  kernel_.Set("/proc/sys/fs/aio-max-nr", "99999999");
  const TunableSet set = Find({Asked("fs.aio-max-nr")});
  EXPECT_THAT(set.tunables, IsEmpty());
  EXPECT_THAT(set.notes, ElementsAre("fs.aio-max-nr: left out: a limit is only ever raised, and "
                                     "99999999 is in force"));
}

TEST_F(TunablesTest, RangesThatDependOnMemoryFitTheMachine) {
  EXPECT_EQ(RangeOf(Asked("vm.min_free_kbytes")).high, 16384 + (503316 - 16384) / 1024 * 1024);
}

TEST_F(TunablesTest, TheTwinThatIsNotInForceStandsAtItsSpecialValue) {
  const TunableSet set = Find({Asked("vm.dirty_bytes"), Asked("vm.dirty_background_bytes")});
  ASSERT_THAT(set.tunables, SizeIs(2));
  EXPECT_EQ(set.tunables[0].parameter.default_value, Value(Int{0}));
  EXPECT_THAT(set.tunables[0].parameter.specials,
              ElementsAre(SpecialValue{Int{0}, "vm.dirty_ratio is in force"}));
  EXPECT_THAT(set.couplings.twins,
              ElementsAre(Couplings::Twins{"/proc/sys/vm/dirty_bytes", "/proc/sys/vm/dirty_ratio"},
                          Couplings::Twins{"/proc/sys/vm/dirty_background_bytes",
                                           "/proc/sys/vm/dirty_background_ratio"}));
  EXPECT_THAT(FindOne(Asked("vm.dirty_ratio")).parameter.specials, IsEmpty());
}

TEST_F(TunablesTest, OneStaysBelowTheOther) {
  const TunableSet set = Find({Asked("vm.dirty_background_ratio"), Asked("vm.dirty_ratio")});
  ASSERT_THAT(set.constraints, SizeIs(1));
  EXPECT_EQ(ToText(set.constraints[0]), "vm.dirty_background_ratio - vm.dirty_ratio < 0");
}

TEST_F(TunablesTest, OneStaysApartFromTheOtherThatIsNotTuned) {
  EXPECT_EQ(RangeOf(Asked("vm.dirty_background_ratio")), (IntegerRange{1, 19}));
  EXPECT_EQ(RangeOf(Asked("vm.dirty_ratio")), (IntegerRange{11, 60}));
}

TEST_F(TunablesTest, ARuleThatIsBrokenAlreadyIsNotKeptAndThatIsTold) {
  kernel_.Set("/proc/sys/vm/dirty_ratio", "10");
  const TunableSet set = Find({Asked("vm.dirty_background_ratio"), Asked("vm.dirty_ratio")});
  EXPECT_THAT(set.constraints, IsEmpty());
  EXPECT_THAT(set.notes, ElementsAre("vm.dirty_background_ratio: it is not below vm.dirty_ratio "
                                     "now, so the search does not keep it there"));
}

TEST_F(TunablesTest, TheOneThatMakesRoomIsWrittenFirst) {
  const TunableSet set =
      Find({Asked("net.ipv4.ipfrag_low_thresh"), Asked("net.ipv4.ipfrag_high_thresh")});
  const std::string low = "/proc/sys/net/ipv4/ipfrag_low_thresh";
  const std::string high = "/proc/sys/net/ipv4/ipfrag_high_thresh";
  EXPECT_THAT(SettingsFor(set, {{"net.ipv4.ipfrag_low_thresh", Int{8388608}},
                                {"net.ipv4.ipfrag_high_thresh", Int{9437184}}}),
              ElementsAre(Setting{high, "9437184"}, Setting{low, "8388608"}));
  EXPECT_THAT(SettingsFor(set, {{"net.ipv4.ipfrag_low_thresh", Int{196608}},
                                {"net.ipv4.ipfrag_high_thresh", Int{262144}}}),
              ElementsAre(Setting{low, "196608"}, Setting{high, "262144"}));
}

TEST_F(TunablesTest, AChildFollowsItsParent) {
  const TunableSet set = Find(
      {Asked("/sys/block/vda/queue/iosched/read_expire"), Asked("/sys/block/vda/queue/scheduler")});
  ASSERT_THAT(set.tunables, SizeIs(2));
  EXPECT_EQ(set.tunables[0].parameter.name, "/sys/block/vda/queue/scheduler");
  ASSERT_TRUE(set.tunables[1].parameter.condition);
  EXPECT_EQ(set.tunables[1].parameter.condition->parent, "/sys/block/vda/queue/scheduler");
  EXPECT_THAT(set.couplings.effects,
              ElementsAre(Couplings::Effect{"/sys/block/vda/queue/scheduler",
                                            "/sys/block/vda/queue/nr_requests", true},
                          Couplings::Effect{"/sys/block/vda/queue/scheduler",
                                            "/sys/block/vda/queue/iosched/read_expire", true}));
}

TEST_F(TunablesTest, AChildWithoutItsParentIsOrdinary) {
  EXPECT_FALSE(FindOne(Asked("/sys/block/*/queue/iosched/read_expire")).parameter.condition);
}

TEST_F(TunablesTest, AChildThatIsNotThereYetStartsWithTheKernelsDefault) {
  AddDisk("vda", "1000", "none");
  kernel_.Remove("/sys/block/vda/queue/iosched/read_expire");
  const TunableSet set = Find(
      {Asked("/sys/block/*/queue/scheduler"), Asked("/sys/block/*/queue/iosched/read_expire")});
  ASSERT_THAT(set.tunables, SizeIs(2));
  EXPECT_EQ(set.tunables[1].path, "/sys/block/vda/queue/iosched/read_expire");
  EXPECT_EQ(set.tunables[1].parameter.default_value, Value(Int{500}));
  EXPECT_EQ(set.tunables[1].in_force, "");
  EXPECT_THAT(SettingsFor(set, {{"/sys/block/vda/queue/scheduler", std::string("mq-deadline")},
                                {"/sys/block/vda/queue/iosched/read_expire", Int{100}}}),
              ElementsAre(Setting{"/sys/block/vda/queue/scheduler", "mq-deadline"},
                          Setting{"/sys/block/vda/queue/iosched/read_expire", "100"}));
}

TEST_F(TunablesTest, AnIntegerRangeIsTakenForSwitchesAndNumerals) {
  EXPECT_EQ(FindOne(Asked("net.ipv4.tcp_sack", IntegerRange{0, 1})).parameter.kind,
            Kind(Boolean{}));
  EXPECT_EQ(FindOne(Asked("vm.overcommit_memory", IntegerRange{0, 1})).parameter.kind,
            Kind(Category{{"0", "1"}}));
}

TEST_F(TunablesTest, AnUnknownParameterIsTakenWithARangeOfOnesOwn) {
  kernel_.Add("/proc/sys/kernel/made_up", "5");
  const Tunable tunable = FindOne(Unknown("kernel.made_up", IntegerRange{1, 9}));
  EXPECT_EQ(tunable.facts, nullptr);
  EXPECT_EQ(tunable.parameter.default_value, Value(Int{5}));
}

TEST_F(TunablesTest, WhatWorksOnlyForNewSocketsIsMarked) {
  EXPECT_EQ(FindOne(Asked("net.ipv4.tcp_rmem")).risk, Risk::kSticky);
}

// Every refusal, whole.
TEST_F(TunablesTest, ADeniedParameterIsRefused) {
  const std::string why =
      "vm.drop_caches: it is never tuned. It is an action, not a setting: writing it throws the "
      "page cache away.";
  EXPECT_EQ(Refusal({Asked("vm.drop_caches")}), why);
  EXPECT_EQ(Refusal({Unknown("vm.drop_caches", IntegerRange{1, 3})}), why);
}

TEST_F(TunablesTest, AnUnknownParameterIsRefused) {
  EXPECT_EQ(Refusal({Asked("vm.swapiness")}),
            "vm.swapiness: not a known parameter; did you mean vm.swappiness? hone sysctl list "
            "shows the known ones, and --allow-unknown takes another with a range of your own");
  EXPECT_EQ(Refusal({Asked("qqq.qqqqqqqqqqqq")}),
            "qqq.qqqqqqqqqqqq: not a known parameter; hone sysctl list shows the known ones, and "
            "--allow-unknown takes another with a range of your own");
  EXPECT_EQ(Refusal({Unknown("kernel.made_up", std::nullopt)}),
            "kernel.made_up: nothing is known of it, so its range must be given");
  EXPECT_EQ(Refusal({Unknown("kernel.made_up", IntegerRange{1, 2})}),
            "kernel.made_up: this kernel does not have it");
  EXPECT_EQ(Refusal({Unknown("/etc/passwd", Boolean{})}),
            "/etc/passwd: a parameter is a plain path below /proc/sys or /sys");
  EXPECT_EQ(Refusal({Unknown("/proc/sys/vm/../vm/drop_caches", Boolean{})}),
            "/proc/sys/vm/../vm/drop_caches: a parameter is a plain path below /proc/sys or /sys, "
            "and has one spelling; write it without empty parts, . and ..");
  EXPECT_EQ(Refusal({Unknown("kernel.made*", Boolean{})}),
            "kernel.made*: a pattern is only for parameters that are known; name each device");
}

TEST_F(TunablesTest, AParameterThatThisKernelLacksIsRefused) {
  EXPECT_EQ(Refusal({Asked("vm.defrag_mode")}),
            "vm.defrag_mode: this kernel (6.1.0) does not have it; it is there since Linux 6.15");
  EXPECT_EQ(Refusal({Asked("kernel.sched_latency_ns")}),
            "kernel.sched_latency_ns: this kernel (6.1.0) does not have it; it was there until "
            "Linux 6.5");
  EXPECT_EQ(Refusal({Asked("vm.zone_reclaim_mode")}),
            "vm.zone_reclaim_mode: this kernel (6.1.0) does not have it; the feature or module "
            "behind it is not there");
  EXPECT_EQ(Refusal({Asked("/sys/class/net/*/tx_queue_len")}),
            "/sys/class/net/*/tx_queue_len: this kernel (6.1.0) does not have it; no device here "
            "has it");
  EXPECT_EQ(Refusal({Asked("/sys/block/*/queue/iosched/read_lat_nsec")}),
            "/sys/block/*/queue/iosched/read_lat_nsec: it is there only while "
            "/sys/block/*/queue/scheduler is kyber; ask for that one too");
}

TEST_F(TunablesTest, WhatCannotBeWrittenIsRefused) {
  kernel_.MakeReadOnly("/proc/sys/vm/swappiness");
  EXPECT_EQ(Refusal({Asked("vm.swappiness")}),
            "vm.swappiness: it cannot be written here; run hone as root");
  kernel_.MakeReadOnly("/proc/sys/net/ipv4/tcp_sack");
  EXPECT_EQ(Refusal({Asked("net.ipv4.tcp_sack")}, Place::kNamespace),
            "net.ipv4.tcp_sack: it cannot be written in this network namespace");
}

TEST_F(TunablesTest, WhatIsNotOfThisPlaceIsRefused) {
  EXPECT_EQ(Refusal({Asked("vm.swappiness")}, Place::kNamespace),
            "vm.swappiness: it belongs to the whole machine, not to a private network namespace; "
            "tune the host, or leave it out");
  EXPECT_EQ(Refusal({Asked("net.core.rmem_max")}, Place::kNamespace),
            "net.core.rmem_max: a private network namespace sees it but cannot change it; tune the "
            "host, or leave it out");
  EXPECT_EQ(Refusal({Unknown("kernel.made_up", IntegerRange{1, 2})}, Place::kNamespace),
            "kernel.made_up: it belongs to the whole machine, not to a private network namespace; "
            "tune the host, or leave it out");
}

TEST_F(TunablesTest, AskingTwiceIsRefused) {
  EXPECT_EQ(Refusal({Asked("vm.swappiness"), Asked("vm.swappiness")}),
            "vm.swappiness: it is asked for twice");
  EXPECT_EQ(Refusal({Asked("vm.swappiness"), Asked("vm/swappiness")}),
            "vm.swappiness: it is asked for twice (as vm.swappiness and as vm/swappiness)");
}

TEST_F(TunablesTest, BothOfAPairOfTwinsAreRefused) {
  EXPECT_EQ(Refusal({Asked("vm.dirty_ratio"), Asked("vm.dirty_bytes")}),
            "vm.dirty_ratio and vm.dirty_bytes: setting one switches the other off; ask for one of "
            "them");
}

TEST_F(TunablesTest, AWrongRangeIsRefused) {
  EXPECT_EQ(Refusal({Asked("vm.swappiness", IntegerRange{50, 10})}),
            "vm.swappiness: the range is empty: 50 is above 10");
  EXPECT_EQ(Refusal({Asked("vm.swappiness", IntegerRange{0, 100, 0})}),
            "vm.swappiness: the step 0 is not above 0");
  EXPECT_EQ(Refusal({Asked("vm.swappiness", IntegerRange{0, 400})}),
            "vm.swappiness: the range 0 to 400 leaves what is allowed, which is 0 to 200");
  EXPECT_EQ(Refusal({Asked("vm.dirty_bytes", IntegerRange{4096, 1 << 30})}),
            "vm.dirty_bytes: the range 4096 to 1073741824 leaves what is allowed, which is 8192 "
            "and more");
  EXPECT_EQ(Refusal({Asked("vm.min_free_kbytes", IntegerRange{65536, 4 << 20})}),
            "vm.min_free_kbytes: the range 65536 to 4194304 leaves what is allowed, which is 1024 "
            "to 838860");
  EXPECT_EQ(Refusal({Asked("net.ipv4.tcp_rmem", OrderedTuple{3, IntegerRange{0, 9999}})}),
            "net.ipv4.tcp_rmem: the range 0 to 9999 leaves what is allowed, which is 1 to "
            "2147483647");
}

TEST_F(TunablesTest, ARangeOfAnotherKindIsRefused) {
  EXPECT_EQ(Refusal({Asked("vm.swappiness", Boolean{})}),
            "vm.swappiness: a range for on or off is given, but it is an integer");
  EXPECT_EQ(Refusal({Asked("net.ipv4.tcp_rmem", IntegerRange{1, 2})}),
            "net.ipv4.tcp_rmem: a range for an integer is given, but it is several integers");
  EXPECT_EQ(Refusal({Asked("/sys/kernel/mm/transparent_hugepage/enabled", IntegerRange{0, 2})}),
            "/sys/kernel/mm/transparent_hugepage/enabled: a range for an integer is given, but it "
            "is a choice");
  EXPECT_EQ(Refusal({Asked("vm.swappiness", RealRange{0, 1})}),
            "vm.swappiness: a range for a number is given, but it is an integer");
}

TEST_F(TunablesTest, AChoiceThatIsNotOfferedIsRefused) {
  EXPECT_EQ(Refusal({Asked("net.ipv4.tcp_congestion_control", Category{{"cubic", "vegas"}})}),
            "net.ipv4.tcp_congestion_control: vegas is not offered by this kernel, which has reno, "
            "cubic, bbr");
}

TEST_F(TunablesTest, ASpecialValueThatItCannotTakeIsRefused) {
  ParameterRequest request = Asked("vm.swappiness");
  request.specials = {{Int{-1}, "automatic"}};
  EXPECT_EQ(Refusal({request}), "vm.swappiness: -1 is not a value that it can take");
}

TEST_F(TunablesTest, AValueInForceThatDoesNotReadIsRefused) {
  kernel_.Set("/proc/sys/vm/swappiness", "many");
  EXPECT_EQ(Refusal({Asked("vm.swappiness")}),
            "vm.swappiness: what is in force, \"many\" does not read as an integer");
}

TEST_F(TunablesTest, OneValueOnlyIsLeftOutAndThatIsTold) {
  kernel_.AddChoice("/sys/block/vda/queue/scheduler", {"none"}, "none");
  const TunableSet set = Find({Asked("/sys/block/vda/queue/scheduler")});
  EXPECT_THAT(set.tunables, IsEmpty());
  EXPECT_THAT(set.notes, ElementsAre("/sys/block/vda/queue/scheduler: left out: there is only one "
                                     "value to try here"));
}

// The real machine's sysfs shows a file at several paths.
TEST(TunablesOnThisMachineTest, AnotherPathToADeniedFileIsNoWayAround) {
  const auto files = MakeHostFiles();
  const auto disks = files->Match("/sys/devices/virtual/block/*/queue/write_cache");
  if (!disks || disks->empty()) GTEST_SKIP() << "no virtual block device here";
  const auto set = FindTunables(*files, Knowledge::Builtin(),
                                {Unknown(disks->front(), Category{{"write back"}})}, Place::kHost);
  ASSERT_FALSE(set);
  EXPECT_THAT(set.error().message, ::testing::HasSubstr("under another name; use that"));
}

}  // namespace
}  // namespace hone::sysctl
