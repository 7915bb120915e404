// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <ostream>
#include <utility>

#include "hone/app/kernel/kernel_judge.h"
#include "hone/app/kernel/problem_import.h"
#include "hone/base/json/parse_values.h"
#include "hone/cli/interrupts.h"
#include "hone/cli/text/problems_text.h"
#include "hone/cli/text/readable.h"
#include "hone/cli/verbs.h"
#include "hone/cli/verbs/action.h"
#include "hone/core/nearest.h"
#include "hone/domains/compute/backends/python_torch.h"
#include "hone/domains/compute/problem/imported_problem.h"
#include "hone/domains/compute/problem/problem.h"

namespace hone::cli {
namespace {

struct ProblemsRequest {
  std::string action;
  std::string checkout;
  std::string folder;  // --into
  std::vector<std::string> levels;
  std::string only;
  bool is_unscreened = false;  // --no-screen
  std::chrono::milliseconds timeout{60'000};
};

std::filesystem::path FolderOf(const Shell& shell, const ProblemsRequest& request) {
  return request.folder.empty() ? app::ProblemsFolder(shell.store)
                                : std::filesystem::path(request.folder);
}

Result<ExitCode> ListProblems(Shell& shell, const ProblemsRequest& request) {
  std::vector<ListedProblem> listed;
  for (const std::string& name : compute::ProblemNames()) {
    const auto problem = compute::FindProblem(name);
    if (!problem) return problem.error();
    listed.push_back({name, problem->backend, problem->summary, problem->traps, "", std::nullopt});
  }
  const std::filesystem::path folder = FolderOf(shell, request);
  for (const std::string& name : compute::ImportedNames(folder)) {
    const std::filesystem::path place = compute::FolderOfImported(folder, name);
    const auto problem = compute::ReadProblemFolder(place);
    if (!problem) {
      shell.console.err << fmt::format("hone problems: {}\n", Printable(problem.error().message));
      continue;
    }
    listed.push_back({name, problem->backend, problem->summary, problem->traps, place.string(),
                      app::FindScreening(place)});
  }
  if (shell.wants_json) {
    shell.console.out << Dump({{"folder", folder.string()}, {"problems", ListJson(listed)}})
                      << '\n';
  } else {
    shell.console.out << ProblemsTable(listed, shell.console.out_ink);
  }
  return ExitCode::kYes;
}

Result<app::ImportOrder> OrderOf(const Shell& shell, const ProblemsRequest& request) {
  if (request.checkout.empty()) {
    return Error{Errc::kInvalidArgument,
                 "import: name the folder of a checkout of KernelBench: hone problems import DIR"};
  }
  app::ImportOrder order;
  order.checkout = request.checkout;
  order.into = FolderOf(shell, request);
  for (const std::string& text : request.levels) {
    const auto level = ParseCount("--level", text, 1, 1000);
    if (!level) return level.error();
    order.levels.insert(static_cast<int>(*level));
  }
  order.only = request.only;
  order.wants_screening = !request.is_unscreened;
  order.timeout = request.timeout;
  return order;
}

// One line that is redrawn on a terminal; elsewhere a line for each problem that was screened or
// failed.
class StepDisplay {
 public:
  explicit StepDisplay(Shell& shell) : shell_(shell) {}
  ~StepDisplay() { Clear(); }

  void Show(const app::ImportStep& step) {
    if (shell_.is_quiet) return;
    std::ostream& out = shell_.console.err;
    if (shell_.console.is_err_terminal) {
      Clear();
      out << FitInto(StepLine(step), static_cast<std::size_t>(TerminalWidth() - 1)) << std::flush;
      is_drawn_ = true;
    } else if (!step.is_screening && (step.problem->screening || !step.problem->error.empty())) {
      out << StepLine(step) << std::endl;
    }
  }

 private:
  void Clear() {
    if (is_drawn_) shell_.console.err << "\r\x1b[K" << std::flush;
    is_drawn_ = false;
  }

