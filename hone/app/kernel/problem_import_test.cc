// SPDX-License-Identifier: Apache-2.0
#include "hone/app/kernel/problem_import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/compute/problem/imported_problem.h"

namespace hone::app {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Json Settled(const std::string& outcome, const std::string& reason = "", bool is_doubtful = false) {
  Json evidence = Json::array();
  if (is_doubtful) evidence.push_back({{"what", "problem"}, {"text", "accepts the constant 0"}});
  return {{"evaluation", {{"outcome", outcome}, {"reason", reason}, {"evidence", evidence}}}};
}

class ProblemImportTest : public testing::Test {
 protected:
  ProblemImportTest() {
    order_.checkout = temporary_->path() / "checkout";
    order_.into = temporary_->path() / "problems";
    tools_.torch = "torch 1";
    tools_.judge = [this](const Task& task, const std::stop_token&) -> Result<Json> {
      judged_.push_back(task);
      return judge_(task);
    };
  }

  void Put(const std::string& name, const std::string& text = "class Model: pass\n") const {
    const fs::path file = order_.checkout / "KernelBench" / name;
    ASSERT_TRUE(MakeFolder(file.parent_path()));
    ASSERT_TRUE(WriteFileAtomically(file, text));
  }

  ImportReport Imported() {
    auto report = ImportProblems(order_, tools_);
    EXPECT_TRUE(report) << report.error().message;
    return report ? *std::move(report) : ImportReport{};
  }

  std::string Complaint() const {
    const auto report = ImportProblems(order_, tools_);
    return report ? "" : report.error().message;
  }

