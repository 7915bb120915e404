// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/task_for_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "hone/base/file.h"
#include "hone/core/rng.h"
#include "hone/domains/compute/compute_options.h"
#include "hone/domains/compute/problem/problem.h"

namespace hone::compute {
namespace {

constexpr std::size_t kTaskForKernelMaxSource = 1 << 20;

Result<void> CheckName(const Problem& problem, const std::filesystem::path& file) {
  static const std::set<std::string> cpp = {".cc", ".cpp", ".cxx", ".c"};
  const std::string extension = file.extension().string();
  const bool fits = problem.backend == "cpp" ? cpp.contains(extension) : extension == ".py";
  if (fits) return {};
  return Error{
      Errc::kInvalidArgument,
      fmt::format("{}: problem {} asks for {}, so the file should end in {}", file.string(),
                  problem.name, problem.backend == "cpp" ? "C or C++" : "Python",
                  problem.backend == "cpp" ? ".cc, .cpp or .c" : ".py")};
}

Result<Problem> ProblemAt(const std::filesystem::path& folder) {
  std::error_code ignored;
  const bool is_there = std::filesystem::is_directory(folder, ignored);
  return is_there ? ReadProblemFolder(folder) : FindProblem(folder.string());
}

}  // namespace

Result<Task> TaskForKernel(const KernelOrder& order) {
  auto source = ReadFile(order.file, kTaskForKernelMaxSource);
  if (!source) return source.error();
  if (source->empty()) {
    return Error{Errc::kInvalidArgument, fmt::format("{}: the file is empty", order.file.string())};
  }
  Task task;
  task.options = order.options;
  // An own problem travels with the task as text: the worker may be on another machine, and reads
  // no files that a task names.
  const auto names = ProblemNames();
  if (std::find(names.begin(), names.end(), order.problem) != names.end()) {
    task.options["problem"] = order.problem;
  } else {
    const auto own = ProblemAt(order.problem);
    if (!own) return own.error();
    task.options["problem_text"] = own->text;
  }
  const auto read = ReadComputeOptions(task.options);
  if (!read) return read.error();
  if (const auto named = CheckName(read->problem, order.file); !named) return named.error();
  task.domain = "compute";
  task.candidate.source = std::move(*source);
  task.order = {Arm::kCandidate};
  task.seed = order.seed;
  task.run_timeout = order.run_timeout;
  task.needs.names = {read->problem.backend};
  task.id = fmt::format("eval-{:016x}",
                        DigestOf(read->problem.text + task.candidate.source) ^ order.seed);
  return task;
}

}  // namespace hone::compute
