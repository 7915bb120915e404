// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/knowledge/knowledge.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>

#include "hone/core/coordinate.h"
#include "hone/domains/sysctl/knowledge/parameter_texts.h"
#include "hone/domains/sysctl/knowledge/path_pattern.h"
#include "hone/domains/sysctl/knowledge/tunable_range.h"
#include "hone/domains/sysctl/knowledge/wanted.h"

namespace hone::sysctl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t kMinEntries = 80;
const MachineSizes kUsualMachine{std::int64_t{16} << 30, 2 << 20, 4096, {}};

// Read here first, so that a fault in data/parameters/ is told by name.
const Knowledge& Known() {
  static const Knowledge known = [] {
    auto read = Knowledge::Read(ParameterTexts());
    EXPECT_TRUE(read) << read.error().message;
    return read ? *read : Knowledge();
  }();
  return known;
}

const ParameterFacts& Facts(const std::string& name) {
  const ParameterFacts* facts = Known().Find(name);
  EXPECT_NE(facts, nullptr) << name;
  static const ParameterFacts nothing;
  return facts == nullptr ? nothing : *facts;
}

std::vector<IntegerRange> RangesIn(const Kind& kind) {
  if (const auto* range = std::get_if<IntegerRange>(&kind)) return {*range};
  if (const auto* tuple = std::get_if<OrderedTuple>(&kind)) return tuple->parts;
  return {};
}

std::vector<std::int64_t> IntegersIn(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return {*integer};
  if (const auto* parts = std::get_if<std::vector<std::int64_t>>(&value)) return *parts;
  return {};
}

bool IsWithin(const HardRange& hard, std::int64_t value) {
  return !(hard.low && value < *hard.low) && !(hard.high && value > *hard.high);
}

bool IsSentence(const std::string& text) {
  return text.size() > 10 && text.ends_with('.') && text.find("  ") == std::string::npos;
}

TEST(KnowledgeTest, ThereAreManyParameters) {
  const auto& all = Known().all();
  EXPECT_GE(std::count_if(all.begin(), all.end(),
                          [](const auto& facts) { return facts.risk != Risk::kDenied; }),
            kMinEntries);
}

TEST(KnowledgeTest, EveryEntryIsWellFormed) {
  const std::regex version("[0-9]+\\.[0-9]+");
  const std::regex name("(/[A-Za-z0-9_.*+-]+)+|[a-z0-9]+([.][A-Za-z0-9_*-]+)+");
  for (const ParameterFacts& facts : Known().all()) {
    SCOPED_TRACE(facts.name);
    EXPECT_TRUE(std::regex_match(facts.name, name));
    for (const std::string& alias : facts.aliases) EXPECT_TRUE(std::regex_match(alias, name));
    EXPECT_TRUE(facts.since.empty() || std::regex_match(facts.since, version)) << facts.since;
    EXPECT_TRUE(facts.until.empty() || std::regex_match(facts.until, version)) << facts.until;
    EXPECT_TRUE(IsSentence(facts.summary)) << facts.summary;
    EXPECT_TRUE(facts.caution.empty() || IsSentence(facts.caution)) << facts.caution;
    EXPECT_TRUE(facts.scope != Scope::kDevice || IsPattern(facts.name));
    EXPECT_TRUE(!facts.condition || !facts.condition->values.empty());
  }
}

TEST(KnowledgeTest, DeniedOnesSayWhyAndHaveNoRange) {
  for (const ParameterFacts& facts : Known().all()) {
    SCOPED_TRACE(facts.name);
    const auto* category = std::get_if<Category>(&facts.search);
    const bool has_no_range = category != nullptr && category->choices.empty();
    EXPECT_EQ(facts.risk == Risk::kDenied, has_no_range);
    EXPECT_TRUE(!facts.is_action || facts.risk == Risk::kDenied);
    if (facts.risk == Risk::kDenied) {
      EXPECT_FALSE(facts.caution.empty());
    } else {
      EXPECT_FALSE(facts.matters_for.empty());
    }
  }
}

TEST(KnowledgeTest, EveryRangeLiesInsideItsHardRange) {
  for (const ParameterFacts& facts : Known().all()) {
    if (facts.risk == Risk::kDenied) continue;
    SCOPED_TRACE(facts.name);
    const Kind kind = SearchRangeOn(facts, kUsualMachine);
    const HardRange hard = HardRangeOn(facts, kUsualMachine);
    EXPECT_EQ(FaultOf(kind), "");
    for (const IntegerRange& range : RangesIn(kind)) {
      EXPECT_TRUE(IsWithin(hard, range.low)) << range.low;
      EXPECT_TRUE(IsWithin(hard, range.high)) << range.high;
    }
    for (const SpecialValue& special : facts.specials) {
      EXPECT_FALSE(special.meaning.empty());
      EXPECT_TRUE(std::holds_alternative<IntegerRange>(kind));
    }
  }
}

