// SPDX-License-Identifier: Apache-2.0
#include "hone/app/service/observed_page.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::app {
namespace {

using ::testing::HasSubstr;

constexpr const char* kBefore = R"(# HELP http_requests_total The total number of HTTP requests.
# TYPE http_requests_total counter
http_requests_total{method="post",code="200"} 1027 1395066363000
http_requests_total{method="post",code="400"}    3 1395066363000
# Escaping in label values:
msdos_file_access_time_seconds{path="C:\\DIR\\FILE.TXT",error="Cannot find file:\n\"FILE.TXT\""} 1.458255915e9
metric_without_timestamp_and_labels 12.47
something_weird{problem="division by zero"} +Inf -3982045
http_request_duration_seconds_bucket{le="0.05"} 100
http_request_duration_seconds_bucket{le="0.1"} 200
http_request_duration_seconds_bucket{le="+Inf"} 200
http_request_duration_seconds_sum 53423
http_request_duration_seconds_count 200
)";

constexpr const char* kAfter = R"(http_requests_total{method="post",code="200"} 1127
http_requests_total{method="post",code="400"} 13
metric_without_timestamp_and_labels 14.47
http_request_duration_seconds_bucket{le="0.05"} 150
http_request_duration_seconds_bucket{le="0.1"} 300
http_request_duration_seconds_bucket{le="+Inf"} 300
)";

struct Look {
  std::string page;
  double seconds = 0;
};

const std::vector<Look> kTenSeconds{{kBefore, 5}, {kAfter, 15}};

Result<double> Number(const std::string& what, const std::vector<Look>& looks = kTenSeconds) {
  const auto observable = ParseObservable("it=" + what);
  if (!observable) return observable.error();
  PageObserver observer({*observable});
  for (const Look& look : looks) {
    if (auto looked = observer.Look(look.page, look.seconds); !looked) return looked.error();
  }
  const auto numbers = observer.Numbers();
  if (!numbers) return numbers.error();
  return numbers->front().second;
}

std::string WhyNot(const std::string& what, const std::vector<Look>& looks = kTenSeconds) {
  const auto number = Number(what, looks);
  return number ? "there is one" : number.error().message;
}

TEST(ObservedPageTest, ARateIsWhatCountersGrewPerSecond) {
  EXPECT_DOUBLE_EQ(Number("rate(http_requests_total)").value(), 11);
  EXPECT_DOUBLE_EQ(Number(R"(rate(http_requests_total{code="400"}))").value(), 1);
}

TEST(ObservedPageTest, AValueIsTheMeanOfAllLooks) {
  EXPECT_DOUBLE_EQ(Number("value(metric_without_timestamp_and_labels)").value(), 13.47);
}

TEST(ObservedPageTest, AQuantileIsOfWhatWasCountedMeanwhile) {
  // 50 below 0.05, 50 from there to 0.1.
  EXPECT_DOUBLE_EQ(Number("quantile(0.5, http_request_duration_seconds)").value(), 0.05);
  EXPECT_NEAR(Number("quantile(0.99, http_request_duration_seconds)").value(), 0.099, 1e-9);
}

TEST(ObservedPageTest, LabelsMayHoldAnything) {
  const std::string page = R"(x{path="C:\\D,}",error="a\n\"b\""} 2)";
  EXPECT_DOUBLE_EQ(Number(R"(value(x{path="C:\\D,}"}))", {{page, 0}, {page, 1}}).value(), 2);
}

TEST(ObservedPageTest, JsonIsReadByItsPointer) {
  const std::vector<Look> looks{{R"({"a": {"hits": 10}})", 0}, {R"({"a": {"hits": 30}})", 4}};
  EXPECT_DOUBLE_EQ(Number("rate(/a/hits)", looks).value(), 5);
  EXPECT_DOUBLE_EQ(Number("value(/a/hits)", looks).value(), 20);
  EXPECT_THAT(WhyNot("value(/b)", looks), HasSubstr("nothing at /b"));
  EXPECT_THAT(WhyNot("value(/a)", looks), HasSubstr("/a is no number"));
}

