// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/verbs/stored_run.h"

#include <fmt/format.h>

#include <ostream>
#include <system_error>
#include <utility>

#include "hone/base/file.h"
#include "hone/eval/sqlite/evaluation_store.h"

namespace hone::cli {

Flag RunOperand(std::string& target) {
  return {.names = "RUN",
          .value = "",
          .help = "A campaign, such as toy-7, or last; hone runs lists them.",
          .set = Store(target),
          .is_required = true,
          .completes = Completes::kRun};
}

Flag OutputFlag(std::string& target, std::string help) {
  return {.names = "-o,--output",
          .value = "FILE",
          .help = std::move(help),
          .set = Store(target),
          .completes = Completes::kFile};
}

Result<tune::CampaignStore> OpenForReading(const Shell& shell) {
  std::error_code ignored;
  if (!std::filesystem::exists(shell.store, ignored)) {
    return Error{Errc::kNotFound,
                 fmt::format("{}: no campaign is stored there yet; start one: hone tune toy",
                             shell.store.string())};
  }
  return tune::CampaignStore::Open(shell.store, shell.clock, Database::Mode::kReadOnly);
}

Result<tune::CampaignHistory> LoadRun(const Shell& shell, const std::string& run) {
  auto campaigns = OpenForReading(shell);
  if (!campaigns) return campaigns.error();
  auto evaluations = EvaluationStore::Open(shell.store);
  if (!evaluations) return evaluations.error();
  return tune::LoadHistory(*campaigns, *evaluations, run);
}

Result<void> WriteAnswer(Shell& shell, const std::string& path, std::string_view text) {
  if (path == "-") {
    shell.console.out << text;
    return {};
  }
  if (auto written = WriteFileDurably(path, text); !written) return written;
  if (!shell.is_quiet) shell.console.err << fmt::format("Wrote {}\n", path);
  return {};
}

}  // namespace hone::cli
