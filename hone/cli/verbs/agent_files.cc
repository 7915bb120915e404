// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/verbs/agent_files.h"

#include <fmt/format.h>

#include <ostream>
#include <system_error>

#include "hone/base/file.h"
#include "hone/cli/verbs/run_flags.h"
#include "hone/core/rng.h"

namespace hone::cli {

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
  const std::filesystem::path path =
      files.log.empty()
          ? shell.store.parent_path() / folder / fmt::format("{:016x}.jsonl", DigestOf(asked))
          : std::filesystem::path(files.log);
  if (path.has_parent_path()) {
    if (auto made = MakeFolder(path.parent_path()); !made) return made.error();
  }
  std::error_code failure;
  if (files.begins_again) std::filesystem::rename(path, path.string() + ".old", failure);
  auto log = agent::AgentLog::Open(path);
  if (log && !shell.is_quiet) {
    shell.console.err << fmt::format(
        "log: {}{}\n", path.string(),
        log->is_at_end() ? "" : " (goes on where it ended; --again begins anew)");
  }
  return log;
}

}  // namespace hone::cli
