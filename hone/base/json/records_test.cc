// SPDX-License-Identifier: Apache-2.0
#include "hone/base/json/records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "hone/base/file.h"
#include "hone/core/rng.h"

namespace hone {
namespace {

using testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <typename T>
Result<T> Back(const std::string& text, T (*read)(JsonReader)) {
  const auto json = ParseJson(text, "record");
  if (!json) return json.error();
  JsonReader reader(*json, "record");
  T record = read(reader);
  if (const auto finished = reader.Finish(); !finished) return finished.error();
  return record;
}

template <typename T>
void ExpectRoundTrip(const T& record, T (*read)(JsonReader)) {
  const std::string text = Dump(ToJson(record));
  const auto back = Back(text, read);
  ASSERT_TRUE(back.has_value()) << back.error().message;
  EXPECT_EQ(*back, record) << text;
}

std::string RandomText(Rng& rng) {
  static const std::vector<std::string> kPieces{
      "a", "Z",  "_",    "/",   "\"", "\\", "\n",
      "é", "日", "\x01", "NaN", "1",  " ",  std::string(1, '\0')};
  std::string text;
  for (std::uint64_t i = rng.Below(6); i > 0; --i) text += kPieces[rng.Below(kPieces.size())];
  return text;
}

double RandomFinite(Rng& rng) {
  static const std::vector<double> kCorners{
      0.0, -0.0, 3.0, 1e300, -1e-300, 5e-324, 9007199254740993.0, std::nextafter(1.0, 2.0)};
  if (rng.Coin()) return kCorners[rng.Below(kCorners.size())];
  const double value = std::bit_cast<double>(rng.Next());
  return std::isfinite(value) ? value : 0.5;
}

std::int64_t RandomInteger(Rng& rng) {
  const auto value = static_cast<std::int64_t>(rng.Next());
  return value >> rng.Below(64);
}

Value RandomValue(Rng& rng) {
  switch (rng.Below(6)) {
    case 0:
      return rng.Coin();
    case 1:
      return RandomInteger(rng);
    case 2:
      return RandomFinite(rng);
    case 3:
      return RandomText(rng);
    case 4:
      return rng.Coin() ? kInfinity : -kInfinity;
    default:
      return std::vector<std::int64_t>(rng.Below(4), RandomInteger(rng));
  }
}

Candidate RandomCandidate(Rng& rng) {
  Candidate candidate{{}, RandomText(rng)};
  for (std::uint64_t i = rng.Below(4); i > 0; --i) {
    candidate.assignment[RandomText(rng)] = RandomValue(rng);
  }
  return candidate;
}

Task RandomTask(Rng& rng) {
  Task task;
  task.id = RandomText(rng);
  task.domain = RandomText(rng);
  task.options[RandomText(rng)] = RandomText(rng);
  task.candidate = RandomCandidate(rng);
  if (rng.Coin()) task.baseline = RandomCandidate(rng);
  for (std::uint64_t i = rng.Below(5); i > 0; --i) {
    task.order.push_back(rng.Coin() ? Arm::kBaseline : Arm::kCandidate);
  }
  task.seed = rng.Next();
  task.position = RandomInteger(rng);
  task.run_timeout = std::chrono::milliseconds{RandomInteger(rng)};
  task.needs = {{RandomText(rng), RandomText(rng)}, RandomInteger(rng)};
  task.priority = static_cast<int>(RandomInteger(rng) >> 32);
  if (rng.Coin()) task.deadline = FromMicroseconds(RandomInteger(rng));
  task.max_attempts = static_cast<int>(rng.Below(9));
  return task;
}

Sample RandomSample(Rng& rng) {
  return {rng.Coin() ? Arm::kBaseline : Arm::kCandidate,
          {{RandomText(rng), {RandomFinite(rng), RandomFinite(rng), RandomInteger(rng)}},
           {"rps", {kInfinity, -kInfinity, 1}}},
          {{RandomText(rng), RandomFinite(rng)}},
          {RandomText(rng)},
          FromMicroseconds(RandomInteger(rng)),
          std::chrono::microseconds{RandomInteger(rng)}};
}

Evaluation RandomEvaluation(Rng& rng) {
  Evaluation evaluation;
  evaluation.task = RandomText(rng);
  evaluation.outcome = static_cast<Outcome>(rng.Below(7));
  evaluation.reason = RandomText(rng);
  evaluation.samples = {RandomSample(rng), RandomSample(rng)};
  evaluation.metrics = {
      {RandomText(rng), RandomText(rng), RandomFinite(rng), RandomFinite(rng), RandomInteger(rng)}};
  evaluation.evidence = {{RandomText(rng), RandomText(rng)}};
  evaluation.provenance = {RandomText(rng),
                           RandomText(rng),
                           rng.Next(),
                           FromMicroseconds(RandomInteger(rng)),
                           FromMicroseconds(RandomInteger(rng)),
                           {{RandomText(rng), RandomText(rng)}}};
  return evaluation;
}

Task ExampleTask() {
  Task task;
  task.id = "c1-t42";
  task.domain = "toy";
  task.options = {{"surface", "smooth"}};
  task.candidate.assignment = {{"algorithm", std::string("cubic")},
                               {"buffer", std::vector<std::int64_t>{4096, 87380, 6291456}},
                               {"is_fast", true},
                               {"ratio", 3.0},
                               {"threads", std::int64_t{3}}};
  task.baseline = Candidate{{{"threads", std::int64_t{1}}}, ""};
  task.order = {Arm::kBaseline, Arm::kCandidate};
  task.seed = 7;
  task.position = 84;
  task.needs = {{"toy"}, 512};
  task.deadline = FromMicroseconds(1'794'707'280'000'000);
  return task;
}

Evaluation ExampleEvaluation() {
  Evaluation evaluation;
  evaluation.task = "c1-t42";
  evaluation.outcome = Outcome::kWrong;
  evaluation.reason = "The result has a NaN at 17.";
  Sample sample;
  sample.arm = Arm::kBaseline;
  sample.metrics = {{"throughput", {1250.5, 3.25, 8}}};
  sample.observations = {{"context_switches", 1200.0}};
  sample.marks = {"steal 7 %"};
  sample.started = FromMicroseconds(1'794'707'100'000'000);
  sample.duration = std::chrono::microseconds{250'000};
  sample.output = "throughput: 1250.5\n";
  evaluation.samples = {sample};
  evaluation.metrics = {{"throughput", "1/s", kNan, 0, 1}};
  evaluation.evidence = {{"standard error", "assertion failed\n"}};
  evaluation.provenance = {"host-1",
                           "0.1.0",
                           2,
                           FromMicroseconds(1'794'707'099'000'000),
                           FromMicroseconds(1'794'707'101'000'000),
                           {{"kernel", "6.1.0"}}};
  return evaluation;
}

// One parameter of each kind, with all that a parameter and a constraint can have.
Space ExampleSpace() {
  std::vector<Parameter> parameters{
      {"low", IntegerRange{0, 100, 5, false}, std::int64_t{10}, "kB", "Low mark.", {}, {}},
      {"high", IntegerRange{1, 1000, 1, true}, std::int64_t{50}, "", "", {}, {}},
      {"ratio", RealRange{0.5, 8, 0, true}, 1.0, "", "", {{0.0, "off"}}, {}},
      {"is_on", Boolean{}, true, "", "", {}, {}},
      {"governor", Category{{"a", "b"}}, std::string("a"), "", "", {}, Condition{"is_on", {true}}},
      {"sizes",
       OrderedTuple{3, {1, 9, 1, false}},
       std::vector<std::int64_t>{1, 2, 3},
       "",
       "",
       {},
       {}},
      {"parts",
       OrderedTuple{2, {}, {{1, 9, 2, false}, {4, 64, 1, true}}},
       std::vector<std::int64_t>{1, 4},
       "",
       "",
       {},
       {}}};
  auto space = Space::Make(std::move(parameters), {{{{"low", 1}, {"high", -1}}, true, 0}});
  EXPECT_TRUE(space.has_value()) << space.error().message;
  return *space;
}

RewardRule ExampleRule() {
  return {RewardRule::Formula::kPerformanceAndStability,
          {{"rps", Direction::kHigherIsBetter, 2}, {"p99_ms", Direction::kLowerIsBetter, 0.5}},
          {{"p99_ms", true, 1.05, true}, {"rps", false, 10, false}},
          -0.25};
}

TEST(RecordsTest, ValuesComeBackAsTheyWereAndOfTheSameType) {
  Rng rng(11);
  for (int i = 0; i < 5000; ++i) {
    const Value value = RandomValue(rng);
    const auto back = Back(Dump(ToJson(value)), ReadValue);
    ASSERT_TRUE(back.has_value()) << back.error().message;
    ASSERT_EQ(back->index(), value.index()) << Dump(ToJson(value));
    ASSERT_EQ(*back, value) << Dump(ToJson(value));
  }
}

TEST(RecordsTest, WhatIsNotFiniteComesBack) {
  EXPECT_EQ(Dump(ToJson(Value{kNan})), R"({"number":"NaN"})");
  const auto value = Back(Dump(ToJson(Value{kNan})), ReadValue);
  ASSERT_TRUE(value.has_value() && std::holds_alternative<double>(*value));
  EXPECT_TRUE(std::isnan(std::get<double>(*value)));
  EXPECT_EQ(Back(R"("NaN")", ReadValue).value(), Value{std::string("NaN")});

  const auto estimate = Back(Dump(ToJson(Estimate{kNan, kInfinity, 0})), ReadEstimate);
  ASSERT_TRUE(estimate.has_value());
  EXPECT_TRUE(std::isnan(estimate->mean));
  EXPECT_EQ(estimate->standard_error, kInfinity);
}

TEST(RecordsTest, TasksComeBackEqual) {
  Rng rng(12);
  ExpectRoundTrip(ExampleTask(), ReadTask);
  for (int i = 0; i < 500; ++i) ExpectRoundTrip(RandomTask(rng), ReadTask);
}

TEST(RecordsTest, EvaluationsComeBackEqual) {
  Rng rng(13);
  for (int i = 0; i < 500; ++i) ExpectRoundTrip(RandomEvaluation(rng), ReadEvaluation);
}

TEST(RecordsTest, SpacesComeBackEqual) {
  ExpectRoundTrip(Space(), ReadSpace);
  ExpectRoundTrip(ExampleSpace(), ReadSpace);
}

TEST(RecordsTest, RewardRulesComeBackEqual) {
  ExpectRoundTrip(RewardRule(), ReadRewardRule);
  ExpectRoundTrip(ExampleRule(), ReadRewardRule);
}

TEST(RecordsTest, SmallRecordsComeBackEqual) {
  ExpectRoundTrip(Capabilities{{"gpu", "root"}, 4096}, ReadCapabilities);
  ExpectRoundTrip(Estimate{0.1, 0.02, 12}, ReadEstimate);
  ExpectRoundTrip(Metric{"rps", "1/s", 5, 0.5, 3}, ReadMetric);
  ExpectRoundTrip(Candidate{{}, "int main() {}\n"}, ReadCandidate);
}

// Puts an unknown member into every object of the record in turn, and takes every member away.
void ExpectStrict(const Json& whole, const std::function<bool(const Json&)>& accepts) {
  ASSERT_TRUE(accepts(whole));
  int faults = 0;
  const Json leaves = whole.flatten();
  for (const auto& [pointer, leaf] : leaves.items()) {
    for (Json::json_pointer at(pointer); !at.empty(); at = at.parent_pointer()) {
      const std::string container = at.parent_pointer().to_string();
      const bool is_open = container.ends_with("/options") || container.ends_with("/assignment") ||
                           container.ends_with("/facts") || container.ends_with("/metrics") ||
                           container.ends_with("/observations");
      if (!whole[at.parent_pointer()].is_object() || is_open) continue;
      Json more = whole;
      more[at.parent_pointer()]["surprise"] = 1;
      EXPECT_FALSE(accepts(more)) << container;
      if (at.back() == "baseline" || at.back() == "deadline_us" || at.back() == "condition" ||
          at.back() == "output") {
        continue;
      }
      Json less = whole;
      less[at.parent_pointer()].erase(at.back());
      EXPECT_FALSE(accepts(less)) << at.to_string();
      ++faults;
    }
  }
  EXPECT_GT(faults, 5);
}

TEST(RecordsTest, UnknownAndMissingMembersAreRefused) {
  const auto accepts = [](auto read) {
    return [read](const Json& json) { return Back(Dump(json), read).has_value(); };
  };
  ExpectStrict(ToJson(ExampleTask()), accepts(ReadTask));
  ExpectStrict(ToJson(ExampleEvaluation()), accepts(ReadEvaluation));
  ExpectStrict(ToJson(ExampleSpace()), accepts(ReadSpace));
  ExpectStrict(ToJson(ExampleRule()), accepts(ReadRewardRule));
}

TEST(RecordsTest, FaultsNameThePath) {
  Json json = ToJson(ExampleTask());
  json["order"][1] = "both";
  EXPECT_EQ(ParseTask(Dump(json)).error().message,
            R"(task: /order/1: expected "baseline" or "candidate", found "both")");
  json = ToJson(ExampleTask());
  json["priority"] = 1LL << 40;
  EXPECT_THAT(ParseTask(Dump(json)).error().message, HasSubstr("task: /priority: "));
  json = ToJson(ExampleEvaluation());
  json["outcome"] = "great";
  EXPECT_THAT(ParseEvaluation(Dump(json)).error().message, HasSubstr("evaluation: /outcome: "));
  json = ToJson(ExampleEvaluation());
  json["metrics"][0]["value"] = "nan";
  EXPECT_THAT(ParseEvaluation(Dump(json)).error().message, HasSubstr("/metrics/0/value: "));
}

TEST(RecordsTest, ASpaceThatBreaksItsRulesIsRefused) {
  Json json = ToJson(ExampleSpace());
  json["parameters"][1]["name"] = "low";
  EXPECT_FALSE(Back(Dump(json), ReadSpace).has_value());
}

TEST(RecordsTest, TimesAreWrittenForPeopleAndForRecords) {
  EXPECT_EQ(ToText(FromMicroseconds(1'794'707'280'999'999)), "2026-11-15T01:48:00Z");
  EXPECT_EQ(ToText(FromMicroseconds(-1)), "1969-12-31T23:59:59Z");
  EXPECT_EQ(ToMicroseconds(FromMicroseconds(-17)), -17);
}

// The document shows what the code writes.
TEST(RecordsTest, TheDocumentsExamplesAreOurs) {
  const auto document = ReadFile(HONE_SOURCE_DIR "/docs/formats/records.md");
  ASSERT_TRUE(document.has_value()) << document.error().message;
  EXPECT_THAT(*document, HasSubstr(ToJson(ExampleTask()).dump(2)));
  EXPECT_THAT(*document, HasSubstr(ToJson(ExampleEvaluation()).dump(2)));
}

}  // namespace
}  // namespace hone