  const Result<TempDir> temporary_ = TempDir::Make();
  ImportOrder order_;
  ImportTools tools_;
  std::vector<Task> judged_;
  std::function<Result<Json>(const Task&)> judge_ = [](const Task&) { return Settled("accepted"); };
};

TEST_F(ProblemImportTest, SoundProblemIsJudgedOnceForCorrectnessOnly) {
  Put("level1/1_Relu.py");
  const ImportReport report = Imported();
  ASSERT_EQ(report.problems.size(), 1U);
  EXPECT_EQ(report.problems[0].state, ImportState::kNew);
  EXPECT_EQ(TextOf(*report.problems[0].screening), "sound");
  ASSERT_EQ(judged_.size(), 1U);
  EXPECT_EQ(judged_[0].options.at("samples"), "0");
  EXPECT_THAT(judged_[0].options.at("problem_text"), HasSubstr("class Model"));
  EXPECT_EQ(judged_[0].run_timeout, order_.timeout);
}

TEST_F(ProblemImportTest, WhatIsKnownIsNotScreenedAgain) {
  Put("level1/1_Relu.py");
  Imported();
  const ImportReport again = Imported();
  EXPECT_EQ(judged_.size(), 1U);
  EXPECT_EQ(again.problems[0].state, ImportState::kUnchanged);
  EXPECT_TRUE(again.problems[0].screening->is_sound());
  tools_.torch = "torch 2";
  Imported();
  EXPECT_EQ(judged_.size(), 2U) << "another PyTorch may say something else";
  Put("level1/1_Relu.py", "class Model: x = 1\n");
  EXPECT_EQ(Imported().problems[0].state, ImportState::kUpdated);
  EXPECT_EQ(judged_.size(), 3U) << "another source is another problem";
}

TEST_F(ProblemImportTest, DoubtfulProblemIsMarkedWithTheCandidatesThatWereAccepted) {
  Put("level1/1_Zero.py");
  judge_ = [](const Task& task) {
    const std::string& source = task.candidate.source;
    if (source.find("class ModelNew") == std::string::npos) return Settled("accepted", "", true);
    return Settled(source.find("zeros_like") != std::string::npos ? "accepted" : "wrong");
  };
  const ImportReport report = Imported();
  EXPECT_THAT(report.problems[0].screening->accepts, ElementsAre("zeros"));
  EXPECT_EQ(judged_.size(), 9U) << "the reference and eight answers";
  const auto kept = FindScreening(order_.into / "level1/1_Zero");
  ASSERT_TRUE(kept);
  EXPECT_EQ(TextOf(*kept), "accepts zeros");
}

TEST_F(ProblemImportTest, RemarkThatNoCandidateConfirmsIsNotCalledSound) {
  Put("level1/1_Odd.py");
  judge_ = [](const Task& task) {
    const bool is_itself = task.candidate.source.find("class ModelNew") == std::string::npos;
    return is_itself ? Settled("accepted", "", true) : Settled("wrong");
  };
  const Screening screening = *Imported().problems[0].screening;
  EXPECT_EQ(screening.not_screened, kDoubted);
  EXPECT_EQ(screening.detail, "accepts the constant 0");
}

TEST_F(ProblemImportTest, RemarkThatNoCandidateHadTimeForIsNotCalledSound) {
  Put("level1/1_Slow.py");
  judge_ = [](const Task& task) {
    const bool is_itself = task.candidate.source.find("class ModelNew") == std::string::npos;
    return is_itself ? Settled("accepted", "", true) : Settled("timed_out", "not finished");
  };
  EXPECT_EQ(Imported().problems[0].screening->not_screened, kTimeLimit);
}

TEST_F(ProblemImportTest, WhatRanOutOfTimeIsTriedAgainOnlyWithMore) {
  Put("level1/1_Slow.py");
  judge_ = [](const Task&) { return Settled("timed_out", "not finished after 60000 ms"); };
  EXPECT_EQ(Imported().problems[0].screening->not_screened, kTimeLimit);
  Imported();
  EXPECT_EQ(judged_.size(), 1U);
  order_.timeout *= 2;
  Imported();
  EXPECT_EQ(judged_.size(), 2U);
}

TEST_F(ProblemImportTest, StopLeavesTheRestForTheNextTime) {
  for (const char* name : {"level1/1_A.py", "level1/2_B.py", "level1/3_C.py"}) Put(name);
  std::stop_source source;
  tools_.stop = source.get_token();
  judge_ = [&](const Task&) -> Result<Json> {
    if (judged_.size() < 2) return Settled("accepted");
    source.request_stop();
    return Error{Errc::kUnavailable, "stopped before the verdict"};
  };
  const ImportReport report = Imported();
  EXPECT_TRUE(report.is_stopped);
  EXPECT_EQ(report.problems.size(), 3U) << "all were imported before";
  EXPECT_FALSE(report.problems[1].screening);
  tools_.stop = {};
  judge_ = [](const Task&) { return Settled("accepted"); };
  judged_.clear();
  EXPECT_FALSE(Imported().is_stopped);
  EXPECT_EQ(judged_.size(), 2U);
}

TEST_F(ProblemImportTest, FileThatCannotBeReadFailsAlone) {
  Put("level1/1_Relu.py");
  Put("level1/2_Empty.py", "");
  fs::create_symlink("/etc/hostname", order_.checkout / "KernelBench/level1/3_Link.py");
  const ImportReport report = Imported();
  ASSERT_EQ(report.problems.size(), 3U);
  EXPECT_EQ(report.problems[0].state, ImportState::kNew);
  EXPECT_EQ(report.problems[1].state, ImportState::kFailed);
  EXPECT_THAT(report.problems[2].error, HasSubstr("links are not followed"));
  EXPECT_THAT(compute::ImportedNames(order_.into), ElementsAre("level1/1_Relu"));
}

TEST_F(ProblemImportTest, LevelsAndPatternsChoose) {
  Put("level1/1_Relu.py");
  Put("level2/1_Gemm_Relu.py");
  Put("level2/2_Conv.py");
  order_.wants_screening = false;
  order_.levels = {2};
  EXPECT_EQ(Imported().problems.size(), 2U);
  order_.only = "*Relu";
  EXPECT_EQ(Imported().problems.size(), 1U);
  order_.levels = {};
  order_.only = "Relu";
  EXPECT_EQ(Imported().problems.size(), 2U);
  EXPECT_THAT(judged_, IsEmpty());
  order_.only = "Softmax";
  EXPECT_THAT(Complaint(), HasSubstr("none of its 3 problems"));
  order_.levels = {4};
  EXPECT_THAT(Complaint(), HasSubstr("need the weights of models"));
  order_.levels = {7};
  EXPECT_THAT(Complaint(), HasSubstr("there is none"));
}

TEST_F(ProblemImportTest, WithoutTorchAllIsImportedAndTheReasonSaid) {
  Put("level1/1_Relu.py");
  tools_.no_torch = "torch: not installed";
  const ImportReport report = Imported();
  EXPECT_EQ(report.problems[0].state, ImportState::kNew);
  EXPECT_EQ(report.no_screening, "torch: not installed");
  EXPECT_THAT(judged_, IsEmpty());
}

TEST_F(ProblemImportTest, SecondWriterIsRefused) {
  Put("level1/1_Relu.py");
  ASSERT_TRUE(MakeFolder(order_.into));
  const auto lock = FileLock::Take(order_.into / ".lock");
  ASSERT_TRUE(lock);
  EXPECT_NE(Complaint(), "");
}

TEST_F(ProblemImportTest, ImportedNameIsAPlace) {
  Put("level1/1_Relu.py");
  order_.wants_screening = false;
  Imported();
  const fs::path store = temporary_->path() / "hone.db";
  EXPECT_EQ(PlaceOfProblem(store, "level1/1_Relu"), (order_.into / "level1/1_Relu").string());
  EXPECT_EQ(PlaceOfProblem(store, "saxpy"), "saxpy");
  EXPECT_EQ(PlaceOfProblem(store, "level1/../level1/1_Relu"), "level1/../level1/1_Relu");
}

TEST(ProblemScreeningTest, ReasonsAreCountedByWhatTheJudgeSaid) {
  const std::map<std::string, std::vector<std::pair<std::string, std::string>>> cases{
      {kTooLargeHere,
       {{"rejected", "problem x: its reference used more memory than it may in call 2"},
        {"rejected",
         "problem x: its reference makes no inputs: RuntimeError: can't allocate memory"},
        {"rejected", "threw: MemoryError: output 0 needs 9 bytes; 8 are left for outputs"},
        {"dropped", "the judge ran out of memory: it may use 64 MiB"}}},
      {kNeedsCuda, {{"rejected", "AssertionError: Torch not compiled with CUDA enabled"}}},
      {kTimeLimit,
       {{"timed_out", "not finished after 1000 ms"},
        {"rejected", "problem x: its reference had not returned from call 1 in time"}}},
      {kNotItself, {{"wrong", "out[0]: expected 1, found 2"}}},
      {kRaises, {{"rejected", "NameError: name 'x' is not defined"}}},
      {kNotJudged, {{"dropped", "no worker"}}}};
  for (const auto& [expected, said] : cases) {
    for (const auto& [outcome, reason] : said) {
      EXPECT_EQ(ReasonFor(outcome, reason), expected) << outcome << ": " << reason;
    }
  }
}

TEST(ProblemScreeningTest, RecordReadsBackAndAnotherIsNone) {
  Screening screening;
  screening.accepts = {"zeros", "ones"};
  screening.key = "k";
  screening.timeout = milliseconds{1000};
  screening.memory_mib = 7;
  const auto read = ReadScreening(RecordOf(screening));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(RecordOf(*read), RecordOf(screening));
  EXPECT_EQ(RecordOf(screening)["verdict"], "accepts");
  EXPECT_FALSE(ReadScreening({{"verdict", "sound"}}));
}

}  // namespace
}  // namespace hone::app
