// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hone/app/llm/llm_http.h"
#include "hone/app/llm/llm_parts.h"
#include "hone/cli/verb.h"
#include "hone/cli/verbs/service_flags.h"

// What `hone llm ACTION` does; verb_llm.cc has the table.
namespace hone::cli {

struct LlmRequest {
  std::string action;
  std::string folder;
  std::optional<std::string> text;  // To tokenize; none, or "-": standard input.
  bool has_special = false;
  bool wants_tokens = false;
  app::LlmPlan plan;
  app::NewLlm made;
  app::LlmHttpSettings http;
  bool is_open = false;  // No tokens.
  std::string token_file;
  std::string system;  // The first message of a chat.
  std::int64_t max_tokens = 1024;
  std::optional<double> temperature;
  LogChoice log;
};

std::vector<Flag> LlmFolderFlags(LlmRequest& request);  // Of tokenize and template.
std::vector<Flag> LlmRunFlags(LlmRequest& request);     // Of serve and chat.
std::vector<Flag> LlmServeFlags(LlmRequest& request);
std::vector<Flag> LlmMakeFlags(LlmRequest& request);

Result<ExitCode> LlmInfo(Shell& shell, const LlmRequest& request);
Result<ExitCode> LlmTokenize(Shell& shell, const LlmRequest& request);
Result<ExitCode> LlmTemplate(Shell& shell, const LlmRequest& request);
Result<ExitCode> LlmServe(Shell& shell, const LlmRequest& request);
Result<ExitCode> LlmChat(Shell& shell, const LlmRequest& request);
Result<ExitCode> LlmMake(Shell& shell, const LlmRequest& request);

}  // namespace hone::cli
