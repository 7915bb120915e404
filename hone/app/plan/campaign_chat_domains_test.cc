// SPDX-License-Identifier: Apache-2.0
// The engine llm in every domain with parameters, from the plan to the verdict, with an endpoint
// that answers well and badly. (Compute kernels are written: tests/e2e/agent_kernel_test.cc.)
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <mutex>

#include "hone/agent/chat/scripted_endpoint_for_test.h"
#include "hone/app/campaign/local_campaign.h"
#include "hone/app/stored/stored_run.h"
#include "hone/base/file.h"
#include "hone/base/http/scripted_server_for_test.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/kconfig/kconfig_domain.h"
#include "hone/domains/kconfig/kernel_lab_for_test.h"

namespace hone::app {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

struct Wish {
  const char* name;
  const char* value;
};

// What an endpoint is told of a domain, and what it should be told back.
struct DomainCase {
  const char* domain;
  std::function<TuneRequest(const std::filesystem::path& folder)> request;
  const char* described;  // Of the question: a parameter of the domain.
  Wish good;
  Wish outside;
  const char* why_outside;
  Wish forbidden;
  const char* why_forbidden;
};

TuneRequest ToyRequest(const std::filesystem::path&) {
  TuneRequest request;
  request.target = "toy";
  request.options = {{"surface", "smooth"}, {"noise", "0.01"}};
  return request;
}

// A rehearsal: the host's parameters are read, and none is touched.
TuneRequest SysctlRequest(const std::filesystem::path& folder) {
  TuneRequest request;
  request.target = folder / "workload.json";
  EXPECT_TRUE(WriteFileDurably(
      request.target,
      R"({"name": "demo", "benchmark": {"shell": "echo rate: 1"}, "metrics": [{"name": "rate",
          "unit": "1", "direction": "higher_is_better"}],
          "parameters": ["vm.vfs_cache_pressure", "vm.stat_interval"]})"));
  request.is_rehearsal = true;
  return request;
}

TuneRequest KconfigRequest(const std::filesystem::path& folder) {
  EXPECT_TRUE(MakeFolder(folder / "tree"));
  EXPECT_TRUE(WriteFileAtomically(folder / "tree" / "Kconfig", kernels::kFakeTree));
  TuneRequest request;
  request.target = "kconfig";
  request.options = {{"tree", (folder / "tree").string()},
                     {"options", "FAST,SPEED=100..900,HZ_250,DEEP"},
                     {"arch", "x86_64"}};
  return request;
}

class CampaignChatDomainsTest : public testing::TestWithParam<DomainCase> {
 protected:
  CampaignChatDomainsTest() {
    ::setenv("HONE_STATE", folder_.path().c_str(), 1);
    builtins_.domains["kconfig"] = KconfigDomainEntry(
        [](const std::string& name) -> Result<kernels::GuestWorkload> {
          return Error{Errc::kInvalidArgument, name + ": no such workload"};
        },
        [this](const std::filesystem::path& tree, std::string_view) {
          return kernels::MakeFakeLab(tree, folder_.path() / "cache");
        });
  }

  // Words first, then what must be refused, then what may be measured. (Not beside each other: what
  // is dear to measure, as a kernel is, is asked about no more.)
  Result<agent::ChatAnswer> Answer(const agent::ChatRequest& request) {
    const std::lock_guard lock(mutex_);
    questions_.push_back(request.messages.back().text);
    if (questions_.size() == 1) return agent::TextAnswer("I would try a higher value.");
    Json candidates = Json::array();
    const auto add = [&](const Wish& wish) {
      candidates.push_back(
          {{"from", -1}, {"set", {{{"name", wish.name}, {"value", wish.value}}}}, {"why", "w"}});
    };
    if (questions_.size() == 2) {
      add(GetParam().outside);
      add(GetParam().forbidden);
    } else {
      add(GetParam().good);
    }
    return agent::TextAnswer(Dump({{"candidates", candidates}}));
  }

