// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/problem/problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hone/base/temp_dir.h"
#include "hone/domains/compute/judge/cheating.h"
#include "hone/domains/compute/judge/tolerance.h"
#include "hone/domains/compute/problem/input_data.h"
#include "hone/domains/compute/runner/placement.h"

namespace hone::compute {
namespace {

using ::testing::HasSubstr;

constexpr const char* kSmall = R"({"reference": "scalar", "sizes": ["n"], "shapes": [{"n": 4}],
  "inputs": [{"name": "x", "dtype": "f32", "shape": ["n", "n+1"]}],
  "outputs": [{"name": "out", "dtype": "f32", "shape": []}]})";

std::string Complaint(std::string from, const std::string& what, const std::string& instead) {
  from.replace(from.find(what), what.size(), instead);
  const auto problem = ParseProblem(from, "p.json");
  return problem ? "" : problem.error().message;
}

TEST(ProblemTest, SignatureNamesInputsThenOutputsThenSizes) {
  const auto problem = ParseProblem(kSmall, "p.json");
  ASSERT_TRUE(problem) << problem.error().message;
  EXPECT_EQ(SignatureOf(*problem), "void kernel(const float* x, float* out, int64_t n)");
  EXPECT_EQ(problem->inputs[0].At({{"n", 4}}).shape, (Shape{4, 5}));
  EXPECT_EQ(problem->outputs[0].At({{"n", 4}}).Count(), 1);
}

TEST(ProblemTest, FaultsAreNamedWithTheirPlace) {
  EXPECT_THAT(Complaint(kSmall, "\"f32\"", "\"f31\""), HasSubstr("type f31: unknown"));
  EXPECT_THAT(Complaint(kSmall, "n+1", "n+m"), HasSubstr("m is not one of the sizes"));
  EXPECT_THAT(Complaint(kSmall, "n+1", "n+"), HasSubstr("at column 3"));
  EXPECT_THAT(Complaint(kSmall, "{\"n\": 4}", "{\"n\": 0}"), HasSubstr("allowed: 1 to"));
  EXPECT_THAT(Complaint(kSmall, "\"sizes\"", "\"seizes\""), HasSubstr("sizes"));
  EXPECT_THAT(Complaint(kSmall, "\"scalar\"", "\"\""), HasSubstr("reference: missing"));
  EXPECT_THAT(Complaint(kSmall, "{\"n\": 4}", "{\"n\": 4000000}"), HasSubstr("MiB"));
}

TEST(ProblemTest, ArraysOfOneCallAreBoundedTogether) {
  std::string inputs;
  for (int i = 0; i < 8; ++i) {
    inputs += std::string(i == 0 ? "" : ",") + R"({"name": "x)" + std::to_string(i) +
              R"(", "dtype": "f32", "shape": ["n"]})";
  }
  const std::string eight = R"({"reference": "scalar", "sizes": ["n"], "shapes": [{"n": 67108864}],
      "inputs": [)" + inputs +
                            R"(], "outputs": [{"name": "out", "dtype": "f32", "shape": []}]})";
  const auto problem = ParseProblem(eight, "p.json");
  ASSERT_FALSE(problem);
  EXPECT_THAT(problem.error().message, HasSubstr("more than 1024 MiB together"));
}

std::string Repeated(const std::string& item, int count) {
  std::string text = item;
  for (int i = 1; i < count; ++i) text += "," + item;
  return text;
}

