// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/serve/engine_process.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "hone/base/json/json_frames.h"
#include "hone/base/process/find_program.h"
#include "hone/base/process/linked_process.h"

namespace hone::llm {
namespace {

constexpr std::chrono::milliseconds kEngineEndGrace{5'000};
constexpr const char* kEngineName = "hone-llm";

class StartedEngine final : public EngineProcess {
 public:
  explicit StartedEngine(LinkedProcess process) : process_(std::move(process)) {}

  ~StartedEngine() override {
    {
      const std::lock_guard lock(mutex_);
      is_closing_ = true;
    }
    changed_.notify_all();
    process_.HangUp();
    if (writer_.joinable()) writer_.join();
    if (reader_.joinable()) reader_.join();
    FailAll({Errc::kUnavailable, "the engine is shutting down"});
    process_.End(kEngineEndGrace);
  }

  Result<void> AwaitReady(std::chrono::milliseconds limit) {
    auto first = ReceiveFrame(process_.socket(), std::chrono::steady_clock::now() + limit);
    if (!first) return NotReady(first.error(), limit);
    auto message = ReadFromEngine(*first);
    if (!message) return message.error();
    if (const auto* failed = std::get_if<FailedMessage>(&*message)) {
      return Error{Errc::kUnavailable, failed->message};
    }
    const auto* facts = std::get_if<EngineFacts>(&*message);
    if (facts == nullptr || facts->vocab_size < 1 || facts->max_length < 2) {
      return Error{Errc::kCorrupt, "hone-llm began with something else than what it has"};
    }
    facts_ = *facts;
    reader_ = std::thread([this] { Read(); });
    writer_ = std::thread([this] { Write(); });
    return {};
  }

  const EngineFacts& facts() const override { return facts_; }

  RequestId Submit(GenerationRequest request,
                   std::shared_ptr<GenerationListener> listener) override {
    RequestId id = 0;
    std::optional<Error> failure;
    {
      const std::lock_guard lock(mutex_);
      id = ++last_id_;
      failure = failure_;
      if (!failure) {
        open_.emplace(id, Open{listener, request.samples});
        outbox_.emplace_back(SubmitMessage{id, std::move(request)});
      }
    }
    changed_.notify_all();
    if (failure) listener->OnFailure(*failure);
    return id;
  }

  void Cancel(RequestId id) override {
    {
      const std::lock_guard lock(mutex_);
      if (open_.erase(id) == 0) return;
      outbox_.emplace_back(CancelMessage{id});
    }
    changed_.notify_all();
  }

  std::size_t open_requests() const override {
    const std::lock_guard lock(mutex_);
    return open_.size();
  }

  EngineStats stats() override {
    EngineStats last;
    {
      const std::lock_guard lock(mutex_);
      last = stats_;
      if (!failure_) outbox_.emplace_back(AskStatsMessage{});
    }
    changed_.notify_all();
    return last;
  }

  std::optional<Error> failure() const override {
    const std::lock_guard lock(mutex_);
    return failure_;
  }

 private:
  struct Open {
    std::shared_ptr<GenerationListener> listener;
    int samples = 0;  // That have not ended.
  };

  Error NotReady(const Error& seen, std::chrono::milliseconds limit) {
    if (seen.code == Errc::kStale) {
      process_.End(std::chrono::milliseconds{0});
      return {Errc::kUnavailable,
              fmt::format("hone-llm had not loaded the model after {} and was ended", limit)};
    }
    if (seen.code != Errc::kUnavailable) return seen;
    return {Errc::kUnavailable,
            fmt::format("hone-llm {} before the model was ready; what it said stands above",
                        TextOfEnd(process_.End(kEngineEndGrace)))};
  }

  void Write() {
    while (true) {
      std::deque<ToEngine> messages;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return is_closing_ || failure_ || !outbox_.empty(); });
        if (is_closing_ || failure_) return;
        messages.swap(outbox_);
      }
      for (const ToEngine& message : messages) {
        if (!SendFrame(process_.socket(), ToJson(message))) return;  // The reader sees it too.
      }
    }
  }

