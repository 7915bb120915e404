// SPDX-License-Identifier: Apache-2.0
#include "hone/app/kernel/problem_import.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "hone/base/file.h"
#include "hone/base/fresh_number.h"
#include "hone/base/host.h"
#include "hone/domains/compute/problem/imported_problem.h"
#include "hone/domains/compute/problem/kernelbench_checkout.h"
#include "hone/domains/compute/problem/problem.h"

namespace hone::app {
namespace {

namespace fs = std::filesystem;

Result<void> CheckLevels(const std::set<int>& levels) {
  for (const int level : levels) {
    if (level == compute::kLevelWithWeights) {
      return Error{
          Errc::kInvalidArgument,
          "level 4: its problems need the weights of models, which are downloaded when they "
          "run; they are not imported. Levels 1 to 3 are"};
    }
    if (level < compute::kMinKernelBenchLevel || level > compute::kMaxKernelBenchLevel) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("level {}: there is none; levels 1 to 3 can be imported", level)};
    }
  }
  return {};
}

bool IsWanted(const ImportOrder& order, const compute::CheckoutFile& file) {
  if (!order.levels.empty() && !order.levels.contains(file.level)) return false;
  if (order.only.empty() || file.name.find(order.only) != std::string::npos) return true;
  const std::string last = fs::path(file.name).filename();
  return std::ranges::any_of(std::array{file.name, last}, [&](const std::string& name) {
    return ::fnmatch(order.only.c_str(), name.c_str(), 0) == 0;
  });
}

ImportState StateOf(compute::Written written) {
  switch (written) {
    case compute::Written::kNew:
      return ImportState::kNew;
    case compute::Written::kUpdated:
      return ImportState::kUpdated;
    case compute::Written::kUnchanged:
      break;
  }
  return ImportState::kUnchanged;
}

class Import {
 public:
  Import(const ImportOrder& order, const ImportTools& tools) : order_(order), tools_(tools) {}

  Result<ImportReport> Run() {
    if (const auto levels = CheckLevels(order_.levels); !levels) return levels.error();
    const auto checkout = compute::OpenKernelBenchCheckout(order_.checkout);
    if (!checkout) return checkout.error();
    if (auto made = MakeFolder(order_.into); !made) return made.error();
    const auto lock = FileLock::Take(order_.into / ".lock");
    if (!lock) return lock.error();
    compute::ClearUnfinished(order_.into);
    report_.commit = checkout->commit;
    report_.into = order_.into;
    report_.with_weights = checkout->with_weights;
    if (const auto wanted = ImportAll(*checkout); !wanted) return wanted.error();
    if (order_.wants_screening) ScreenAll();
    compute::ClearUnfinished(order_.into);
    return std::move(report_);
  }

 private:
  Result<void> ImportAll(const compute::KernelBenchCheckout& checkout) {
    std::vector<compute::CheckoutFile> wanted;
    std::ranges::copy_if(checkout.files, std::back_inserter(wanted),
                         [&](const auto& file) { return IsWanted(order_, file); });
    if (wanted.empty()) {
      return Error{
          Errc::kInvalidArgument,
          fmt::format("{}: none of its {} problems is of the wanted levels and fits \"{}\"",
                      order_.checkout.string(), checkout.files.size(), order_.only)};
    }
    for (const compute::CheckoutFile& file : wanted) {
      if (tools_.stop.stop_requested()) break;
      report_.problems.push_back(ImportOne(checkout, file));
      ImportedProblem& problem = report_.problems.back();
      Tell(report_.problems.size(), wanted.size(), problem, false);
      if (problem.state != ImportState::kFailed)
        problem.screening = FindScreening(compute::FolderOfImported(order_.into, file.name));
    }
    report_.is_stopped = report_.problems.size() < wanted.size();
    for (const std::string& refused : checkout.refused) {
      const auto colon = refused.find(": ");
      report_.problems.push_back(
          {refused.substr(0, colon), ImportState::kFailed, refused, std::nullopt});
    }
    return {};
  }

  ImportedProblem ImportOne(const compute::KernelBenchCheckout& checkout,
                            const compute::CheckoutFile& file) const {
    ImportedProblem problem{file.name, ImportState::kFailed, "", std::nullopt};
    const auto source = compute::ReadCheckoutFile(checkout, file);
    const auto written = source ? compute::WriteImported(order_.into, checkout, file, *source)
                                : Result<compute::Written>(source.error());
    if (!written) {
      problem.error = written.error().message;
      return problem;
    }
    problem.state = StateOf(*written);
    return problem;
  }

  void ScreenAll() {
    report_.no_screening = tools_.no_torch;
    if (!report_.no_screening.empty()) return;
    std::size_t number = 0;
    for (ImportedProblem& problem : report_.problems) {
      ++number;
      if (report_.is_stopped || problem.state == ImportState::kFailed) continue;
      Tell(number, report_.problems.size(), problem, true);
      if (const auto screened = ScreenOne(problem); !screened) {
        report_.is_stopped = tools_.stop.stop_requested();
        if (!report_.is_stopped) problem.screening = NotJudged(screened.error());
      }
      Tell(number, report_.problems.size(), problem, false);
    }
  }

  static Screening NotJudged(const Error& error) {
    Screening screening;
    screening.not_screened = kNotJudged;
    screening.detail = error.message;
    return screening;
  }

  Result<void> ScreenOne(ImportedProblem& problem) const {
    const fs::path folder = compute::FolderOfImported(order_.into, problem.name);
    auto read = compute::ReadProblemFolder(folder);
    if (!read) return read.error();
    const std::string key = ScreeningKey(*read, tools_.torch);
    if (problem.screening &&
        StillHolds(*problem.screening, key, order_.timeout, MachineMemoryMib())) {
      return {};
    }
    const ScreeningOrder screening{*std::move(read), tools_.torch, order_.timeout, FreshNumber()};
    auto screened = Screen(screening, tools_.judge, tools_.stop);
    if (!screened) return screened.error();
    problem.screening = *std::move(screened);
    return KeepScreening(folder, *problem.screening);
  }

  void Tell(std::size_t number, std::size_t count, const ImportedProblem& problem,
            bool is_screening) const {
    if (tools_.tell) tools_.tell({number, count, &problem, is_screening});
  }

  const ImportOrder& order_;
  const ImportTools& tools_;
  ImportReport report_;
};

}  // namespace

fs::path ProblemsFolder(const fs::path& store) { return store.parent_path() / "problems"; }

std::string PlaceOfProblem(const fs::path& store, const std::string& problem) {
  std::error_code ignored;
  const auto names = compute::ProblemNames();
  if (std::ranges::find(names, problem) != names.end() || fs::is_directory(problem, ignored)) {
    return problem;
  }
  const fs::path folder = ProblemsFolder(store);
  const auto imported = compute::ImportedNames(folder);
  const bool is_imported = std::ranges::find(imported, problem) != imported.end();
  return is_imported ? compute::FolderOfImported(folder, problem).string() : problem;
}

std::string_view NameOf(ImportState state) {
  switch (state) {
    case ImportState::kNew:
      return "imported";
    case ImportState::kUpdated:
      return "updated";
    case ImportState::kUnchanged:
      return "unchanged";
    case ImportState::kFailed:
      break;
  }
  return "failed";
}

Result<ImportReport> ImportProblems(const ImportOrder& order, const ImportTools& tools) {
  return Import(order, tools).Run();
}

}  // namespace hone::app