// The first of them would be refused too: the number comes before anything is looked at.
TEST(ProblemTest, ListsThatAreTooLongAreRefusedUnread) {
  const auto complaint = [](const std::string& what, const std::string& item, int count) {
    const std::size_t end = what.find('[') + 1;
    return Complaint(kSmall, what,
                     what.substr(0, end) + Repeated(item, count) +
                         (what.back() == ']' ? "]" : "," + what.substr(end)));
  };
  EXPECT_THAT(complaint("\"shapes\": [{\"n\": 4}]", "{\"n\": 0}", 1001),
              HasSubstr("/shapes: 1001 items; at most 1000"));
  EXPECT_THAT(complaint("\"sizes\": [\"n\"]", "\"\"", 17),
              HasSubstr("/sizes: 17 items; at most 16"));
  EXPECT_THAT(complaint("[\"n\", \"n+1\"]", "\"?\"", 9),
              HasSubstr("/inputs/0/shape: 9 items; at most 8"));
  EXPECT_THAT(complaint("\"inputs\": [", "{}", 65), HasSubstr("/inputs: 66 items; at most 64"));
  EXPECT_THAT(complaint("\"outputs\": [", "{}", 65), HasSubstr("/outputs: 66 items; at most 64"));
  std::string shape = "{\"n\": 4";
  for (int i = 0; i < 16; ++i) shape += ", \"m" + std::to_string(i) + "\": 1";
  EXPECT_THAT(Complaint(kSmall, "{\"n\": 4}", shape + "}"),
              HasSubstr("/shapes/0: 17 members; at most 16"));
  const std::string flags = "\"policy\": {\"flags\": [" + Repeated("1", 65) + "]}, \"sizes\"";
  EXPECT_THAT(Complaint(kSmall, "\"sizes\"", flags),
              HasSubstr("/policy/flags: 65 items; at most 64"));
  const std::string cases = "\"cases\": [" + Repeated("1", 1001) + "], \"sizes\"";
  EXPECT_THAT(Complaint(kSmall, "\"sizes\"", cases), HasSubstr("/cases: 1001 items; at most 1000"));
}

// The product of its extents has no bits left in 64.
TEST(ProblemTest, ShapeOfACaseIsCheckedBeforeItsNumbersAreCounted) {
  const auto problem = ParseProblem(R"({"workflow": "kernel_simple",
      "cases": [{"inputs": [[1]]}],
      "inputs": [{"name": "x", "dtype": "f32", "shape": [4294967296, 4294967296]}],
      "outputs": [{"name": "out", "dtype": "f32", "shape": [1]}]})",
                                    "p.json");
  ASSERT_FALSE(problem);
  EXPECT_THAT(problem.error().message, HasSubstr("x: more than 1024 MiB"));
}

TEST(ProblemTest, CaseNamesEverySizeOfTheProblem) {
  const auto problem = ParseProblem(R"({"workflow": "kernel_simple", "sizes": ["n"],
      "cases": [{"sizes": {"m": 1}, "inputs": [[1]]}],
      "inputs": [{"name": "x", "dtype": "f32", "shape": ["n"]}],
      "outputs": [{"name": "out", "dtype": "f32", "shape": [1]}]})",
                                    "p.json");
  ASSERT_FALSE(problem);
  EXPECT_THAT(problem.error().message, HasSubstr("/cases/0/sizes/m: not one of \"sizes\" (n)"));
}

TEST(ProblemTest, ArrayOfACaseHasNoMoreDimensionsThanACallKnows) {
  const auto complaint = [](int depth) {
    const auto problem = ParseProblem(R"({"workflow": "kernel_simple", "backend": "torch",
        "cases": [{"inputs": [)" + std::string(static_cast<std::size_t>(depth), '[') +
                                          "1" + std::string(static_cast<std::size_t>(depth), ']') +
                                          "]}]}",
                                      "p.json");
    return problem ? "" : problem.error().message;
  };
  EXPECT_EQ(complaint(8), "");
  EXPECT_THAT(complaint(9), HasSubstr("more than 8 dimensions"));
}

TEST(ProblemTest, ArraysOfACaseThatIsOnlyRunAreBoundedToo) {
  const auto problem = ParseProblem(R"({"workflow": "kernel_simple", "sizes": ["n"],
      "cases": [{"sizes": {"n": 1000000}, "inputs": [[1]]}],
      "inputs": [{"name": "x", "dtype": "f32", "shape": [1]}],
      "outputs": [{"name": "out", "dtype": "f32", "shape": ["n", "n"]}]})",
                                    "p.json");
  ASSERT_FALSE(problem);
  EXPECT_THAT(problem.error().message, HasSubstr("out: more than 1024 MiB"));
}

