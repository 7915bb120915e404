// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/workload/metric_reader.h"

#include <gtest/gtest.h>

#include <string>

namespace hone::sysctl {
namespace {

using Form = Extractor::Form;

MetricSpec MetricOf(Form form, std::string text, std::string unit = "", double factor = 1) {
  MetricSpec metric;
  metric.facts.name = "speed";
  metric.facts.unit = std::move(unit);
  metric.extractor = {form, std::move(text), factor};
  return metric;
}

double ValueIn(const MetricSpec& metric, std::string_view output) {
  const auto values = ReadMetricValues({metric}, output);
  EXPECT_TRUE(values.has_value()) << values.error().message;
  return values ? values->at("speed") : -1;
}

std::string FaultIn(const MetricSpec& metric, std::string_view output) {
  const auto values = ReadMetricValues({metric}, output);
  return values ? "it was read" : values.error().message;
}

TEST(ParseNumberTest, NumbersAreWholeTexts) {
  EXPECT_EQ(*ParseNumber("12", ""), 12);
  EXPECT_EQ(*ParseNumber(" -1.5e3 ", ""), -1500);
  EXPECT_EQ(*ParseNumber("0.25", ""), 0.25);
  EXPECT_EQ(*ParseNumber("12ms", "ms"), 12);
  EXPECT_EQ(*ParseNumber("12 ms", "ms"), 12);
  EXPECT_EQ(*ParseNumber("99.5%", "%"), 99.5);
}

TEST(ParseNumberTest, EverythingElseIsRefusedWithTheReason) {
  const auto fault = [](const char* text, const char* unit) {
    const auto number = ParseNumber(text, unit);
    return number ? "it was read" : number.error().message;
  };
  EXPECT_EQ(fault("", ""), "there is nothing where a number should be");
  EXPECT_EQ(fault("fast", ""), "\"fast\" is not a number");
  EXPECT_EQ(fault("nan", ""), "\"nan\" is not a number");
  EXPECT_EQ(fault("-inf", ""), "\"-inf\" is not a number");
  EXPECT_EQ(fault("-", ""), "\"-\" is not a number");
  EXPECT_EQ(fault("1e999", ""), "\"1e999\" is not a number that can be represented");
  EXPECT_EQ(fault("1,234.5", ""),
            "\"1,234.5\" is not a number: commas in numbers are not understood");
  EXPECT_EQ(fault("12ms", ""),
            "\"12ms\" is not a number: the metric has no unit, so nothing may follow the number");
  EXPECT_EQ(fault("12us", "ms"),
            "\"12us\" is not a number: only the metric's unit \"ms\" may follow it");
  EXPECT_EQ(fault("1.0.20", ""),
            "\"1.0.20\" is not a number: the metric has no unit, so nothing may follow the number");
  EXPECT_EQ(fault("0x10", ""),
            "\"0x10\" is not a number: the metric has no unit, so nothing may follow the number");
}

TEST(MetricReaderTest, LinesMayUseAColonOrAnEqualSign) {
  const MetricSpec metric = MetricOf(Form::kLine, "Final Score");
  EXPECT_EQ(ValueIn(metric, "Final Score: 12"), 12);
  EXPECT_EQ(ValueIn(metric, "  Final Score=12.5\r\n"), 12.5);
  EXPECT_EQ(ValueIn(metric, "x 7\nFinal Score = -3e2\ny: 8\n"), -300);
}

TEST(MetricReaderTest, TheLastLineOfANameCounts) {
  EXPECT_EQ(ValueIn(MetricOf(Form::kLine, "tps"), "tps: 1\ntps: 2\n"), 2);
}

TEST(MetricReaderTest, OnlyTheWholeNameIsTheName) {
  const MetricSpec metric = MetricOf(Form::kLine, "tps");
  const std::string missing =
      "metric speed: the output has no line \"tps: value\" or \"tps = value\"";
  EXPECT_TRUE(FaultIn(metric, "mytps: 1\ntpsx: 2\nTPS: 3\ntps 4\n5 tps\n").starts_with(missing));
  EXPECT_EQ(FaultIn(metric, ""), missing);
}

// What ApacheBench prints, in part.
constexpr char kApacheBench[] =
    "This is ApacheBench, Version 2.3 <$Revision: 1913912 $>\n"
    "Server Port:            80\n"
    "Time taken for tests:   0.492 seconds\n"
    "Requests per second:    20308.45 [#/sec] (mean)\n"
    "Time per request:       4.924 [ms] (mean)\n"
    "Time per request:       0.049 [ms] (mean, across all concurrent requests)\n";

TEST(MetricReaderTest, ALabelIsFoundByItsWordsAndRemarksStandBehindTheNumber) {
  EXPECT_EQ(ValueIn(MetricOf(Form::kLabel, "requests_per_second"), kApacheBench), 20308.45);
  const MetricSpec hits = MetricOf(Form::kLabel, "cache-hits");
  EXPECT_EQ(ValueIn(hits, "Cache  Hits = 12\n"), 12);
  EXPECT_EQ(ValueIn(hits, "cache_hits: 1\ncache_hits: 2\n"), 2) << "the last one counts";
  EXPECT_EQ(ValueIn(hits, "CACHE HITS: 1 (warm)\ncache-hits: 3\n"), 3) << "the very name is first";
}

TEST(MetricReaderTest, AllThatIsPrintedNeedsNoLabel) {
  const MetricSpec metric = MetricOf(Form::kLabel, "requests_per_second");
  EXPECT_EQ(ValueIn(metric, "\n20308.45\n"), 20308.45);
  EXPECT_NE(FaultIn(metric, "20308.45\n20309\n"), "it was read");
  EXPECT_NE(FaultIn(MetricOf(Form::kLine, "rate"), "20308.45\n"), "it was read");
}

TEST(MetricReaderTest, ALabelWithTwoMeaningsOrAnotherUnitIsRefused) {
  EXPECT_EQ(FaultIn(MetricOf(Form::kLabel, "time_per_request"), kApacheBench),
            "metric speed: two lines are called \"time_per_request\", with the values "
            "\"4.924 [ms] (mean)\" and \"0.049 [ms] (mean, across all concurrent requests)\": "
            "take the one that is meant by a \"regex\"");
  const std::string line = "Time per request: 4.924 [ms] (mean)\n";
  EXPECT_EQ(ValueIn(MetricOf(Form::kLabel, "time per request", "ms"), line), 4.924);
  EXPECT_EQ(FaultIn(MetricOf(Form::kLabel, "time per request", "us"), line),
            "metric speed: on the line \"time per request\": \"4.924 [ms] (mean)\" is not in "
            "\"us\"");
  EXPECT_NE(FaultIn(MetricOf(Form::kLabel, "rate"), "rate: 1,200 [1/s]\n"), "it was read");
}

TEST(MetricReaderTest, WhereNoLineFitsThoseWithANumberAreNamedTheLikeliestFirst) {
  EXPECT_EQ(FaultIn(MetricOf(Form::kLabel, "time taken"), kApacheBench),
            "metric speed: the output has no line \"time taken: value\" or \"time taken = value\"; "
            "lines with a number: \"Time taken for tests:   0.492 seconds\", \"Time per request:   "
            "    4.924 [ms] (mean)\", \"Time per request:       0.049 [ms] (mean, across all "
            "concurr…\" and 3 more. Say which is meant: by the words before its colon as \"label\" "
            "(in an older file as \"reward_metric\"), or by a \"regex\"");
}

TEST(MetricReaderTest, ALineWithoutANumberFailsAlsoWhenAnEarlierOneHadOne) {
  EXPECT_EQ(FaultIn(MetricOf(Form::kLine, "tps"), "tps: 3\ntps: n/a\n"),
            "metric speed: on the line \"tps\": \"n/a\" is not a number");
}

TEST(MetricReaderTest, AFactorTurnsUnits) {
  EXPECT_DOUBLE_EQ(ValueIn(MetricOf(Form::kLine, "p99", "ms", 1e-6), "p99: 2500000"), 2.5);
  EXPECT_EQ(FaultIn(MetricOf(Form::kLine, "p99", "", 1e300), "p99: 1e300"),
            "metric speed: is not finite");
}

TEST(MetricReaderTest, JsonIsTheWholeOutputOrItsLastLine) {
  const MetricSpec metric = MetricOf(Form::kJsonPath, "/jobs/1/a~1b~0");
  EXPECT_EQ(ValueIn(metric, "{\"jobs\": [0,\n {\"a/b~\": 4.5}]}\n"), 4.5);
  EXPECT_EQ(ValueIn(metric, "hello\n{\"jobs\": [0, {\"a/b~\": 4}]}\n\n"), 4);
}

TEST(MetricReaderTest, JsonFaultsNameThePlace) {
  const MetricSpec metric = MetricOf(Form::kJsonPath, "/jobs/1/iops");
  EXPECT_EQ(FaultIn(metric, "{\"jobs\": [1]}"),
            "metric speed: the JSON output has nothing at \"/jobs/1\"");
  EXPECT_EQ(FaultIn(metric, "{\"jobs\": {\"1\": {}}}"),
            "metric speed: the JSON output has nothing at \"/jobs/1/iops\"");
  EXPECT_EQ(FaultIn(metric, "{\"jobs\": [1, {\"iops\": \"12\"}]}"),
            "metric speed: at \"/jobs/1/iops\" of the JSON output: expected a number, found "
            "\"12\"");
  EXPECT_EQ(FaultIn(metric, "{\"jobs\": [1, {\"iops\": []}]}"),
            "metric speed: at \"/jobs/1/iops\" of the JSON output: expected a number, found array");
  EXPECT_EQ(FaultIn(MetricOf(Form::kJsonPath, "/jobs/01"), "{\"jobs\": [1, 2]}"),
            "metric speed: the JSON output has nothing at \"/jobs/01\"");
  EXPECT_TRUE(FaultIn(metric, "hello\n5")
                  .starts_with("metric speed: neither the output nor its last line is JSON ("));
}

TEST(MetricReaderTest, AnExpressionMustMatchOnce) {
  const MetricSpec metric = MetricOf(Form::kRegex, "^\\s+99%\\s+([0-9.]+)ms$");
  EXPECT_EQ(ValueIn(metric, "  50% 1.0ms\n  99% 7.5ms\nend\n"), 7.5);
  EXPECT_EQ(FaultIn(metric, "99% 7.5ms\n"),
            "metric speed: the expression \"^\\\\s+99%\\\\s+([0-9.]+)ms$\" matches nowhere");
  EXPECT_EQ(FaultIn(metric, " 99% 7.5ms\n 99% 8.5ms\n 99% 9ms\n"),
            "metric speed: the expression \"^\\\\s+99%\\\\s+([0-9.]+)ms$\" matches 3 times, first "
            "\"7.5\" and \"8.5\": make it match once");
  EXPECT_EQ(FaultIn(metric, " 99% ..ms\n"),
            "metric speed: in the group of \"^\\\\s+99%\\\\s+([0-9.]+)ms$\": \"..\" is not a "
            "number");
}

TEST(MetricReaderTest, ANamedGroupIsTakenAmongSeveral) {
  EXPECT_EQ(ValueIn(MetricOf(Form::kRegex, "(a|b)=(?P<speed>\\d+)"), "b=17"), 17);
}

// Backtracking would not come to an end on this.
TEST(MetricReaderTest, AHostileExpressionIsHarmless) {
  const std::string text(200'000, 'a');
  EXPECT_TRUE(FaultIn(MetricOf(Form::kRegex, "((?:a*)*)*b"), text).find("matches nowhere") !=
              std::string::npos);
}

TEST(MetricReaderTest, ALiveLineGivesItsValueOrNothing) {
  const MetricSpec line = MetricOf(Form::kLine, "p99", "ms");
  EXPECT_EQ(ReadLiveValue(line, "p99: 12 ms")->value(), 12);
  EXPECT_FALSE(ReadLiveValue(line, "p50: 12")->has_value());
  EXPECT_FALSE(ReadLiveValue(line, "p99: -- ms").has_value());
  const MetricSpec regex = MetricOf(Form::kRegex, "p99=(\\d+)");
  EXPECT_EQ(ReadLiveValue(regex, "at 3 s: p99=12, p50=3")->value(), 12);
  EXPECT_FALSE(ReadLiveValue(regex, "starting")->has_value());
}

}  // namespace
}  // namespace hone::sysctl
