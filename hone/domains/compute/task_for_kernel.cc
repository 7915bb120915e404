// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/task_for_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "hone/base/file.h"
#include "hone/base/sha256.h"
#include "hone/domains/compute/compute_options.h"
#include "hone/domains/compute/problem/problem.h"

namespace hone::compute {
namespace {

constexpr std::size_t kTaskForKernelMaxSource = 1 << 20;

// What the sources of a backend are written in, and how their files end.
struct Language {
  std::string_view name;
  std::set<std::string_view> endings;
  std::string_view endings_text;
};

// Null for a backend that there is not: that is said elsewhere.
const Language* LanguageOf(const std::string& backend) {
  static const std::map<std::string, Language> languages = {
      {"cpp", {"C or C++", {".cc", ".cpp", ".cxx", ".c"}, ".cc, .cpp or .c"}},
      {"cuda", {"CUDA", {".cu"}, ".cu"}},
      {"torch", {"Python", {".py"}, ".py"}}};
  const auto found = languages.find(backend);
  return found == languages.end() ? nullptr : &found->second;
}

Result<void> CheckName(const Problem& problem, const std::filesystem::path& file) {
  const Language* const language = LanguageOf(problem.backend);
  if (language == nullptr || language->endings.contains(file.extension().native())) return {};
  return Error{Errc::kInvalidArgument,
               fmt::format("{}: problem {} asks for {}, so the file should end in {}",
                           file.string(), problem.name, language->name, language->endings_text)};
}

// Of all that is asked for, so that nothing else has it.
std::string IdOf(const Task& task, const std::string& problem) {
  Sha256 sum;
  sum.AddText(problem);
  for (const auto& [name, value] : task.options) {
    sum.AddText(name);
    sum.AddText(value);
  }
  sum.AddText(task.candidate.source);
  sum.AddText(std::to_string(task.run_timeout.count()));
  sum.AddText(std::to_string(task.seed));
  return "eval-" + HexOf(sum.Take());
}

}  // namespace

Result<Problem> ProblemAt(const std::filesystem::path& place) {
  const auto names = ProblemNames();
  const bool is_known = std::find(names.begin(), names.end(), place.string()) != names.end();
  std::error_code ignored;
  const bool is_own = !is_known && std::filesystem::is_directory(place, ignored);
  return is_own ? ReadProblemFolder(place) : FindProblem(place.string());
}

std::pair<std::string, std::string> OptionFor(const Problem& problem) {
  const auto known = FindProblem(problem.name);
  if (known && known->text == problem.text) return {"problem", problem.name};
  return {"problem_text", problem.text};
}

Result<Task> TaskForSource(SourceOrder order) {
  const auto read = ReadComputeOptions(order.options);
  if (!read) return read.error();
  if (order.source.empty()) return Error{Errc::kInvalidArgument, "source: it is empty"};
  if (order.source.size() > kTaskForKernelMaxSource) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("source: more than {} bytes", kTaskForKernelMaxSource)};
  }
  Task task;
  task.options = std::move(order.options);
  task.domain = "compute";
  task.candidate.source = std::move(order.source);
  task.order = {Arm::kCandidate};
  task.seed = order.seed;
  task.run_timeout = order.run_timeout;
  task.needs.names = {read->problem.backend};
  task.id = IdOf(task, read->problem.text);
  return task;
}

Result<Task> TaskForKernel(const KernelOrder& order) {
  auto source = ReadFile(order.file, kTaskForKernelMaxSource);
  if (!source) return source.error();
  if (source->empty()) {
    return Error{Errc::kInvalidArgument, fmt::format("{}: the file is empty", order.file.string())};
  }
  SourceOrder text{std::move(*source), order.options, order.seed, order.run_timeout};
  const auto problem = ProblemAt(order.problem);
  if (!problem) return problem.error();
  const auto [option, value] = OptionFor(*problem);
  text.options[option] = value;
  const auto read = ReadComputeOptions(text.options);
  if (!read) return read.error();
  if (const auto named = CheckName(read->problem, order.file); !named) return named.error();
  return TaskForSource(std::move(text));
}

}  // namespace hone::compute
