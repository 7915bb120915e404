// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/problem/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "hone/base/file.h"
#include "hone/core/nearest.h"
#include "hone/domains/compute/problem/input_data.h"
#include "hone/domains/compute/problem/problem_reader.h"
#include "hone/domains/compute/problem/problem_texts.h"

namespace hone::compute {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::pair<Distribution, std::string_view>, 6> kDistributions = {{
    {Distribution::kUniform, "uniform"},
    {Distribution::kNormal, "normal"},
    {Distribution::kPositive, "positive"},
    {Distribution::kWide, "wide"},
    {Distribution::kSparse, "sparse"},
    {Distribution::kShifted, "shifted"},
}};

constexpr std::int64_t kMaxTrialsBytes = std::int64_t{6} << 30;
// Where more trials are asked for than the usual ones, and than shapes and distributions ask for.
constexpr std::int64_t kMaxBytesOfMoreTrials = std::int64_t{1} << 30;
constexpr std::int64_t kUsualTrials = 5;
constexpr std::size_t kMaxReferenceFile = 1 << 20;

std::string_view CTypeOf(DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return "float";
    case DType::kF64:
      return "double";
    case DType::kF16:
    case DType::kBF16:
      return "uint16_t";
    case DType::kI8:
      return "int8_t";
    case DType::kU8:
    case DType::kBool:
      return "uint8_t";
    case DType::kI16:
      return "int16_t";
    case DType::kI32:
      return "int32_t";
    case DType::kI64:
      return "int64_t";
  }
  return "void";
}

std::optional<std::string_view> EmbeddedText(std::string_view problem, std::string_view file) {
  const std::string name = fmt::format("data/problems/{}/{}", problem, file);
  for (const EmbeddedFile& known : ProblemTexts()) {
    if (known.name == name) return known.text;
  }
  return std::nullopt;
}

Error NoSuchProblem(const std::string& name) {
  const std::vector<std::string> known = ProblemNames();
  const auto nearest = Nearest(name, known);
  return {Errc::kNotFound,
          fmt::format("problem {}: there is none of this name{}; there is: {}. One of your own is "
                      "given as its text (problem_text), to `hone eval` also as its folder",
                      name, nearest ? fmt::format(" (did you mean {}?)", *nearest) : "",
                      fmt::join(known, ", "))};
}

}  // namespace

std::string_view NameOf(Distribution distribution) {
  return std::ranges::find(kDistributions, distribution,
                           &std::pair<Distribution, std::string_view>::first)
      ->second;
}

Result<Distribution> DistributionNamed(std::string_view name) {
  std::vector<std::string_view> known;
  for (const auto& [distribution, word] : kDistributions) {
    if (word == name) return distribution;
    known.push_back(word);
  }
  return Error{Errc::kInvalidArgument,
               fmt::format("distribution {}: unknown; there is: {}", name, fmt::join(known, ", "))};
}

TensorSpec ArraySpec::At(const Sizes& sizes) const {
  TensorSpec spec{name, dtype, {}};
  for (const Formula& extent : shape) spec.shape.push_back(extent.At(sizes));
  return spec;
}

Result<Problem> ParseProblem(std::string_view text, const std::string& what,
                             const fs::path& folder) {
  const auto json = ParseJson(text, what);
  if (!json) return json.error();
  return ReadProblem(*json, what, [&](const std::string& name) -> Result<std::string> {
    const fs::path file(name);
    if (folder.empty() || file.has_parent_path()) {
      return Error{
          Errc::kInvalidArgument,
          fmt::format("{}: reference_file: a plain name beside problem.json is allowed", what)};
    }
    return ReadRegularFile(folder / file, kMaxReferenceFile);
  });
}

Result<Problem> FindProblem(const std::string& name) {
  const auto known = EmbeddedText(name, "problem.json");
  if (!known) return NoSuchProblem(name);
  const auto json = ParseJson(*known, name);
  if (!json) return json.error();
  return ReadProblem(*json, fmt::format("problem {}", name), [&](const std::string& file) {
    return std::string(EmbeddedText(name, file).value_or(""));
  });
}

