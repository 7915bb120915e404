// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/proposer/proposal_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/core/check.h"

namespace hone::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Parameter Named(std::string name, Kind kind, Value default_value) {
  Parameter parameter;
  parameter.name = std::move(name);
  parameter.kind = std::move(kind);
  parameter.default_value = std::move(default_value);
  return parameter;
}

Space TestSpace() {
  Parameter share = Named("share", RealRange{0, 1}, 0.5);
  share.condition = Condition{"fast", {true}};
  Parameter wait = Named("wait", IntegerRange{10, 500, 10}, std::int64_t{100});
  wait.specials = {{std::int64_t{0}, "off"}};
  auto space = Space::Make(
      {Named("low", IntegerRange{0, 100}, std::int64_t{10}),
       Named("high", IntegerRange{0, 100}, std::int64_t{20}), Named("fast", Boolean{}, false),
       share, Named("mode", Category{{"a", "b"}}, std::string("a")),
       Named("memory", OrderedTuple{3, IntegerRange{1, 64}}, std::vector<std::int64_t>{1, 8, 64}),
       wait},
      {{{{"low", 1}, {"high", -1}}, true, 0}});
  HONE_CHECK(space.has_value());
  return std::move(*space);
}

class ProposalAnswerTest : public testing::Test {
 protected:
  ReadProposals Read(std::string_view text) const {
    return ReadProposalAnswer(
        text, {.space = space_, .baseline = baseline_, .trials = trials_, .max_proposals = 3});
  }
  std::string ReasonFor(std::string_view text) const {
    const ReadProposals read = Read(text);
    EXPECT_THAT(read.proposals, IsEmpty()) << text;
    return read.refusals.empty() ? "" : read.refusals.front().reason;
  }

  const Space space_ = TestSpace();
  const Assignment baseline_ = space_.Defaults();
  std::map<std::int64_t, tune::Trial> trials_;
};

constexpr const char* kPlain =
    R"({"candidates": [{"from": -1, "set": [{"name": "low", "value": "15"}], "why": "more"}]})";

TEST_F(ProposalAnswerTest, ACandidateIsTheBaselineWithWhatIsSet) {
  const ReadProposals read = Read(kPlain);
  ASSERT_THAT(read.proposals, SizeIs(1));
  Assignment expected = baseline_;
  expected["low"] = std::int64_t{15};
  EXPECT_EQ(read.proposals[0].assignment, expected);
  EXPECT_EQ(read.proposals[0].why, "more");
  EXPECT_THAT(read.refusals, IsEmpty());
}

TEST_F(ProposalAnswerTest, AFencedBlockAfterThoughtsIsReadToo) {
  const std::string text = "<think>```json\n{\"candidates\": 1}\n```</think>Here:\n```json\n" +
                           std::string(kPlain) + "\n```\nGood luck!";
  EXPECT_THAT(Read(text).proposals, SizeIs(1));
}

TEST_F(ProposalAnswerTest, ValuesAreReadByTheKindOfTheirParameter) {
  const ReadProposals read = Read(
      R"({"candidates": [{"set": {"high": 4e1, "fast": "yes", "share": 0.25, "mode": "b",
          "memory": [2, 4, 8], "wait": "0"}}]})");
  ASSERT_THAT(read.proposals, SizeIs(1)) << read.refusals.at(0).reason;
  const Assignment& found = read.proposals[0].assignment;
  EXPECT_EQ(found.at("high"), Value(std::int64_t{40}));
  EXPECT_EQ(found.at("fast"), Value(true));
  EXPECT_EQ(found.at("share"), Value(0.25));
  EXPECT_EQ(found.at("memory"), Value(std::vector<std::int64_t>{2, 4, 8}));
  EXPECT_EQ(found.at("wait"), Value(std::int64_t{0}));
}