  std::string RunCampaign(const std::string& url) {
    TuneRequest request = GetParam().request(folder_.path());
    request.engine = "llm";
    request.trials = 24;
    request.chat.urls = {url};
    auto plan = MakePlan(request, builtins_);
    EXPECT_TRUE(plan) << plan.error().message;
    plan->spec.search.min_remaining_gain = 0;  // All trials are made.
    auto store = tune::CampaignStore::Open(store_, SystemClock());
    EXPECT_TRUE(store) << store.error().message;
    const auto id = CreateCampaign(*store, *plan, store_, SystemClock());
    EXPECT_TRUE(id) << id.error().message;
    LocalSettings settings;
    settings.store = store_;
    const auto verdict = RunLocally(*id, *store, builtins_, SystemClock(), settings);
    EXPECT_TRUE(verdict) << verdict.error().message;
    return *id;
  }

  TempDir folder_ = std::move(*TempDir::Make("hone-chat-domains-test"));
  const std::filesystem::path store_ = folder_.path() / "hone.db";
  Builtins builtins_ = MakeBuiltins();
  std::mutex mutex_;
  std::vector<std::string> questions_;
};

TEST_P(CampaignChatDomainsTest, AGoodCandidateIsMeasuredAndABadOneGoesBackWithTheReason) {
  const DomainCase& domain = GetParam();
  const ScriptedServer server(
      agent::GoodEndpoint([this](const agent::ChatRequest& request) { return Answer(request); }));
  const std::string id = RunCampaign(server.url());
  ASSERT_GE(questions_.size(), 3U);
  EXPECT_THAT(questions_[0], HasSubstr(domain.described));
  EXPECT_THAT(questions_[0], Not(HasSubstr("not measured, with the reason")));
  EXPECT_THAT(questions_[1], HasSubstr("- \"I would try a higher value.\": \""));
  EXPECT_THAT(questions_[2], HasSubstr(domain.why_outside));
  EXPECT_THAT(questions_[2], HasSubstr(domain.why_forbidden));

  const auto history = LoadRun(store_, SystemClock(), id);
  ASSERT_TRUE(history) << history.error().message;
  std::vector<std::string> measured;
  for (const tune::TrialHistory& trial : tune::TrialsOf(*history)) {
    EXPECT_FALSE(trial.candidate.assignment.contains(domain.forbidden.name));
    EXPECT_TRUE(history->campaign.start.space.Validate(trial.candidate.assignment));
    const auto value = trial.candidate.assignment.find(domain.good.name);
    if (value != trial.candidate.assignment.end()) measured.push_back(ToText(value->second));
  }
  EXPECT_THAT(measured, Contains(domain.good.value));
}

const DomainCase kDomains[] = {
    {"toy",
     ToyRequest,
     "- threads: integer",
     {"threads", "37"},
     {"threads", "1000000"},
     "threads",
     {"no_such_thing", "1"},
     "no_such_thing: no such parameter"},
    {"sysctl",
     SysctlRequest,
     "- vm.vfs_cache_pressure: integer",
     {"vm.vfs_cache_pressure", "173"},
     {"vm.vfs_cache_pressure", "-7"},
     "vm.vfs_cache_pressure",
     {"kernel.panic", "1"},
     "kernel.panic: it is never tuned: It decides what happens after a crash"},
    {"kconfig",
     KconfigRequest,
     "- SPEED: integer 100 to 900",
     {"SPEED", "477"},
     {"SPEED", "901"},
     "SPEED",
     {"SECCOMP", "n"},
     "SECCOMP: it is never tuned: programs confine themselves by it"}};

INSTANTIATE_TEST_SUITE_P(Domains, CampaignChatDomainsTest, testing::ValuesIn(kDomains),
                         [](const auto& one) { return std::string(one.param.domain); });

}  // namespace
}  // namespace hone::app