TEST(KnowledgeTest, EveryDefaultReadsAndLiesInsideTheHardRange) {
  for (const ParameterFacts& facts : Known().all()) {
    if (facts.kernel_default.empty()) continue;
    SCOPED_TRACE(facts.name);
    const auto value = ValueOf(facts.search, facts.kernel_default, facts.specials);
    ASSERT_TRUE(value) << value.error().message;
    if (!facts.twin.empty() && facts.kernel_default == "0") continue;  // Its twin is in force.
    for (const std::int64_t number : IntegersIn(*value)) {
      EXPECT_TRUE(IsWithin(HardRangeOn(facts, kUsualMachine), number)) << number;
    }
    if (const auto* category = std::get_if<Category>(&facts.search)) {
      EXPECT_THAT(category->choices, ::testing::Contains(facts.kernel_default));
    }
  }
}

// What a person may write after --for, and what the rules for sentences use.
TEST(KnowledgeTest, WorkloadWordsComeFromOneList) {
  const std::set<std::string> words{"memory", "hugepages",   "swap",       "reads",      "writes",
                                    "fsync",  "metadata",    "cache",      "database",   "keyvalue",
                                    "web",    "network",     "latency",    "throughput", "udp",
                                    "cpu",    "connections", "containers", "desktop",    "limits",
                                    "numa",   "power"};
  for (const ParameterFacts& facts : Known().all()) {
    for (const std::string& word : facts.matters_for) {
      EXPECT_TRUE(words.contains(word)) << facts.name << " matters for " << word;
    }
  }
}

// Each entry that exists here against its real value.
TEST(KnowledgeTest, WhatThisMachineHasIsAsDescribed) {
  const auto files = MakeHostFiles();
  const MachineSizes sizes = ReadSizes(*files);
  std::size_t seen = 0;
  for (const ParameterFacts& facts : Known().all()) {
    if (facts.risk == Risk::kDenied) continue;
    for (const std::string& path : FindPaths(*files, facts, facts.name).paths) {
      SCOPED_TRACE(path);
      const auto text = files->Read(path);
      if (!text && text.error().code == Errc::kUnsupported) continue;  // Not for this user.
      ASSERT_TRUE(text) << text.error().message;
      const auto value = ValueOf(facts.search, *text, facts.specials);
      ASSERT_TRUE(value) << value.error().message;
      ++seen;
      const bool is_special =
          std::any_of(facts.specials.begin(), facts.specials.end(),
                      [&](const SpecialValue& special) { return special.value == *value; });
      if (is_special || (!facts.twin.empty() && *text == "0")) continue;
      for (const std::int64_t number : IntegersIn(*value)) {
        EXPECT_TRUE(IsWithin(HardRangeOn(facts, sizes), number)) << *text;
      }
    }
  }
  EXPECT_GE(seen, kMinEntries) << "too few parameters could be read on this machine";
}

TEST(KnowledgeTest, ChoicesThatThisMachineOffersAreKnown) {
  const auto files = MakeHostFiles();
  for (const ParameterFacts& facts : Known().all()) {
    const auto* category = std::get_if<Category>(&facts.search);
    if (facts.risk == Risk::kDenied || category == nullptr) continue;
    for (const std::string& path : FindPaths(*files, facts, facts.name).paths) {
      SCOPED_TRACE(path);
      const auto offered = OfferedChoices(*files, &facts, path, Place::kHost);
      if (offered.empty()) continue;
      EXPECT_TRUE(std::any_of(offered.begin(), offered.end(), [&](const std::string& choice) {
        return std::find(category->choices.begin(), category->choices.end(), choice) !=
               category->choices.end();
      })) << "none of the choices offered here is known";
    }
  }
}

TEST(KnowledgeTest, FindsByNameAliasPathAndPattern) {
  EXPECT_EQ(Facts("vm.swappiness").name, "vm.swappiness");
  EXPECT_EQ(Facts("/proc/sys/vm/swappiness").name, "vm.swappiness");
  EXPECT_EQ(Facts("vm/swappiness").name, "vm.swappiness");
  EXPECT_EQ(Facts("kernel.sched_min_granularity_ns").name, "/sys/kernel/debug/sched/base_slice_ns");
  EXPECT_EQ(Facts("/sys/block/nvme0n1/queue/read_ahead_kb").name,
            "/sys/block/*/queue/read_ahead_kb");
  EXPECT_EQ(Facts("net.ipv4.conf.eth0.rp_filter").risk, Risk::kDenied);
  EXPECT_EQ(Facts("kernel.softlockup_panic").risk, Risk::kDenied);
  EXPECT_EQ(Known().Find("vm.swapiness"), nullptr);
}