TEST_F(ProposalAnswerTest, ACandidateMayStartFromATrial) {
  trials_[4].candidate.assignment = baseline_;
  trials_[4].candidate.assignment["high"] = std::int64_t{90};
  const ReadProposals read =
      Read(R"({"candidates": [{"from": 4, "set": [{"name": "low", "value": "80"}]}]})");
  ASSERT_THAT(read.proposals, SizeIs(1));
  EXPECT_EQ(read.proposals[0].assignment.at("high"), Value(std::int64_t{90}));
  EXPECT_THAT(read.proposals[0].set, ElementsAre("low"));
  EXPECT_THAT(ReasonFor(R"({"candidates": [{"from": 5, "set": {"low": 1}}]})"),
              HasSubstr("a trial's number"));
}

TEST_F(ProposalAnswerTest, WhatBecomesActiveTakesWhatIsInForce) {
  const ReadProposals read = Read(R"({"candidates": [{"set": {"fast": true}}]})");
  ASSERT_THAT(read.proposals, SizeIs(1));
  EXPECT_EQ(read.proposals[0].assignment.at("share"), Value(0.5));
  EXPECT_THAT(ReasonFor(R"({"candidates": [{"set": {"share": 0.1}}]})"),
              HasSubstr("exists only while fast"));
}

TEST_F(ProposalAnswerTest, WhatAValueNeedsToExistIsTheModelsChoiceToo) {
  const ReadProposals read =
      Read(R"({"candidates": [{"set": {"fast": true}}, {"set": {"fast": true, "share": 0.1}}]})");
  ASSERT_THAT(read.proposals, SizeIs(2));
  EXPECT_THAT(read.proposals[0].set, ElementsAre("fast"));
  trials_[0].candidate.assignment = read.proposals[0].assignment;
  const ReadProposals from = Read(R"({"candidates": [{"from": 0, "set": {"share": 0.1}}]})");
  ASSERT_THAT(from.proposals, SizeIs(1));
  EXPECT_THAT(from.proposals[0].set, ElementsAre("fast", "share"));
}

TEST_F(ProposalAnswerTest, WhatOnlyAConstraintForbidsIsStillAWish) {
  const ReadProposals read =
      Read(R"({"candidates": [{"set": {"low": 30}}, {"set": {"low": 101, "high": 20}}]})");
  EXPECT_THAT(read.proposals, IsEmpty());
  EXPECT_THAT(read.refusals, SizeIs(2));
  ASSERT_THAT(read.unkept, SizeIs(1));
  EXPECT_THAT(read.unkept[0].set, ElementsAre("low"));
  EXPECT_EQ(read.unkept[0].assignment.at("low"), Value(std::int64_t{30}));
}

TEST_F(ProposalAnswerTest, WhatBreaksTheSpaceIsRefusedWithTheReason) {
  EXPECT_THAT(ReasonFor(R"({"candidates": [{"set": {"low": 30}}]})"), HasSubstr("low"));
  EXPECT_THAT(ReasonFor(R"({"candidates": [{"set": {"low": 101}}]})"), HasSubstr("low"));
  EXPECT_THAT(ReasonFor(R"({"candidates": [{"set": {"wait": 15}}]})"), HasSubstr("wait"));
  EXPECT_THAT(ReasonFor(R"j({"candidates": [{"set": {"mode": "$(reboot)"}}]})j"),
              HasSubstr("mode"));
  EXPECT_THAT(ReasonFor(R"({"candidates": [{"set": {"hihg": 3}}]})"),
              HasSubstr("did you mean high"));
  EXPECT_THAT(ReasonFor(R"({"candidates": [{"set": {"low": "nan"}}]})"), HasSubstr("no value"));
  EXPECT_THAT(ReasonFor(R"({"candidates": [{"set": {"share": "inf", "fast": 1}}]})"),
              HasSubstr("no value"));
  EXPECT_THAT(ReasonFor(R"({"candidates": [{"set": []}]})"), HasSubstr("at least one entry"));
}