TEST(ProblemTest, TrialsTimesArraysAreBounded) {
  std::string large = kSmall;
  large.replace(large.find("{\"n\": 4}"), 8, "{\"n\": 4000}");
  const auto problem = ParseProblem(large, "p.json");
  ASSERT_TRUE(problem) << problem.error().message;
  EXPECT_TRUE(CheckTrials(*problem, 5));
  const auto refused = CheckTrials(*problem, 1000);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kInvalidArgument);
  EXPECT_THAT(refused.error().message, HasSubstr("the arrays of 1000 trials have"));
  EXPECT_THAT(refused.error().message, HasSubstr("allowed: 1024 MiB"));
  EXPECT_FALSE(CheckTrials(FindProblem("relu_threads").value(), 1000));
  EXPECT_TRUE(CheckTrials(FindProblem("relu_threads").value(), 100));
}

TEST(ProblemTest, TheShapeThatIsTimedHasATrialWithEveryVariantAndEveryOtherShapeHasOne) {
  for (const std::string& name : ProblemNames()) {
    const Problem problem = FindProblem(name).value();
    std::set<std::pair<std::size_t, std::size_t>> made;
    std::set<std::size_t> shapes;
    for (std::size_t i = 0; i < TrialsOf(problem, 1); ++i) {
      const TrialPlan plan = PlanOfTrial(problem, i);
      made.insert({plan.shape, plan.variant});
      shapes.insert(plan.shape);
    }
    for (std::size_t variant = 0; variant < VariantsOf(problem); ++variant) {
      EXPECT_TRUE(made.contains({0, variant})) << name;
      EXPECT_EQ(PlanOfTrial(problem, variant).variant, variant) << name;
    }
    EXPECT_EQ(shapes.size(), problem.shapes.size()) << name;
    EXPECT_EQ(made.size(), TrialsOf(problem, 1)) << name;
  }
}

TEST(ProblemTest, UnknownNameIsToldTheNearest) {
  const auto problem = FindProblem("sofmax");
  ASSERT_FALSE(problem);
  EXPECT_THAT(problem.error().message, HasSubstr("did you mean softmax?"));
}

TEST(ProblemTest, PipeInAFolderIsNotWaitedFor) {
  const auto folder = TempDir::Make("problem");
  ASSERT_EQ(::mkfifo((folder->path() / "problem.json").c_str(), 0600), 0);
  const auto problem = ReadProblemFolder(folder->path());
  ASSERT_FALSE(problem);
  EXPECT_THAT(problem.error().message, HasSubstr("problem.json: not a regular file but a pipe"));
}

TEST(FormulaTest, PrecedenceAndBrackets) {
  const auto at = [](const char* text) {
    return Formula::Parse(text, {"m", "n"}).value().At({{"m", 3}, {"n", 5}});
  };
  EXPECT_EQ(at("m+2*n"), 13);
  EXPECT_EQ(at("(m+2)*n"), 25);
  EXPECT_EQ(at("n-m-1"), 1);
  EXPECT_EQ(at("n/2"), 2);
  EXPECT_EQ(at("9000000000000000000*n"), std::numeric_limits<std::int64_t>::max());
}

// The largest number stands for what does not fit; on x86 a processor traps on the last one.
TEST(FormulaTest, WhatDoesNotFitIsTheLargestNumber) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  const auto at = [](const std::string& text) {
    return Formula::Parse(text, {"n"}).value().At({{"n", 5}});
  };
  const std::string min = "(0-9223372036854775807-1)";
  EXPECT_EQ(at(min), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(at(min + "/(0-1)"), kLargest);
  EXPECT_EQ(at(min + "*(0-1)"), kLargest);
  EXPECT_EQ(at(min + "-n"), kLargest);
  EXPECT_EQ(at("9223372036854775807+n"), kLargest);
  EXPECT_EQ(at("99999999999999999999999"), kLargest);
  EXPECT_EQ(at("n/(n-5)"), 0);
}

