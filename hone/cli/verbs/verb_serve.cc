// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <ostream>
#include <sstream>
#include <utility>

#include "hone/app/service/service_parts.h"
#include "hone/app/version.h"
#include "hone/base/file.h"
#include "hone/base/http/http_url.h"
#include "hone/base/json/json.h"
#include "hone/base/json/parse_values.h"
#include "hone/base/log.h"
#include "hone/cli/interrupts.h"
#include "hone/cli/verbs.h"
#include "hone/cli/verbs/dashboard.h"
#include "hone/cli/verbs/service_flags.h"
#include "hone/sandbox/protections.h"
#include "hone/server/api_server.h"
#include "hone/server/kernelgym/kernelgym_request.h"
#include "hone/server/kernelgym/kernelgym_routes.h"

namespace hone::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kMaxStart{5'000};
constexpr milliseconds kMinIdleTimeout{1'000};
constexpr milliseconds kSlice{200};  // Between two checks for a second Ctrl-C.

struct ServeArguments {
  app::QueueChoice queue;
  app::WorkerChoice worker_options;
  LogChoice log;
  server::ApiSettings api;
  server::EnvironmentSettings environments;  // Their limits.
  std::string token_file;
  bool is_open = false;  // No token is asked for.
  bool has_no_workers = false;
  milliseconds drain{30'000};
};

constexpr const char* kKernelGymBackends = "cuda,triton";

Result<std::vector<std::string>> ParseBackends(const std::string& text) {
  std::vector<std::string> backends;
  std::stringstream words(text == "none" ? "" : text);
  for (std::string word; std::getline(words, word, ',');) {
    if (!server::IsBackend(word)) {
      return Error{
          Errc::kInvalidArgument,
          fmt::format("--expect: expected cuda, triton, torch, cpp or none, found \"{}\"", word)};
    }
    backends.push_back(word);
  }
  return backends;
}

Result<void> AddMapping(const std::string& text, server::ServiceSettings& settings) {
  const auto middle = text.find('=');
  const std::string from = text.substr(0, middle);
  const std::string to = middle == text.npos ? "" : text.substr(middle + 1);
  if (!server::IsBackend(from) || !server::IsBackend(to)) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("--map-backend: expected two of cuda, triton, torch and cpp as in "
                             "triton=torch, found \"{}\"",
                             text)};
  }
  settings.backends[from] = to;
  return {};
}

Result<void> SetTolerance(const std::string& text, server::ServiceSettings& settings) {
  if (!server::IsTolerance(text)) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("--tolerance: expected reference or kernelgym, found \"{}\"", text)};
  }
  settings.tolerance = text;
  return {};
}

Result<server::TokenBook> OpenTokens(const Shell& shell, ServeArguments& arguments) {
  if (arguments.is_open && !arguments.token_file.empty()) {
    return Error{Errc::kInvalidArgument, "--no-token: not with --token-file"};
  }
  if (arguments.is_open) return server::TokenBook();
  if (!arguments.token_file.empty()) return server::TokenBook::Load(arguments.token_file);
  arguments.token_file = app::ServicePath(shell.store, "tokens").string();
  return server::TokenBook::LoadOrMake(arguments.token_file);
}

std::string ProtectionsText() {
  const Protections& protections = ProbeProtections();
  const std::size_t all = AllProtections().size();
  if (protections.missing.empty()) return fmt::format("all {} protections", all);
  std::vector<std::string> missing;
  for (const auto& [protection, why] : protections.missing) {
    missing.push_back(fmt::format("no {} ({})", NameOf(protection), why));
  }
  return fmt::format("{} of {} protections: {}", all - missing.size(), all,
                     fmt::join(missing, "; "));
}

struct Facts {
  std::string url;
  std::string tokens;
  std::string queue;
  std::string workers;
  std::string protections;
  std::vector<std::string> unserved;  // Expected backends without a worker.
};