TEST_F(ProposalAnswerTest, WhatIsNeverTunedIsRefusedWithWhy) {
  const std::map<std::string, std::string> forbidden = {
      {"kernel.panic*", "it ends the machine"}, {"SECCOMP*", "programs confine themselves"}};
  for (const char* name : {"kernel.panic_on_oops", "kernel/panic", "/proc/sys/kernel/panic",
                           "SECCOMP", "CONFIG_SECCOMP_FILTER"}) {
    const Json answer{
        {"candidates", {{{"from", -1}, {"set", {{{"name", name}, {"value", "1"}}}}}}}};
    const auto read = ReadProposalAnswer(
        Dump(answer),
        {.space = space_, .baseline = baseline_, .trials = trials_, .forbidden = forbidden});
    EXPECT_TRUE(read.proposals.empty()) << name;
    ASSERT_EQ(read.refusals.size(), 1U) << name;
    EXPECT_THAT(read.refusals[0].reason, HasSubstr(": it is never tuned: ")) << name;
  }
}

TEST_F(ProposalAnswerTest, OneBadCandidateDoesNotSpoilTheOthers) {
  const ReadProposals read = Read(
      R"({"candidates": [7, {"set": {"low": 900}}, {"set": {"low": 11}}, {"set": {"low": 12}}]})");
  EXPECT_THAT(read.proposals, SizeIs(1));  // The fourth is beyond what is read.
  EXPECT_THAT(read.refusals, SizeIs(3));
  EXPECT_THAT(read.refusals.back().reason, HasSubstr("at most 3"));
}

TEST_F(ProposalAnswerTest, WhatIsCountedAsListedIsWhatIsRead) {
  const std::string two = R"({"candidates": [{"set": {"low": 11}}, 7]})";
  for (const std::string& text : {two, "```json\n" + two + "\n```", "<think>{}</think>" + two}) {
    const ReadProposals read = Read(text);
    EXPECT_EQ(CandidatesListedIn(text), 2) << text;
    EXPECT_EQ(read.proposals.size() + read.refusals.size(), 2U) << text;
  }
  for (const char* const none : {"no", "[]", "{}", R"({"candidates": {}})"}) {
    EXPECT_EQ(CandidatesListedIn(none), 0) << none;
    EXPECT_THAT(Read(none).refusals, SizeIs(1)) << none;
  }
}

TEST_F(ProposalAnswerTest, WhateverAModelWritesIsReadWithoutAFault) {
  const std::string deep(100'000, '[');
  for (const std::string& text :
       {std::string(), std::string("no"), deep, std::string("```"), std::string("``````"),
        std::string("{\"candidates\": {}}"), std::string("\xff\xfe{"), std::string(1 << 20, '{'),
        std::string(R"({"candidates": [{"set": {"low": 1, "low": 2}}]})"),
        std::string(R"({"candidates": [{"set": {"low": 99999999999999999999999}}]})")}) {
    const ReadProposals read = Read(text);
    EXPECT_THAT(read.proposals, IsEmpty()) << text.substr(0, 60);
    ASSERT_THAT(read.refusals, SizeIs(1)) << text.substr(0, 60);
    EXPECT_LT(read.refusals[0].what.size() + read.refusals[0].reason.size(), 600U);
  }
}

TEST_F(ProposalAnswerTest, TheSchemaNamesEveryParameter) {
  const std::string schema = Dump(ProposalSchema(space_, 3));
  for (const Parameter& parameter : space_.parameters()) {
    EXPECT_THAT(schema, HasSubstr('"' + parameter.name + '"'));
  }
}

TEST_F(ProposalAnswerTest, TheSchemaOfVeryManyParametersDoesNotNameThem) {
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i <= kMaxNamed; ++i) {
    Parameter parameter;
    parameter.name = "OPTION_" + std::to_string(i);
    parameter.kind = Boolean{};
    parameter.default_value = false;
    parameters.push_back(std::move(parameter));
  }
  const auto space = Space::Make(std::move(parameters));
  ASSERT_TRUE(space.has_value());
  EXPECT_LT(Dump(ProposalSchema(*space, 3)).size(), 1000U);
  EXPECT_THAT(Dump(ProposalSchema(*space, 3, kMaxNamed + 1)), HasSubstr("\"OPTION_200\""));
}

}  // namespace
}  // namespace hone::agent