TEST(ObservedPageTest, APageForPeopleIsReadByAnExpression) {
  const auto page = [](int requests) {
    return "Active connections: 2 \nserver accepts handled requests\n 16 16 " +
           std::to_string(requests) + " \nReading: 0 Writing: 1 Waiting: 1 \n";
  };
  const std::vector<Look> looks{{page(31), 0}, {page(231), 2}};
  EXPECT_DOUBLE_EQ(Number(R"(rate(re:^ \d+ \d+ (\d+) $))", looks).value(), 100);
  EXPECT_DOUBLE_EQ(Number("value(re:Active connections: (\\d+))", looks).value(), 2);
  EXPECT_THAT(WhyNot("value(re:(\\d))", looks), HasSubstr("it must match once"));
  EXPECT_THAT(WhyNot("rate(requests)", looks), HasSubstr("not in the form that Prometheus reads"));
}

TEST(ObservedPageTest, ARestartIsNoRate) {
  EXPECT_THAT(WhyNot("rate(n)", {{"n 100", 0}, {"n 5", 1}, {"n 200", 2}}),
              HasSubstr("n fell from 100 to 5: the service was restarted"));
}

TEST(ObservedPageTest, ARestartInTheMiddleIsNoQuantile) {
  const auto page = [](int count) {
    return fmt::format("h_bucket{{le=\"1\"}} {0}\nh_bucket{{le=\"+Inf\"}} {0}\n", count);
  };
  EXPECT_THAT(WhyNot("quantile(0.5, h)", {{page(100), 0}, {page(5), 1}, {page(200), 2}}),
              HasSubstr("h_bucket fell from 100 to 5: the service was restarted"));
}

TEST(ObservedPageTest, WhatIsNotThereIsSaidAtTheFirstLook) {
  PageObserver observer({*ParseObservable("it=rate(zzz)")});
  const auto looked = observer.Look(kBefore, 0);
  ASSERT_FALSE(looked);
  EXPECT_EQ(looked.error().code, Errc::kInvalidArgument);
}

TEST(ObservedPageTest, OneLookIsNoStretchOfTime) {
  EXPECT_THAT(WhyNot("value(n)", {{"n 1", 0}}), HasSubstr("two looks at least"));
  EXPECT_THAT(WhyNot("value(n)", {{"n 1", 3}, {"n 1", 3}}), HasSubstr("two looks at least"));
}

TEST(ObservedPageTest, WhatIsNotThereIsSaidWithWhatIs) {
  EXPECT_THAT(WhyNot("rate(http_request_total)"), HasSubstr("did you mean http_requests_total?"));
  EXPECT_THAT(WhyNot("rate(zzz)"), HasSubstr("it has: "));
  EXPECT_THAT(WhyNot("rate(zzz)", {{"<html>", 0}, {"<html>", 1}}),
              HasSubstr("not in the form that Prometheus reads"));
  EXPECT_THAT(WhyNot("value(http_requests_total)"), HasSubstr("stands for 2 series"));
  EXPECT_THAT(WhyNot("quantile(0.5, metric_without_timestamp_and_labels)"), HasSubstr("_bucket"));
}

TEST(ObservedPageTest, WhatCannotBeSaidIsNotMadeUp) {
  const std::string page = "h_bucket{le=\"1\"} 5\nh_bucket{le=\"+Inf\"} 9\n";
  EXPECT_THAT(WhyNot("quantile(0.5, h)", {{page, 0}, {page, 1}}), HasSubstr("counted nothing"));
  EXPECT_THAT(WhyNot("quantile(0.9, h)", {{"h_bucket{le=\"1\"} 0\n", 0}, {page, 1}}),
              HasSubstr("above its largest bound, 1"));
  EXPECT_THAT(WhyNot("value(something_weird)", {{kBefore, 0}, {kBefore, 1}}),
              HasSubstr("not a finite number"));
}

TEST(ObservedPageTest, AWrongDescriptionSaysWhatIsExpected) {
  for (const char* text : {"x", "=rate(a)", "x=rate(a", "x=sum(a)", "x=rate()", "x=quantile(a)",
                           "x=quantile(2, a)", "x=quantile(0.5,)"}) {
    const auto parsed = ParseObservable(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_THAT(parsed.error().message, HasSubstr("expected NAME=rate(COUNTER)")) << text;
  }
}

}  // namespace
}  // namespace hone::app
