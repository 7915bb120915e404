// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <condition_variable>
#include <deque>
#include <iostream>
#include <memory>
#include <mutex>
#include <ostream>
#include <utility>

#include "hone/app/service/service_parts.h"
#include "hone/base/file.h"
#include "hone/base/fresh_number.h"
#include "hone/base/http/http_url.h"
#include "hone/cli/interrupts.h"
#include "hone/cli/verbs/llm_actions.h"
#include "hone/llm/openai/openai_answer.h"
#include "hone/server/api_server.h"

namespace hone::cli {
namespace {

Result<app::LlmParts> OpenFrom(const Shell& shell, const LlmRequest& request) {
  app::LlmPlan plan = request.plan;
  plan.folder = request.folder;
  if (!shell.is_quiet) {
    shell.console.err << fmt::format("hone llm: loading {}\n", plan.folder.string());
  }
  return app::OpenLlm(plan);
}

Result<server::TokenBook> LlmTokens(const Shell& shell, const LlmRequest& request,
                                    std::string& file) {
  if (request.is_open) {
    if (server::IsLoopback(request.http.http.address)) return server::TokenBook();
    return Error{Errc::kInvalidArgument, "--no-token: only on a loopback address"};
  }
  file = request.token_file;
  if (!file.empty()) return server::TokenBook::Load(file);
  if (auto made = MakeFolder(shell.store.parent_path()); !made) return made.error();
  file = app::ServicePath(shell.store, "tokens").string();
  return server::TokenBook::LoadOrMake(file);
}

// Events for one thread that waits.
class EventQueue final : public llm::GenerationListener {
 public:
  void OnEvent(llm::GenerationEvent event) override {
    {
      const std::lock_guard lock(mutex_);
      events_.push_back(std::move(event));
    }
    changed_.notify_all();
  }
  void OnFailure(const Error& error) override {
    {
      const std::lock_guard lock(mutex_);
      failure_ = error;
    }
    changed_.notify_all();
  }
  Result<llm::GenerationEvent> Take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !events_.empty() || failure_; });
    if (events_.empty()) return *failure_;
    llm::GenerationEvent event = std::move(events_.front());
    events_.pop_front();
    return event;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<llm::GenerationEvent> events_;
  std::optional<Error> failure_;
};

// One turn of the model, printed as it comes.
Result<std::string> Turn(Shell& shell, const app::LlmParts& parts, const LlmRequest& request,
                         const OrderedJson& messages, const std::stop_token& stop) {
  OrderedJson context = {{"messages", messages}};
  auto prompt = parts.text->EncodeChat(context);
  if (!prompt) return prompt.error();
  llm::OpenAiRequest wanted;
  llm::GenerationRequest& generation = wanted.generation;
  generation.prompt = std::move(*prompt);
  generation.max_tokens = request.max_tokens;
  generation.seed = FreshNumber();
  generation.stop_ids = parts.text->stop_ids();
  generation.sampling.temperature = request.temperature.value_or(
      parts.text->generation().do_sample ? parts.text->generation().temperature : 1);
  llm::OpenAiChoice choice(*parts.text, wanted);
  const auto events = std::make_shared<EventQueue>();
  const llm::RequestId id = parts.engine->Submit(generation, events);
  while (!choice.is_finished() && !stop.stop_requested()) {
    const auto event = events->Take();
    if (!event) return event.error();
    shell.console.out << choice.Add(*event).text << std::flush;
  }
  parts.engine->Cancel(id);
  shell.console.out << '\n';
  return choice.text();
}

}  // namespace

std::vector<Flag> LlmRunFlags(LlmRequest& request) {
  app::LlmPlan& plan = request.plan;
  return {{.names = "--device",
           .value = "NAME",
           .help = "cpu or cuda (the GPU, if there is one).",
           .set = Store(plan.device),
           .completes = Completes::kChoices,
           .choices = {"cpu", "cuda"}},
          {.names = "--type",
           .value = "NAME",
           .help = "f32 or bf16 (bf16 on a GPU, else f32).",
           .set = Store(plan.type),
           .completes = Completes::kChoices,
           .choices = {"f32", "bf16"}},
          {.names = "--adapter",
           .value = "DIR",
           .help = "A LoRA adapter of PEFT, merged into the weights.",
           .set = [&plan](const std::string& text) -> Result<void> {
             plan.adapter = text;
             return {};
           },
           .completes = Completes::kFile},
          {.names = "--rows",
           .value = "N",
           .help = "Texts that are continued at the same time (16).",
           .set = StoreCount("--rows", plan.rows, 1, 4096)},
          {.names = "--length",
           .value = "N",
           .help = "Tokens of a text, its prompt included (4096, or what the model can).",
           .set = [&request](const std::string& text) -> Result<void> {
             const auto length = ParseCount("--length", text, 2, 1 << 24);
             if (!length) return length.error();
             request.plan.length = *length;
             request.made.length = *length;
             return {};
           }},
          {.names = "--threads",
           .value = "N",
           .help = "Threads of the processor (as many as torch likes).",
           .set = StoreCount("--threads", plan.threads, 1, 4096)},
          {.names = "--system",
           .value = "TEXT",
           .help = "chat: the system message.",
           .set = Store(request.system)},
          {.names = "--max-tokens",
           .value = "N",
           .help = "chat: of one answer (1024).",
           .set = StoreCount("--max-tokens", request.max_tokens, 1)}};
}