void TellServing(const Shell& shell, const Facts& facts) {
  if (shell.wants_json) {
    shell.console.out << Dump({{"url", facts.url},
                               {"token_file", facts.tokens},
                               {"queue", facts.queue},
                               {"workers", facts.workers},
                               {"protections", facts.protections},
                               {"unserved", facts.unserved}})
                      << '\n';
    shell.console.out.flush();
  }
  if (shell.is_quiet) return;
  shell.console.err << fmt::format(
      "hone serve: {} · tokens: {} · queue: {} · workers: {} · sandbox: {}\n", facts.url,
      facts.tokens.empty() ? "none, this machine's users may do everything" : facts.tokens,
      facts.queue, facts.workers, facts.protections);
  if (facts.unserved.empty()) return;
  shell.console.err << fmt::format(
      "hone serve: no worker for {}: such tasks wait, and /health is unhealthy; start `hone "
      "worker` "
      "where it works, or say with --expect what clients will send\n",
      fmt::join(facts.unserved, " and "));
}

void Finish(const Shell& shell, server::ApiServer& server, const ServeArguments& arguments,
            const std::stop_token& hurry) {
  const auto end = shell.clock.Now() + arguments.drain;
  while (!server.Drain(kSlice) && shell.clock.Now() < end && !hurry.stop_requested()) {
  }
  server.TurnAway();
  server.Drain(kSlice);
}

// With workers here, what they may change for an owner is also read here for that owner.
void OfferEnvironments(const Shell& shell, ServeArguments& arguments) {
  server::EnvironmentSettings settings = app::EnvironmentsOf(shell.builtins.domains);
  const std::vector<std::string>& owners = arguments.worker_options.owners;
  if (!arguments.has_no_workers) settings.serves.insert(owners.begin(), owners.end());
  settings.max = arguments.environments.max;
  settings.max_per_token = arguments.environments.max_per_token;
  settings.idle_timeout = arguments.environments.idle_timeout;
  arguments.api.environments = std::move(settings);
}

Result<ExitCode> Serve(Shell& shell, ServeArguments& arguments) {
  UseLog(shell, arguments.log);
  if (auto made = MakeFolder(shell.store.parent_path()); !made) return made.error();
  const bool is_shared = arguments.queue.kind == "redis" || !arguments.queue.server.where.empty();
  const auto lock = is_shared ? Result<FileLock>(Error{Errc::kUnsupported, ""})
                              : FileLock::Take(app::ServicePath(shell.store, "service.lock"));
  if (!lock && !is_shared && lock.error().code != Errc::kStale) return lock.error();
  if (!lock && !is_shared) {
    return Error{
        lock.error().code,
        fmt::format("another hone serve uses this store: {}; stop it, or use another --store",
                    lock.error().message)};
  }
  auto interrupts = Interrupts::Watch([&shell](int count) {
    shell.console.err << (count == 1 ? "hone serve: finishing what runs; again to stop at once\n"
                                     : "hone serve: stopping\n");
  });
  if (!interrupts) return interrupts.error();
  auto tokens = OpenTokens(shell, arguments);
  if (!tokens) return tokens.error();
  arguments.api.access.tokens = std::move(*tokens);
  auto queue = app::OpenServiceQueue(shell.builtins, shell.store, shell.clock, arguments.queue);
  if (!queue) return queue.error();
  arguments.api.service.version = app::Version();
  arguments.api.service.domains = app::OfferedDomains(shell.builtins.domains);
  arguments.api.campaigns = BoardSettings(shell.store);
  OfferEnvironments(shell, arguments);

  const auto on_failure = [](const Error& error) {
    Log(LogLevel::kError, "a worker ended: {}", error.message);
  };
  std::optional<WorkerPool> worker_options;
  Facts facts{"", arguments.token_file, queue->name, "none here", ProtectionsText(), {}};
  if (!arguments.has_no_workers) {
    auto settings = app::WorkerOptions(arguments.worker_options, shell.clock, on_failure);
    if (!settings) return settings.error();
    facts.workers =
        fmt::format("{} ({})", settings->workers, fmt::join(settings->worker.has.names, ", "));
    worker_options.emplace(*queue->queue, shell.clock, shell.builtins.domains,
                           std::move(*settings));
    worker_options->AwaitShown(kMaxStart);  // The first request must find a worker.
  }
  auto server = server::StartApiServer(*queue->queue, shell.clock, arguments.api);
  if (!server) return server.error();
  facts.url = "http://" + AuthorityOf(arguments.api.http.address, (*server)->port());
  const auto workers = queue->queue->Workers();
  facts.unserved = server::UnservedBackends(arguments.api.service,
                                            workers ? *workers : std::vector<WorkerCard>());
  TellServing(shell, facts);
  (*interrupts)->AwaitWrapUp();
  Finish(shell, **server, arguments, (*interrupts)->abandon());
  server->reset();
  if (worker_options) static_cast<void>(worker_options->Stop());
  return ExitCode::kYes;
}