// A client or a candidate wrote it.
TEST(FormulaTest, AnyTextIsANumberOrAComplaint) {
  const std::vector<std::string> parts = {
      "0", "1", "9223372036854775807", "n",    "(", ")", "+", "-", "*", "/",
      " ", "x", "4294967296",          "(0-1)"};
  Rng rng(1);
  int numbers = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text = "0-9223372036854775807-1";
    for (std::uint64_t part = rng.Below(12); part > 0; --part)
      text += parts[rng.Below(parts.size())];
    const auto formula = Formula::Parse("(" + text + ")/(0-1)", {"n"});
    if (!formula) continue;
    static_cast<void>(formula->At({{"n", 5}}));
    ++numbers;
  }
  EXPECT_GT(numbers, 1000);
}

TEST(FormulaTest, StepsAndCharactersAreBounded) {
  const auto complaint = [](const std::string& text) {
    const auto formula = Formula::Parse(text, {"n"});
    return formula ? "" : formula.error().message;
  };
  const auto sum_of = [](int terms) {
    std::string text = "n";
    for (int i = 1; i < terms; ++i) text += "+n";
    return text;
  };
  EXPECT_EQ(complaint(sum_of(32)), "");
  EXPECT_THAT(complaint(sum_of(33)), HasSubstr("more than 64 numbers, sizes and operators"));
  const std::string long_one = complaint(std::string(5'000'000, ' ') + "n");
  EXPECT_THAT(long_one, HasSubstr("5000001 characters"));
  EXPECT_LT(long_one.size(), 1000U);
}

TEST(InputDataTest, SameSeedGivesTheSameInputsAndAnotherSeedOthers) {
  const Problem problem = FindProblem("vector_add").value();
  const Sizes& sizes = problem.shapes[0];
  EXPECT_EQ(DrawInputs(problem, sizes, 1, Rng(7))[0].bytes,
            DrawInputs(problem, sizes, 1, Rng(7))[0].bytes);
  EXPECT_NE(DrawInputs(problem, sizes, 1, Rng(7))[0].bytes,
            DrawInputs(problem, sizes, 1, Rng(8))[0].bytes);
}

// A kernel that has seen a thousand inputs must know nothing of the next ones.
Tensor DrawMany(Distribution distribution) {
  ArraySpec spec = FindProblem("vector_add").value().inputs.at(0);
  return DrawTensor(spec, {{"n", 1 << 16}}, distribution, Rng(7));
}

TEST(InputDataTest, WideNumbersHaveBothSignsAndEveryMagnitudeAlike) {
  const Tensor drawn = DrawMany(Distribution::kWide);
  std::map<int, int> by_magnitude;
  int negative = 0;
  for (const float value : drawn.As<float>()) {
    ++by_magnitude[std::ilogb(value)];
    negative += value < 0 ? 1 : 0;
  }
  EXPECT_NEAR(negative, 1 << 15, 1000);
  EXPECT_EQ(by_magnitude.size(), 24U);
  EXPECT_EQ(by_magnitude.begin()->first, -12);
  for (const auto& [magnitude, count] : by_magnitude) {
    EXPECT_NEAR(count, (1 << 16) / 24.0, 300) << magnitude;
  }
}

