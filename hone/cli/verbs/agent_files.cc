// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/verbs/agent_files.h"

#include <fmt/format.h>

#include <ostream>
#include <system_error>
#include <utility>

#include "hone/agent/chat/spending_file.h"
#include "hone/base/file.h"
#include "hone/base/sha256.h"
#include "hone/cli/verbs/run_flags.h"

namespace hone::cli {
namespace {

std::filesystem::path LogPath(const Shell& shell, const AgentFiles& files, std::string_view folder,
                              std::string_view asked) {
  if (!files.log.empty()) return files.log;
  return shell.store.parent_path() / folder / (Sha256Of(asked) + ".jsonl");
}

// Its folder is there, and it is not where all begins anew.
Result<void> MakeRoom(const std::filesystem::path& path, const AgentFiles& files) {
  if (path.has_parent_path()) {
    if (auto made = MakeFolder(path.parent_path()); !made) return made.error();
  }
  std::error_code failure;
  if (files.begins_again) std::filesystem::rename(path, path.string() + ".old", failure);
  return {};
}

// In the place of a model where a log holds its answers.
class NobodyToAsk final : public agent::ChatModel {
 public:
  using ChatModel::Ask;
  Result<agent::ChatAnswer> Ask(const agent::ChatRequest&, const agent::ChatListener&) override {
    return Error{Errc::kInvalidArgument,
                 "--llm: the log has no answer to this; give --llm URL to go on"};
  }
  std::string name() const override { return "nobody"; }
};

}  // namespace

std::vector<Flag> AgentFileFlags(AgentFiles& files) {
  return {OutputFlag(files.output,
                     "Where the result goes: of kconfig the .config, of kernel the source."),
          {.names = "--log",
           .value = "FILE",
           .help = "The log, from which a killed command goes on; beside the store if not given.",
           .set = Store(files.log),
           .completes = Completes::kFile},
          {.names = "--again",
           .value = "",
           .help = "Begins anew; the old log is kept as FILE.old.",
           .set = Raise(files.begins_again)}};
}

Result<agent::AgentLog> OpenActionLog(Shell& shell, const AgentFiles& files,
                                      std::string_view folder, std::string_view asked) {
  const std::filesystem::path path = LogPath(shell, files, folder, asked);
  if (auto ready = MakeRoom(path, files); !ready) return ready.error();
  auto log = agent::AgentLog::Open(path);
  if (log && !shell.is_quiet) {
    shell.console.err << fmt::format(
        "log: {}{}\n", path.string(),
        log->is_at_end() ? "" : " (goes on where it ended; --again begins anew)");
  }
  return log;
}

Result<std::shared_ptr<agent::ChatBudget>> OpenActionBudget(const Shell& shell,
                                                            const AgentFiles& files,
                                                            std::string_view folder,
                                                            std::string_view asked,
                                                            agent::ChatSettings chat) {
  const std::filesystem::path path = LogPath(shell, files, folder, asked).string() + ".spent";
  if (auto ready = MakeRoom(path, files); !ready) return ready.error();
  auto opened = agent::SpendingFile::Open(path);
  if (!opened) return opened.error();
  const auto file = std::make_shared<agent::SpendingFile>(std::move(*opened));
  chat.already_spent = file->spent();
  auto budget = agent::OpenChatBudget(chat);
  if (!budget) return budget.error();
  (*budget)->KeepBy([file](const agent::ChatSpending& at_most) { return file->Note(at_most); });
  return budget;
}

Result<void> CheckAnswersAreThere(const AgentFiles& files, const agent::ChatSettings& chat) {
  std::error_code failure;
  const bool has_log =
      !files.log.empty() && !files.begins_again && std::filesystem::exists(files.log, failure);
  if (chat.is_configured() || has_log) return {};
  return Error{Errc::kInvalidArgument,
               "--llm: no language model is named; give --llm URL or set HONE_LLM, or --log FILE "
               "if that holds its answers"};
}

Result<std::unique_ptr<agent::ChatModel>> OpenActionModel(const Shell& shell,
                                                          const agent::ChatSettings& chat) {
  if (chat.is_configured()) return agent::OpenChatModel(chat, shell.clock);
  return std::make_unique<NobodyToAsk>();
}

}  // namespace hone::cli