  Shell& shell_;
  bool is_drawn_ = false;
};

Result<ExitCode> ImportFrom(Shell& shell, const ProblemsRequest& request) {
  const auto order = OrderOf(shell, request);
  if (!order) return order.error();
  auto interrupts = Interrupts::Watch([](int) {});
  if (!interrupts) return interrupts.error();
  app::KernelJudge judge(shell.builtins, shell.clock, 1);
  StepDisplay display(shell);
  app::ImportTools tools;
  tools.tell = [&](const app::ImportStep& step) { display.Show(step); };
  tools.judge = [&](Task task, const std::stop_token& stop) {
    return judge.Judge(std::move(task), stop);
  };
  tools.stop = (*interrupts)->wrap_up();
  if (order->wants_screening) {
    const auto torch = compute::FindPythonTorch();
    (torch ? tools.torch : tools.no_torch) = torch ? torch->version : torch.error().message;
  }
  const auto report = app::ImportProblems(*order, tools);
  if (!report) return report.error();
  if (shell.wants_json) {
    shell.console.out << Dump(ImportJson(*report)) << '\n';
  } else {
    shell.console.out << ImportSummary(*report, shell.console.out_ink);
  }
  for (const app::ImportedProblem& problem : report->problems) {
    if (problem.state == app::ImportState::kFailed) return ExitCode::kNo;
  }
  return report->is_stopped ? ExitCode::kNo : ExitCode::kYes;
}

constexpr Action<ProblemsRequest> kProblemsActions[] = {
    {"list", "list", "Problems that are built in, and those that were imported.", ListProblems},
    {"import", "import DIR",
     "Levels 1 to 3 of a checkout of KernelBench, each screened by the judge.", ImportFrom}};

Result<ExitCode> RunProblemsAction(Shell& shell, const ProblemsRequest& request) {
  for (const auto& action : kProblemsActions) {
    if (request.action == action.name) return action.run(shell, request);
  }
  return Error{Errc::kInvalidArgument,
               NoSuch("action", request.action, ActionNames(kProblemsActions))};
}

std::vector<Flag> ProblemsFlags(ProblemsRequest& request) {
  return {{.names = "ACTION",
           .value = "",
           .help = "list or import.",
           .set = Store(request.action),
           .is_required = true,
           .completes = Completes::kChoices,
           .choices = ActionNames(kProblemsActions)},
          {.names = "DIR",
           .value = "",
           .help = "import: the checkout, the folder that has KernelBench/level1 in it.",
           .set = Store(request.checkout),
           .completes = Completes::kFile},
          {.names = "--into",
           .value = "FOLDER",
           .help = "Where imported problems are; problems beside the store if not given.",
           .set = Store(request.folder),
           .completes = Completes::kFile},
          {.names = "--level",
           .value = "N",
           .help = "import: only this level, 1, 2 or 3.",
           .set = Append(request.levels),
           .is_repeatable = true},
          {.names = "--only",
           .value = "PATTERN",
           .help = "import: only what fits, such as 'level2/*Gemm*', or a part of a name.",
           .set = Store(request.only)},
          {.names = "--no-screen",
           .value = "",
           .help = "import: screens nothing; the same command without it does so later.",
           .set = Raise(request.is_unscreened)},
          {.names = "--timeout",
           .value = "TIME",
           .help = "import: for each evaluation of a screening (60s).",
           .set = StoreParsed("--timeout", ParseDuration, request.timeout)}};
}

}  // namespace

Verb MakeProblemsVerb() {
  const auto request = std::make_shared<ProblemsRequest>();
  Verb verb;
  verb.name = "problems";
  verb.summary = "lists the problems that kernels are judged on, and imports KernelBench's";
  verb.description =
      "An imported problem is a folder; `hone eval --problem level1/19_ReLU` judges a\n"
      "PyTorch module on it. Importing again changes nothing that is equal, and goes on\n"
      "where an import was ended.\n"
      "\n"
      "A problem is screened in the sandbox of evaluations, by the same judge: the\n"
      "reference as its own candidate, then answers that compute nothing: zeros, ones,\n"
      "a constant, the answer to other inputs, a copy of an input. One that accepts such\n"
      "an answer is marked. What is too large here, takes too long or raises is not\n"
      "screened, and that is said.\n"
      "\n"
      "Exit status 0: everything was imported; 1: not everything, or it was stopped.";
  verb.flags = ProblemsFlags(*request);
  verb.examples = {
      {"hone problems list", "What there is, and what is known of it."},
      {"hone problems import KernelBench --no-screen", "All 250 problems, within seconds."},
      {"hone problems import KernelBench --level 1 --timeout 20s",
       "Level 1, each screened for a short time."},
      {"hone eval relu.py --problem level1/19_ReLU", "Judges a module on one of them."}};
  verb.run = [request](Shell& shell) { return RunProblemsAction(shell, *request); };
  verb.more_help = [] { return "\nActions:\n" + TwoColumns(ActionRows(kProblemsActions)); };
  return verb;
}

}  // namespace hone::cli