std::vector<Flag> ListenFlags(ServeArguments& arguments) {
  server::HttpSettings& http = arguments.api.http;
  return {{.names = "--address",
           .value = "IP",
           .help = "Where to listen (127.0.0.1). Elsewhere only with tokens.",
           .set = Store(http.address)},
          {.names = "--port",
           .value = "N",
           .help = "The port (10907, KernelGYM's); 0: any that is free.",
           .set = StoreCount("--port", http.port, 0, 65535)},
          {.names = "--name",
           .value = "HOST",
           .help = "A name by which clients call this server, besides localhost and addresses.",
           .set = [&arguments](const std::string& text) -> Result<void> {
             arguments.api.access.names.insert(server::HostName(text + ":"));
             return {};
           },
           .is_repeatable = true},
          {.names = "--token-file",
           .value = "FILE",
           .help = "Lines `ROLE TOKEN`, roles submit, work, admin; by default `tokens` beside the "
                   "store, made at the first start.",
           .set = Store(arguments.token_file),
           .completes = Completes::kFile},
          {.names = "--no-token",
           .value = "",
           .help = "Ask nobody for a token; only on a loopback address.",
           .set = Raise(arguments.is_open)}};
}

std::vector<Flag> KernelGymFlags(ServeArguments& arguments) {
  server::ServiceSettings& service = arguments.api.service;
  service.expected_backends = ParseBackends(kKernelGymBackends).value();
  return {
      {.names = "--expect",
       .value = "LIST",
       .help = "Backends that clients will send (cuda,triton); /health is not healthy while one "
               "has no worker. none: whatever there is.",
       .set = [&service](const std::string& text) -> Result<void> {
         auto backends = ParseBackends(text);
         if (!backends) return backends.error();
         service.expected_backends = std::move(*backends);
         return {};
       }},
      {.names = "--map-backend",
       .value = "A=B",
       .help = "Judge what KernelGYM's clients send for A with B, as triton=torch: for tests "
               "without a GPU.",
       .set = [&service](const std::string& text) { return AddMapping(text, service); },
       .is_repeatable = true},
      {.names = "--tolerance",
       .value = "RULE",
       .help = "How far from the reference is right, where a request of KernelGYM says nothing: "
               "reference (its own rounding) or kernelgym (1e-2, for comparisons with it).",
       .set = [&service](const std::string& text) { return SetTolerance(text, service); }},
      {.names = "--refuse-unserved",
       .value = "",
       .help = "Answer 503 at once to what no worker could take, instead of letting it wait.",
       .set = Raise(service.refuses_unserved)}};
}

std::vector<Flag> LimitFlags(ServeArguments& arguments) {
  server::HttpLimits& limits = arguments.api.http.limits;
  return {
      {.names = "--connections",
       .value = "N",
       .help = "At most so many at once (8192).",
       .set = StoreCount("--connections", limits.connections, 1, 1'000'000)},
      {.names = "--client-connections",
       .value = "N",
       .help = "Of one address at most so many (4096).",
       .set = StoreCount("--client-connections", limits.connections_per_client, 1, 1'000'000)},
      {.names = "--rate",
       .value = "N",
       .help = "Requests a second of one address (5000); 0: as many as it likes.",
       .set = Parsed(
           "--rate",
           [](const auto& flag, const auto& text) { return ParseCount(flag, text, 0, 1'000'000); },
           [&limits](std::int64_t n) {
             limits.requests_per_second = static_cast<double>(n);
             limits.burst = 2 * limits.requests_per_second;
           })},
      {.names = "--body",
       .value = "MIB",
       .help = "The largest request (32).",
       .set = Parsed(
           "--body",
           [](const auto& flag, const auto& text) { return ParseCount(flag, text, 1, 1024); },
           [&limits](std::int64_t n) { limits.body_bytes = static_cast<std::size_t>(n) << 20U; })},
      {.names = "--keep",
       .value = "TIME",
       .help = "How long results are kept (168h); 0: for ever.",
       .set = StoreParsed("--keep", ParseDuration, arguments.api.kept)},
      {.names = "--most-queued",
       .value = "TIME",
       .help = "A task that found no worker for so long expires (1h).",
       .set = StoreParsed("--most-queued", ParseDuration, arguments.api.service.max_queued)},
      {.names = "--drain",
       .value = "TIME",
       .help = "After Ctrl-C, how long waiting clients may still get their verdicts (30s).",
       .set = StoreParsed("--drain", ParseDuration, arguments.drain)}};
}

