// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/hone_process.h"

#include <chrono>
#include <thread>
#include <utility>

#include "hone/base/clock.h"
#include "hone/base/file.h"
#include "hone/eval/sqlite/evaluation_store.h"
#include "hone/tune/campaign/campaign_store.h"

namespace hone {
namespace {

constexpr std::chrono::milliseconds kLimit{100'000};
constexpr std::chrono::milliseconds kPause{20};

ProcessResult RunOrFail(std::vector<std::string> words) {
  Command command;
  command.arguments = std::move(words);
  command.limit = kLimit;
  command.max_output = 64 << 20;
  auto result = RunProcess(command);
  if (result) return std::move(*result);
  ADD_FAILURE() << result.error().message;
  return {};
}

}  // namespace

HoneTest::HoneTest() : folder_(TempDir::Make("hone-e2e")) {}

std::vector<std::string> HoneTest::CommandFor(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), HONE_BINARY);
  arguments.insert(arguments.end(), {"--store", Store().string()});
  return arguments;
}

ProcessResult HoneTest::Run(std::vector<std::string> arguments) const {
  return RunOrFail(CommandFor(std::move(arguments)));
}

Json HoneTest::RunJson(std::vector<std::string> arguments) const {
  arguments.emplace_back("--json");
  const ProcessResult result = Run(std::move(arguments));
  const auto json = ParseJson(result.output, "standard output", {.bytes = 64 << 20});
  if (json) return *json;
  ADD_FAILURE() << json.error().message << "\n" << result.output << result.errors;
  return nullptr;
}

std::size_t HoneTest::CountDecisions() const {
  if (!std::filesystem::exists(Store())) return 0;
  auto store = tune::CampaignStore::Open(Store(), SystemClock(), Database::Mode::kReadOnly);
  if (!store) return 0;
  const auto campaign = store->Find("last");
  if (!campaign) return 0;
  const auto decisions = store->Decisions(campaign->id);
  return decisions ? decisions->size() : 0;
}

bool HoneTest::WasPushed(const TaskId& task) const {
  auto store = EvaluationStore::Open(Store());
  if (!store) return false;
  const auto found = store->FindTask(task);
  return found && *found;
}

HoneTest::Live HoneTest::Start(std::vector<std::string> arguments,
                               const std::function<bool()>& is_there) const {
  const std::filesystem::path pid_file = Folder() / "pid";
  std::vector<std::string> words{
      "sh", "-c", "echo $$ > \"$0.new\" && mv \"$0.new\" \"$0\" && exec \"$@\"", pid_file.string()};
  for (std::string& word : CommandFor(std::move(arguments))) words.push_back(std::move(word));
  Live live;
  live.result = std::async(std::launch::async, RunOrFail, std::move(words));
  while (live.result.wait_for(kPause) != std::future_status::ready && !is_there()) {
  }
  live.pid = std::stoi(ReadFile(pid_file).value_or("0"));
  return live;
}

}  // namespace hone
