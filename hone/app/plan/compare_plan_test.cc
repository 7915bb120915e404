// SPDX-License-Identifier: Apache-2.0
#include "hone/app/plan/compare_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"

namespace hone::app {
namespace {

using testing::HasSubstr;

class ComparePlanTest : public testing::Test {
 protected:
  // A tuner at work on this host is none of these tests' business.
  ComparePlanTest() { ::setenv("HONE_STATE", folder_->path().c_str(), 1); }

  std::string Write(const std::string& name, const std::string& text) const {
    const auto path = folder_->path() / name;
    EXPECT_TRUE(WriteFileDurably(path, text));
    return path;
  }

  // A comparison on toy.
  Result<TunePlan> Plan(const std::string& a, const std::string& b) const {
    CompareRequest request;
    request.a = a;
    request.b = b;
    request.tune.target = "toy";
    return MakeComparison(request, builtins_, {folder_->path() / "store.db", SystemClock()});
  }

  std::string FaultOf(const std::string& a, const std::string& b) const {
    const auto plan = Plan(a, b);
    EXPECT_FALSE(plan);
    return plan ? "" : plan.error().message;
  }

  const Builtins builtins_ = MakeBuiltins();
  const Result<TempDir> folder_ = TempDir::Make();
};

TEST_F(ComparePlanTest, NowIsWhatIsInForceAndAFileIsOnTop) {
  const auto plan = Plan("now", Write("b.conf", "threads = 8\n"));
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(*plan->baseline, plan->domain->Baseline());
  ASSERT_TRUE(plan->spec.comparison);
  Candidate expected = plan->domain->Baseline();
  expected.assignment["threads"] = std::int64_t{8};
  EXPECT_EQ(plan->spec.comparison->candidate, expected);
}

TEST_F(ComparePlanTest, TheTwoSidesMayBothBeFiles) {
  const auto plan = Plan(Write("a.conf", "threads = 4\n"), Write("b.conf", "threads = 8\n"));
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->baseline->assignment.at("threads"), Value(std::int64_t{4}));
}

class CompareKeysTest : public ComparePlanTest {
 protected:
  CompareKeysTest() {
    request_.a = "now";
    request_.tune.is_rehearsal = true;
    request_.tune.target = Write(
        "w.json", R"({"name": "demo", "benchmark": {"shell": "echo rate: 1"}, "metrics": [{"name":
                      "rate", "unit": "1", "direction": "higher_is_better"}],
                      "parameters": ["vm.swappiness"]})");
  }

  void SetTo(const char* hz, const Json& services) {
    request_.b = Write("b.json", Json{{"format", "hone-settings"},
                                      {"services", services},
                                      {"settings", {{{"path", "cache:hz"}, {"after", hz}}}}}
                                     .dump());
  }

  Result<TunePlan> PlanIt() const {
    return MakeComparison(request_, builtins_, {folder_->path() / "store.db", SystemClock()});
  }

  const Json declaration_{{"format", "hone-service"},
                          {"format_version", 1},
                          {"name", "cache"},
                          {"like", "redis"},
                          {"file", Write("cache.conf", "hz 20\n")}};
  CompareRequest request_;
};

TEST_F(CompareKeysTest, KeysOfServicesThatTheUserNamesAreCompared) {
  request_.tune.services = {Write("cache.json", declaration_.dump())};
  SetTo("50", Json::array({"cache"}));
  auto plan = PlanIt();
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->baseline->assignment, (Assignment{{"cache:hz", Value(std::int64_t{20})}}));
  EXPECT_EQ(plan->spec.comparison->candidate.assignment,
            (Assignment{{"cache:hz", Value(std::int64_t{50})}}));
  SetTo("20", Json::array({"cache"}));
  plan = PlanIt();
  ASSERT_FALSE(plan);
  EXPECT_THAT(plan.error().message, HasSubstr("nothing to compare"));
}

TEST_F(CompareKeysTest, ADeclarationInAFileOfSettingsIsRefused) {
  SetTo("50", Json::array({declaration_}));
  const auto plan = PlanIt();
  ASSERT_FALSE(plan);
  EXPECT_THAT(plan.error().message, HasSubstr("add --service FILE"));
}

TEST_F(ComparePlanTest, WhatIsTheSameIsNotCompared) {
  const std::string file = Write("b.conf", "threads = 8\n");
  EXPECT_THAT(FaultOf(file, file), HasSubstr("nothing to compare"));
  EXPECT_THAT(FaultOf("now", "now"), HasSubstr("nothing to compare"));
}

TEST_F(ComparePlanTest, WhatCannotBeSetIsRefusedWithFileAndName) {
  const std::string unknown = Write("b.conf", "wings = 2\n");
  EXPECT_THAT(FaultOf("now", unknown), HasSubstr(unknown + ": wings"));
  EXPECT_THAT(FaultOf("now", Write("c.conf", "threads = -3\n")), HasSubstr("threads"));
  EXPECT_THAT(FaultOf("now", Write("d.conf", "threads = many\n")), HasSubstr("threads"));
}

TEST_F(ComparePlanTest, WhatIsNeitherAFileNorARunSaysWhatItMayBe) {
  EXPECT_THAT(FaultOf("now", "elsewhere"), HasSubstr("neither now, nor a file, nor a stored run"));
}

TEST_F(ComparePlanTest, TooFewPairsAreRefused) {
  CompareRequest request;
  request.b = Write("b.conf", "threads = 8\n");
  request.pairs = 3;
  request.tune.target = "toy";
  const auto plan =
      MakeComparison(request, builtins_, {folder_->path() / "store.db", SystemClock()});
  ASSERT_FALSE(plan);
  EXPECT_THAT(plan.error().message, HasSubstr("too few"));
}

}  // namespace
}  // namespace hone::app