std::vector<Flag> LlmServeFlags(LlmRequest& request) {
  request.http.http.port = app::kLlmPort;
  return {{.names = "--host",
           .value = "ADDRESS",
           .help = "serve: where to listen (127.0.0.1).",
           .set = Store(request.http.http.address)},
          {.names = "--port",
           .value = "N",
           .help = "serve: the port (10909; 0: any that is free).",
           .set = StoreCount("--port", request.http.http.port, 0, 65'535)},
          {.names = "--name",
           .value = "NAME",
           .help = "serve: the model's name for clients (the folder's).",
           .set = Store(request.plan.name)},
          {.names = "--token-file",
           .value = "FILE",
           .help = "serve: lines `ROLE TOKEN`; by default `tokens` beside the store, made at the "
                   "first start. A client's API key is a token of the role submit.",
           .set = Store(request.token_file),
           .completes = Completes::kFile},
          {.names = "--no-token",
           .value = "",
           .help = "serve: ask nobody for a token; only on a loopback address.",
           .set = Raise(request.is_open)}};
}

Result<ExitCode> LlmServe(Shell& shell, const LlmRequest& request) {
  UseLog(shell, request.log);
  app::LlmHttpSettings settings = request.http;
  std::string token_file;
  auto tokens = LlmTokens(shell, request, token_file);
  if (!tokens) return tokens.error();
  settings.access.tokens = std::move(*tokens);
  auto interrupts = Interrupts::Watch([&shell](int count) {
    if (count == 1 && !shell.is_quiet) shell.console.err << "hone llm: stopping\n";
  });
  if (!interrupts) return interrupts.error();
  const auto parts = OpenFrom(shell, request);
  if (!parts) return parts.error();
  const std::string address = settings.http.address;
  const auto http =
      app::StartLlmHttp(*parts->engine, *parts->text, shell.clock, std::move(settings));
  if (!http) return http.error();
  const std::string url = "http://" + AuthorityOf(address, (*http)->port()) + "/v1";
  const llm::EngineFacts& facts = parts->engine->facts();
  if (shell.wants_json) {
    shell.console.out << Dump({{"url", url},
                               {"model", parts->text->name()},
                               {"token_file", token_file},
                               {"engine", facts.identity},
                               {"placed", facts.placed},
                               {"rows", facts.rows},
                               {"max_length", facts.max_length}})
                      << '\n';
    shell.console.out.flush();
  }
  if (!shell.is_quiet) {
    shell.console.err << fmt::format(
        "hone llm: {} · model {} · {} · {} texts of {} tokens at a time · tokens: {}\n", url,
        parts->text->name(), facts.placed, facts.rows, facts.max_length,
        token_file.empty() ? "none, this machine's users may use it" : token_file);
  }
  (*interrupts)->AwaitWrapUp();
  return ExitCode::kYes;
}

Result<ExitCode> LlmChat(Shell& shell, const LlmRequest& request) {
  auto interrupts = Interrupts::Watch([](int) {});
  if (!interrupts) return interrupts.error();
  const auto parts = OpenFrom(shell, request);
  if (!parts) return parts.error();
  if (!shell.is_quiet) {
    shell.console.err << fmt::format("hone llm: {} {}. Ctrl-D ends\n", parts->text->name(),
                                     parts->engine->facts().placed);
  }
  OrderedJson messages = OrderedJson::array();
  if (!request.system.empty()) {
    messages.push_back({{"role", "system"}, {"content", request.system}});
  }
  std::string line;
  while (!(*interrupts)->wrap_up().stop_requested()) {
    if (!shell.is_quiet) shell.console.err << "> " << std::flush;
    if (!std::getline(std::cin, line)) break;
    if (line.empty()) continue;
    messages.push_back({{"role", "user"}, {"content", line}});
    const auto said = Turn(shell, *parts, request, messages, (*interrupts)->wrap_up());
    if (!said) return said.error();
    messages.push_back({{"role", "assistant"}, {"content", *said}});
  }
  return ExitCode::kYes;
}

}  // namespace hone::cli