TEST(KnowledgeTest, TheVeryNameGoesBeforeAPattern) {
  EXPECT_EQ(Facts("net.netfilter.nf_conntrack_tcp_timeout_time_wait").risk, Risk::kSafe);
  EXPECT_EQ(Facts("net.netfilter.nf_conntrack_tcp_loose").risk, Risk::kDenied);
}

TEST(KnowledgeTest, NamesLikeAWrongOneAreOffered) {
  EXPECT_EQ(Known().Like("vm.swapiness").front(), "vm.swappiness");
  EXPECT_EQ(Known().Like("swappiness").front(), "vm.swappiness");
  EXPECT_EQ(Known().Like("tcp_rmem").front(), "net.ipv4.tcp_rmem");
  EXPECT_THAT(Known().Like("scheduler"), ElementsAre("/sys/block/*/queue/scheduler"));
  EXPECT_THAT(Known().Like("zzzzzzzzzzzzzzzzzzzzz"), IsEmpty());
}

std::string FaultOfDocument(const std::string& entries) {
  const auto read =
      Knowledge::Read({{"some.json", fmt::format(R"({{"format":"hone-parameters","format_version":1,
                                     "parameters":[{}]}})",
                                                 entries)}});
  return read ? "" : read.error().message;
}

std::string Entry(const std::string& name, const std::string& more = "") {
  return fmt::format(R"({{"name":"{}","kind":{{"type":"boolean"}},"risk":"safe","scope":"host",
                        "matters_for":["cpu"],"summary":"It is."{}}})",
                     name, more);
}

TEST(KnowledgeTest, AFaultyDocumentIsRefusedWithItsPlace) {
  EXPECT_EQ(FaultOfDocument(Entry("a.b")), "");
  EXPECT_EQ(FaultOfDocument(Entry("a.b") + "," + Entry("a.b")), "a.b: it is there twice");
  EXPECT_EQ(FaultOfDocument(Entry("a.b") + "," + Entry("c.d", R"(,"aliases":["a.b"])")),
            "a.b: it is there twice");
  EXPECT_EQ(FaultOfDocument(Entry("a.b", R"(,"twin":"c.d")")), "a.b: its twin c.d is not known");
  EXPECT_EQ(FaultOfDocument(Entry("a.b", R"(,"twin":"c.d")") + "," + Entry("c.d")),
            "a.b: its twin c.d does not name it as its twin");
  EXPECT_EQ(FaultOfDocument(Entry("a.b", R"(,"below":["c.d"])")),
            "a.b: it must stay below c.d, which is not known");
  EXPECT_EQ(FaultOfDocument(Entry("a.b", R"(,"condition":{"parent":"c.d","values":["x"]})")),
            "a.b: its condition names c.d, which is not known");
  EXPECT_EQ(FaultOfDocument(Entry("a.b", R"(,"colour":"red")")),
            "some.json: /parameters/0: the member \"colour\" is not known here");
  EXPECT_EQ(FaultOfDocument(R"({"name":"a.b","kind":{"type":"blob"}})"),
            "some.json: /parameters/0/kind/type: expected integer, real, boolean, category, flags, "
            "cpus, tuple, text or action, found \"blob\"");
  EXPECT_EQ(FaultOfDocument(R"({"name":"a.b","kind":{"type":"boolean"},"risk":"wild"})"),
            "some.json: /parameters/0/risk: expected one of safe, capacity, sticky, disruptive, "
            "link_reset, reservation, denied, found \"wild\"");
  EXPECT_EQ(
      FaultOfDocument(R"({"name":"a.b","kind":{"type":"integer","low":1,"high":{"ram_share":2}}})"),
      "some.json: /parameters/0/kind/high/ram_share: expected a share above 0 and at most 1");
  EXPECT_THAT(Knowledge::Read({{"x.json", "{"}}).error().message, HasSubstr("x.json: line 1"));
}

TEST(KnowledgeTest, RangesThatDependOnMemoryAreResolved) {
  const auto* range = std::get_if<IntegerRange>(&Facts("vm.dirty_bytes").search);
  ASSERT_NE(range, nullptr);
  const auto on = [](std::int64_t gibibytes) {
    const MachineSizes sizes{gibibytes << 30, 2 << 20, 4096, {}};
    return std::get<IntegerRange>(SearchRangeOn(Facts("vm.dirty_bytes"), sizes));
  };
  EXPECT_EQ(on(10).high, 1 << 30);
  EXPECT_EQ(on(10).low, 16 << 20);
  const MachineSizes ten{std::int64_t{10} << 30, 2 << 20, 4096, {}};
  EXPECT_EQ(*HardRangeOn(Facts("vm.min_free_kbytes"), ten).high, (10 << 20) / 20);  // 5 % in KiB.
  EXPECT_EQ(std::get<IntegerRange>(SearchRangeOn(Facts("vm.nr_hugepages"), ten)).high, 2560);
}

}  // namespace
}  // namespace hone::sysctl
