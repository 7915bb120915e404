// SPDX-License-Identifier: Apache-2.0
// The presets of data/presets/: what each says is true, and each runs for real.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "hone/domains/sysctl/knowledge/knowledge.h"
#include "hone/domains/sysctl/network/network_pair.h"
#include "hone/domains/sysctl/probes/probe.h"
#include "hone/domains/sysctl/workload/workload_runner.h"
#include "hone/domains/sysctl/workload/workload_spec.h"

namespace hone::sysctl {
namespace {

class PresetTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto spec = FindPreset(GetParam());
    ASSERT_TRUE(spec) << spec.error().message;
    spec_ = std::move(*spec);
  }

  WorkloadSpec spec_;
};

std::vector<CommandSpec> CommandsOf(const WorkloadSpec& spec) {
  std::vector<CommandSpec> commands = spec.setup;
  commands.insert(commands.end(), spec.before_run.begin(), spec.before_run.end());
  commands.insert(commands.end(), spec.teardown.begin(), spec.teardown.end());
  commands.push_back(spec.benchmark);
  if (spec.service) {
    commands.push_back(spec.service->start);
    if (spec.service->ready) commands.push_back(*spec.service->ready);
    if (spec.service->stop) commands.push_back(*spec.service->stop);
  }
  return commands;
}

TEST_P(PresetTest, SaysWhatItIsAndWhatItNeeds) {
  EXPECT_EQ(spec_.name, GetParam());
  EXPECT_GT(spec_.description.size(), 100);
  EXPECT_FALSE(spec_.words.empty());
  EXPECT_EQ(spec_.programs.empty(), spec_.packages.empty());
  for (const MetricSpec& metric : spec_.metrics) {
    EXPECT_FALSE(metric.facts.unit.empty()) << metric.facts.name;
    EXPECT_FALSE(metric.facts.description.empty()) << metric.facts.name;
  }
}

TEST_P(PresetTest, TunesOnlyWhatIsKnownAndAllowedInItsPlace) {
  for (const ParameterRequest& request : spec_.parameters) {
    const ParameterFacts* facts = Knowledge::Builtin().Find(request.name);
    ASSERT_NE(facts, nullptr) << request.name;
    EXPECT_NE(facts->risk, Risk::kDenied) << request.name;
    EXPECT_TRUE(spec_.place == Place::kHost || facts->scope == Scope::kNetwork) << request.name;
  }
}

TEST_P(PresetTest, OurOwnProgramsAreAskedForWhatTheyKnow) {
  for (const CommandSpec& command : CommandsOf(spec_)) {
    const auto& arguments = command.arguments;
    if (arguments.front() != "{hone}") continue;
    ASSERT_GE(arguments.size(), 3U);
    EXPECT_EQ(arguments[1], "workload");
    const auto probe = FindProbe(arguments[2]);
    ASSERT_TRUE(probe) << probe.error().message;
    for (std::size_t i = 3; i + 1 < arguments.size(); ++i) {
      if (arguments[i] != "-o") continue;
      const std::string option = arguments[i + 1].substr(0, arguments[i + 1].find('='));
      EXPECT_EQ(std::ranges::count((*probe)->options, option, &OptionFacts::name), 1) << option;
    }
  }
}

// With the host's or the pair's values as they are: nothing is tuned.
TEST_P(PresetTest, RunsForRealAndTellsEveryMetric) {
  if (const auto here = CheckOnThisMachine(spec_); !here) GTEST_SKIP() << here.error().message;
  if (spec_.page_cache == PageCache::kCold && ::geteuid() != 0) {
    GTEST_SKIP() << "needs root to empty the page cache";
  }
  WorkloadStage stage;
  stage.variables["hone"] = HONE_PROGRAM;
  std::unique_ptr<NetworkPair> network;
  if (spec_.place == Place::kNamespace) {
    auto pair = NetworkPair::Make();
    if (!pair) GTEST_SKIP() << pair.error().message;
    network = std::move(*pair);
    stage.service_prefix = network->server_prefix();
    stage.benchmark_prefix = network->client_prefix();
    stage.variables["address"] = network->server_address();
  }
  const auto runner = WorkloadRunner::Open(spec_, stage);
  ASSERT_TRUE(runner) << runner.error().message;
  for (int run = 0; run < 2; ++run) {
    WorkloadRun order;
    order.has_sticky_change = true;
    order.limit = spec_.budget.run_timeout;
    const auto result = (*runner)->Run(order);
    ASSERT_TRUE(result) << result.error().message;
    ASSERT_EQ(result->outcome, Outcome::kAccepted) << result->reason;
    for (const MetricSpec& metric : spec_.metrics) {
      ASSERT_TRUE(result->sample.metrics.contains(metric.facts.name)) << metric.facts.name;
      EXPECT_GT(result->sample.metrics.at(metric.facts.name).value, 0) << metric.facts.name;
    }
  }
}

std::string NameOfCase(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, PresetTest, testing::ValuesIn(PresetNames()), NameOfCase);

TEST(PresetsTest, ThereIsOneForEachKindOfWork) {
  const auto names = PresetNames();
  EXPECT_THAT(names, testing::IsSupersetOf({"memory", "file-reads", "write-bursts", "tcp", "nginx",
                                            "redis", "postgres"}));
}

}  // namespace
}  // namespace hone::sysctl