Result<Problem> ReadProblemFolder(const fs::path& folder) {
  const fs::path file = folder / "problem.json";
  const auto text = ReadRegularFile(file, JsonLimits{}.bytes);
  if (!text) return text.error();
  return ParseProblem(*text, file.string(), folder);
}

std::string TextOfSizes(const Sizes& sizes) {
  std::string text;
  for (const auto& [name, value] : sizes) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
  }
  return text;
}

std::size_t TrialsOf(const Problem& problem, std::int64_t asked) {
  const std::size_t others = std::max<std::size_t>(1, problem.shapes.size()) - 1;
  return std::max(static_cast<std::size_t>(asked), VariantsOf(problem) + others);
}

TrialPlan PlanOfTrial(const Problem& problem, std::size_t number) {
  const std::size_t variants = VariantsOf(problem);
  if (number < variants) return {0, number};
  const std::size_t shapes = std::max<std::size_t>(1, problem.shapes.size());
  const std::size_t turn = number - variants + 1;  // Every shape in turn, the second one first,
  return {turn % shapes, (turn + turn / shapes) % variants};  // each time with other values.
}

Result<void> CheckTrials(const Problem& problem, std::int64_t asked) {
  const std::size_t shapes = problem.shapes.size();
  if (problem.workflow != "kernelbench" || shapes == 0) return {};
  const std::size_t trials = TrialsOf(problem, asked);
  std::int64_t bytes = 0;
  std::vector<std::size_t> turns(shapes);
  for (std::size_t i = 0; i < trials; ++i) ++turns[PlanOfTrial(problem, i).shape];
  for (std::size_t shape = 0; shape < shapes; ++shape) {
    for (const auto* arrays : {&problem.inputs, &problem.outputs}) {
      for (const ArraySpec& array : *arrays) {
        bytes += static_cast<std::int64_t>(array.At(problem.shapes[shape]).Bytes() * turns[shape]);
      }
    }
  }
  const bool is_more = trials > TrialsOf(problem, kUsualTrials);
  const std::int64_t allowed = is_more ? kMaxBytesOfMoreTrials : kMaxTrialsBytes;
  if (bytes <= allowed) return {};
  return Error{Errc::kInvalidArgument,
               fmt::format("problem {}: the arrays of {} trials have {} MiB together; allowed: {} "
                           "MiB. Ask for fewer trials, or make the shapes smaller",
                           problem.name, trials, bytes >> 20, allowed >> 20)};
}

std::vector<std::string> ProblemNames(std::string_view backend) {
  std::vector<std::string> names;
  for (const EmbeddedFile& known : ProblemTexts()) {
    const fs::path path(known.name);
    if (path.filename() == "problem.json") names.push_back(path.parent_path().filename());
  }
  std::erase_if(names, [&](const std::string& name) {
    return !backend.empty() && FindProblem(name).value().backend != backend;
  });
  return names;
}

std::string SignatureOf(const Problem& problem, bool with_scalar) {
  std::vector<std::string> parameters;
  const auto add = [&](const ArraySpec& array, std::string_view qualifier) {
    const bool is_scalar = with_scalar && IsFloating(array.dtype);
    parameters.push_back(fmt::format("{}{}* {}", qualifier,
                                     is_scalar ? "scalar" : CTypeOf(array.dtype), array.name));
  };
  for (const ArraySpec& input : problem.inputs) add(input, "const ");
  for (const ArraySpec& output : problem.outputs) add(output, "");
  for (const std::string& size : problem.sizes) parameters.push_back("int64_t " + size);
  return fmt::format("void {}({})", problem.entry_point, fmt::join(parameters, ", "));
}

std::optional<DType> ScalarOf(const Problem& problem) {
  std::optional<DType> scalar;
  for (const auto* arrays : {&problem.inputs, &problem.outputs}) {
    for (const ArraySpec& array : *arrays) {
      if (array.dtype == DType::kF32 || array.dtype == DType::kF64) scalar = array.dtype;
    }
  }
  return scalar;
}

}  // namespace hone::compute