  void Read() {
    while (true) {
      auto frame = ReceiveFrame(process_.socket());
      if (!frame) return Fail(frame.error());
      auto message = ReadFromEngine(*frame);
      if (!message) return Fail(message.error());
      if (auto* event = std::get_if<GenerationEvent>(&*message)) {
        Tell(std::move(*event));
      } else if (const auto* failed = std::get_if<FailedMessage>(&*message)) {
        if (failed->id == 0) return Fail({Errc::kUnavailable, failed->message});
        Refuse(*failed);
      } else if (const auto* stats = std::get_if<EngineStats>(&*message)) {
        const std::lock_guard lock(mutex_);
        stats_ = *stats;
      }
    }
  }

  void Tell(GenerationEvent event) {
    std::shared_ptr<GenerationListener> listener;
    {
      const std::lock_guard lock(mutex_);
      const auto found = open_.find(event.request);
      if (found == open_.end()) return;  // It was cancelled.
      listener = found->second.listener;
      if (event.finish && --found->second.samples == 0) open_.erase(found);
    }
    listener->OnEvent(std::move(event));
  }

  void Refuse(const FailedMessage& failed) {
    std::shared_ptr<GenerationListener> listener;
    {
      const std::lock_guard lock(mutex_);
      const auto found = open_.find(failed.id);
      if (found == open_.end()) return;
      listener = std::move(found->second.listener);
      open_.erase(found);
    }
    listener->OnFailure({Errc::kInvalidArgument, failed.message});
  }

  void Fail(const Error& error) {
    const Error seen{Errc::kUnavailable, "the engine is gone: " + error.message};
    {
      const std::lock_guard lock(mutex_);
      failure_ = seen;
    }
    changed_.notify_all();
    process_.HangUp();  // One that speaks nonsense is not listened to again.
    FailAll(seen);
  }

  void FailAll(const Error& error) {
    std::map<RequestId, Open> open;
    {
      const std::lock_guard lock(mutex_);
      open.swap(open_);
    }
    for (const auto& [id, request] : open) request.listener->OnFailure(error);
  }

  LinkedProcess process_;
  EngineFacts facts_;
  std::thread reader_;
  std::thread writer_;
  mutable std::mutex mutex_;  // Protects what follows.
  std::condition_variable changed_;
  bool is_closing_ = false;
  std::optional<Error> failure_;
  RequestId last_id_ = 0;
  std::map<RequestId, Open> open_;
  std::deque<ToEngine> outbox_;
  EngineStats stats_;
};

// Beside the program, and where `make llm` puts it if the program is one of a build folder
// (TREE/build/PRESET/hone/cli/hone). No other folder above it: somebody else may write to that.
std::vector<std::filesystem::path> EnginePlaces(const std::filesystem::path& self) {
  const auto preset = self.parent_path().parent_path().parent_path();
  const auto build = preset.parent_path();
  std::vector<std::filesystem::path> places = {self.parent_path() / kEngineName};
  if (build.filename() == "build" && self == preset / "hone/cli/hone") {
    places.push_back(build / "llm/hone/llm/program" / kEngineName);
  }
  return places;
}

bool IsProgram(const std::filesystem::path& path) { return ::access(path.c_str(), X_OK) == 0; }

}  // namespace

Result<std::filesystem::path> FindEngineProgram() {
  if (const char* given = std::getenv("HONE_LLM_PROGRAM"); given != nullptr && *given != '\0') {
    if (IsProgram(given)) return std::filesystem::path(given);
    return Error{Errc::kNotFound, fmt::format("HONE_LLM_PROGRAM: {}: no such program", given)};
  }
  std::error_code problem;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", problem);
  if (!problem) {
    for (const auto& found : EnginePlaces(self)) {
      if (IsProgram(found)) return found;
    }
  }
  if (const auto found = FindProgram(kEngineName, SearchPath())) {
    return std::filesystem::path(*found);
  }
  return Error{Errc::kUnsupported,
               "hone-llm is not there: it runs language models and needs libtorch. In the source "
               "tree `make llm` builds it; HONE_LLM_PROGRAM names one elsewhere"};
}

Result<std::unique_ptr<EngineProcess>> EngineProcess::Start(const EngineProgram& program) {
  LinkedProgram linked{program.program, {kEngineName}};
  linked.arguments.insert(linked.arguments.end(), program.arguments.begin(),
                          program.arguments.end());
  auto process = LinkedProcess::Start(linked);
  if (!process) return process.error();
  auto engine = std::make_unique<StartedEngine>(*std::move(process));
  if (auto ready = engine->AwaitReady(program.load_timeout); !ready) return ready.error();
  return std::unique_ptr<EngineProcess>(std::move(engine));
}

}  // namespace hone::llm