// Less would close one between two requests of a client that is at work.
Result<milliseconds> ParseIdleTimeout(std::string_view flag, std::string_view text) {
  auto timeout = ParseDuration(flag, text);
  if (!timeout || *timeout >= kMinIdleTimeout) return timeout;
  return Error{Errc::kInvalidArgument,
               fmt::format("{}: expected at least 1s, found \"{}\"", flag, text)};
}

std::vector<Flag> EnvironmentFlags(ServeArguments& arguments) {
  server::EnvironmentSettings& environments = arguments.environments;
  return {{.names = "--environments",
           .value = "N",
           .help = "Environments (POST /v1/environments) at once (1024); 0: none.",
           .set = StoreCount("--environments", environments.max, 0, 1'000'000)},
          {.names = "--client-environments",
           .value = "N",
           .help = "Of one token at most so many (64).",
           .set = StoreCount("--client-environments", environments.max_per_token, 1, 1'000'000)},
          {.names = "--environment-idle",
           .value = "TIME",
           .help = "An environment that nobody asks for is closed after so long (15m).",
           .set = StoreParsed("--environment-idle", ParseIdleTimeout, environments.idle_timeout)}};
}

}  // namespace

Verb MakeServeVerb() {
  const auto arguments = std::make_shared<ServeArguments>();
  Verb verb;
  verb.name = "serve";
  verb.summary = "judges what clients send over HTTP; speaks KernelGYM's API";
  verb.description =
      "Starts everything on this machine: the API, an embedded queue, and workers for what\n"
      "the machine has. KernelGYM's endpoints are at the root, the native API under /v1,\n"
      "its description at /openapi.json. docs/api.md, docs/howto/serve.md\n"
      "\n"
      "It listens on 127.0.0.1 and asks for a token, which stands in a file that only you\n"
      "can read. A client that knows no tokens uses http://hone:TOKEN@127.0.0.1:10907.\n"
      "\n"
      "With --redis it shares its queue with `hone worker --redis` on other machines.\n"
      "Ctrl-C lets those who wait get their verdicts; again stops at once. What was not\n"
      "finished stays in the queue for the next start.";
  for (auto&& flags : {ListenFlags(*arguments), QueueFlags(arguments->queue),
                       WorkerFlags(arguments->worker_options), LogFlags(arguments->log)}) {
    verb.flags.insert(verb.flags.end(), flags.begin(), flags.end());
  }
  verb.flags.push_back({.names = "--no-workers",
                        .value = "",
                        .help = "Evaluate nothing here: other machines do.",
                        .set = Raise(arguments->has_no_workers)});
  verb.flags.push_back({.names = "--allow-deviations",
                        .value = "",
                        .help =
                            "Let clients soften problems by name (fewer trials, another policy, "
                            "a known seed). Their verdicts say so.",
                        .set = Raise(arguments->api.service.allows_deviations)});
  const auto kernelgym = KernelGymFlags(*arguments);
  verb.flags.insert(verb.flags.end(), kernelgym.begin(), kernelgym.end());
  const auto environments = EnvironmentFlags(*arguments);
  verb.flags.insert(verb.flags.end(), environments.begin(), environments.end());
  const auto limits = LimitFlags(*arguments);
  verb.flags.insert(verb.flags.end(), limits.begin(), limits.end());
  verb.examples = {{"hone serve", "Everything, on this machine, for this machine."},
                   {"hone serve --address 0.0.0.0 --redis redis://db:6379 --no-workers",
                    "The API for a cluster; the workers are elsewhere."},
                   {"curl -H \"Authorization: Bearer $TOKEN\" localhost:10907/v1/queue",
                    "How many tasks wait."}};
  verb.run = [arguments](Shell& shell) { return Serve(shell, *arguments); };
  return verb;
}

}  // namespace hone::cli