TEST(InputDataTest, NineInTenSparseNumbersAreZeroAndTheOthersNormal) {
  const Tensor drawn = DrawMany(Distribution::kSparse);
  double squares = 0;
  double sum = 0;
  int others = 0;
  for (const float value : drawn.As<float>()) {
    if (value == 0) continue;
    ++others;
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(others, (1 << 16) / 10.0, 400);
  EXPECT_NEAR(sum / others, 0, 0.05);
  EXPECT_NEAR(squares / others, 1, 0.05);
}

TEST(InputDataTest, SumsOfSparseNumbersAreRoundedAsOthersAre) {
  const ArraySpec spec = FindProblem("vector_add").value().inputs.at(0);
  int exact = 0;
  for (std::uint64_t seed = 0; seed < 32; ++seed) {
    const Tensor drawn = DrawTensor(spec, {{"n", 50'000}}, Distribution::kSparse, Rng(seed));
    float sum = 0;
    double all = 0;
    for (const float value : drawn.As<float>()) {
      sum += value;
      all += value;
    }
    exact += static_cast<double>(sum) == all ? 1 : 0;
  }
  EXPECT_LE(exact, 2);
}

TEST(InputDataTest, DrawsHaveNoStretchInCommon) {
  const Problem problem = FindProblem("histogram").value();
  const Sizes& sizes = problem.shapes[0];
  const auto words = [&](std::uint64_t seed) {
    const Tensor drawn = DrawInputs(problem, sizes, 0, Rng(seed))[0];
    std::set<std::string> found;
    for (std::size_t i = 0; i + 16 <= drawn.bytes.size(); ++i) {
      found.emplace(reinterpret_cast<const char*>(drawn.bytes.data()) + i, 16);
    }
    return found;
  };
  const auto first = words(1);
  for (const std::string& stretch : words(2)) EXPECT_FALSE(first.contains(stretch));
}

Tensor Floats(const std::vector<float>& values) {
  Tensor tensor = Tensor::Zeros({"out", DType::kF32, {static_cast<std::int64_t>(values.size())}});
  std::copy(values.begin(), values.end(), tensor.As<float>().begin());
  return tensor;
}

TEST(ToleranceTest, FirstDifferenceIsToldWithIndexAndBothValues) {
  const TensorDifferences comparison = Compare(Floats({1, 2, 3}), Floats({1, 2.5, 4}), {0, 0.1});
  ASSERT_TRUE(comparison.first);
  EXPECT_THAT(comparison.first->text, HasSubstr("out[1]: expected 2, found 2.5"));
  EXPECT_EQ(comparison.different, 2);
}

TEST(ToleranceTest, NanAndInfinityAreRightOnlyWhereTheyAreExpected) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const Tolerance loose{1, 1e30};
  EXPECT_FALSE(Compare(Floats({nan, inf}), Floats({nan, inf}), loose).first);
  EXPECT_TRUE(Compare(Floats({1}), Floats({nan}), loose).first);
  EXPECT_TRUE(Compare(Floats({nan}), Floats({1}), loose).first);
  EXPECT_TRUE(Compare(Floats({inf}), Floats({-inf}), loose).first);
  EXPECT_FALSE(IsCloseIn(Floats({1, 2}), Floats({1, nan}), loose, 0, 2));
  EXPECT_TRUE(IsCloseIn(Floats({nan, 2}), Floats({nan, 2}), loose, 0, 2));
}

TEST(ToleranceTest, IntegersMustBeEqualAndShapesToo) {
  Tensor a = Tensor::Zeros({"out", DType::kI64, {2}});
  Tensor b = a;
  b.As<std::int64_t>()[1] = 1;
  EXPECT_TRUE(Compare(a, b, ToleranceFrom(DType::kI64, {100, 100})).first);
  b.spec.shape = {1, 2};
  EXPECT_THAT(Compare(a, b, {}).first->text, HasSubstr("of shape [2], found i64 of shape [1, 2]"));
}

TEST(TensorTest, HalfPrecisionRoundTrips) {
  for (const DType dtype : {DType::kF16, DType::kBF16}) {
    Tensor tensor = Tensor::Zeros({"x", dtype, {1}});
    for (const double value : {0.0, 1.0, -2.5, 0x1p-14, 448.0}) {
      SetElement(tensor, 0, value);
      EXPECT_EQ(ElementAt(tensor, 0), value) << NameOf(dtype);
    }
  }
}

TEST(PlacementTest, ArraysNeverOverlapAndMoveFromCallToCall) {
  const std::vector<std::size_t> bytes = {100, 1, 4096};
  const std::size_t arena = ArenaBytesFor(bytes);
  Rng rng(1);
  std::set<std::uint64_t> seen;
  for (int call = 0; call < 100; ++call) {
    const auto places = PlaceArrays(bytes, arena, rng);
    ASSERT_TRUE(places);
    seen.insert((*places)[0].offset);
    std::uint64_t free = 0;
    for (const Place& place : *places) {
      EXPECT_EQ(place.offset % kAlignment, 0U);
      EXPECT_GE(place.offset, free + kCanaryBytes);
      free = place.offset + place.bytes + kCanaryBytes;
    }
    EXPECT_LE(free, arena);
  }
  EXPECT_GT(seen.size(), 50U);
  EXPECT_FALSE(PlaceArrays(bytes, 1000, rng));
}

TEST(PlacementTest, GuardsLieAgainstEveryArrayAsNearAsItsAlignmentLets) {
  const std::vector<std::size_t> bytes = {100, 1, 4096, 0, 64, 70'000};
  const std::size_t page = PageBytes();
  Rng rng(1);
  std::set<std::uint64_t> seen;
  for (int call = 0; call < 100; ++call) {
    const auto places = PlaceAgainstGuards(bytes, ArenaBytesFor(bytes), rng);
    ASSERT_TRUE(places);
    seen.insert((*places)[0].offset);
    std::uint64_t free = 0;
    for (const Place& place : *places) {
      const auto [before, behind] = GuardsOf(place);
      const std::uint64_t end = place.offset + place.bytes;
      EXPECT_EQ(place.offset % kAlignment, 0U);
      EXPECT_EQ(before % page, 0U);
      EXPECT_EQ(behind % page, 0U);
      EXPECT_GE(before, free);
      EXPECT_LE(before + page, place.offset);
      EXPECT_GE(behind, end);
      EXPECT_LT(behind - end, kAlignment);
      free = behind + page;
    }
    EXPECT_LE(free, ArenaBytesFor(bytes));
  }
  EXPECT_GT(seen.size(), 10U);  // By whole pages.
}

TEST(PlacementTest, AnArenaHasRoomForTheGuardsOfManySmallArrays) {
  const std::vector<std::size_t> bytes(64, 4);
  Rng rng(1);
  EXPECT_TRUE(PlaceAgainstGuards(bytes, ArenaBytesFor(bytes), rng));
}

TimingReport ReportOf(double time, double claimed) {
  TimingReport report;
  for (TimedSide* side : {&report.candidate, &report.reference}) {
    const bool is_ours = side == &report.candidate;
    side->times.assign(20, time);
    side->work.assign(20, time);
    side->claimed.assign(20, is_ours ? claimed : time);
    side->median = time;
  }
  return report;
}

TEST(CheatingTest, TimeBelowThePhysicalFloorIsNotBelieved) {
  const Problem problem = FindProblem("vector_add").value();  // 786432 bytes.
  const MachinePeak peak{10, 100};
  const auto check = [&](double time, double reference) {
    TimingReport times = ReportOf(time, time);
    times.reference.median = reference;
    return CheckFloor(problem, problem.shapes[0], times, peak).has_value();
  };
  EXPECT_TRUE(check(20'000, 200'000));
  EXPECT_FALSE(check(80'000, 200'000));
  // A reference that is faster shows that the peak was measured in a bad moment.
  EXPECT_FALSE(check(20'000, 20'000));
  EXPECT_TRUE(check(9'000, 20'000));
}

TEST(CheatingTest, APeakOnlyEverRises) {
  EXPECT_GT(MeasuredPeak().bytes_per_ns, 0.5);
  EXPECT_GT(MeasuredPeak().operations_per_ns, 0.5);
  const MachinePeak before = MeasuredPeak();
  const MachinePeak raised = RaiseMeasuredPeak();
  EXPECT_GE(raised.bytes_per_ns, before.bytes_per_ns);
  EXPECT_GE(raised.operations_per_ns, before.operations_per_ns);
  EXPECT_EQ(MeasuredPeak().bytes_per_ns, raised.bytes_per_ns);
}

TEST(CheatingTest, ClockIsSeenBesideTheReference) {
  EXPECT_FALSE(CheckClocks(ReportOf(100'000, 99'000)));
  EXPECT_TRUE(CheckClocks(ReportOf(100'000, 1)));
}

}  // namespace
}  // namespace hone::compute
