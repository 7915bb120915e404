// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <ostream>
#include <thread>

#include "hone/app/service/observed_page.h"
#include "hone/base/http/http_client.h"
#include "hone/base/json/json.h"
#include "hone/cli/verbs.h"

namespace hone::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kMaxLook{5'000};
constexpr int kOk = 200;

struct ObserveArguments {
  std::string url;
  std::vector<std::string> metrics;
  milliseconds length{10'000};
  milliseconds every{1'000};
};

// The URL and what stands behind the host in it, as it stands there.
Result<HttpCall> CallFor(const std::string& url) {
  const std::size_t host = url.find("//");
  const std::size_t slash = host == url.npos ? url.npos : url.find('/', host + 2);
  auto parsed = ParseHttpUrl(url.substr(0, slash));
  if (!parsed) return parsed.error();
  HttpCall call;
  call.url = std::move(*parsed);
  call.target = slash == url.npos ? "/" : url.substr(slash);
  call.limits.total = kMaxLook;
  return call;
}

Result<std::string> PageOf(const HttpCall& call, const std::string& url) {
  auto reply = CallHttp(call);
  if (!reply) return reply.error();
  if (reply->status != kOk) {
    return Error{Errc::kUnavailable, fmt::format("{} answers {}", url, reply->status)};
  }
  return std::move(reply->body);
}

Result<void> LookAgainAndAgain(const ObserveArguments& arguments, const HttpCall& call,
                               app::PageObserver& observer) {
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  for (auto due = began;; due = std::min(due + arguments.every, began + arguments.length)) {
    std::this_thread::sleep_until(due);
    const std::chrono::duration<double> since = Clock::now() - began;
    const auto page = PageOf(call, arguments.url);
    if (!page) return page.error();
    if (auto looked = observer.Look(*page, since.count()); !looked) return looked.error();
    if (due >= began + arguments.length) return {};
  }
}

Result<ExitCode> Observe(Shell& shell, const ObserveArguments& arguments) {
  std::vector<app::Observable> observables;
  for (const std::string& metric : arguments.metrics) {
    auto observable = app::ParseObservable(metric);
    if (!observable) return observable.error();
    observables.push_back(std::move(*observable));
  }
  if (arguments.length.count() <= 0 || arguments.every.count() <= 0) {
    return Error{Errc::kInvalidArgument, "--for and --every must be longer than nothing"};
  }
  const auto call = CallFor(arguments.url);
  if (!call) return call.error();
  app::PageObserver observer(observables);
  if (auto looked = LookAgainAndAgain(arguments, *call, observer); !looked) return looked.error();
  const auto numbers = observer.Numbers();
  if (!numbers) return numbers.error();
  Json document = Json::object();
  for (const auto& [name, number] : *numbers) {
    document[name] = number;
    if (!shell.wants_json) shell.console.out << fmt::format("{}: {:.9g}\n", name, number);
  }
  if (shell.wants_json) shell.console.out << Dump(document) << '\n';
  shell.console.out.flush();
  return ExitCode::kYes;
}

}  // namespace

Verb MakeObserveVerb() {
  const auto arguments = std::make_shared<ObserveArguments>();
  return {
      .name = "observe",
      .summary = "reads numbers from a live service's own page, over a stretch of time",
      .description =
          "Looks at the page of a service again and again and prints one number for each\n"
          "metric: `name: value`. As the benchmark of a workload, it lets hone tune,\n"
          "compare and watch go by what a service says about the work that it does for\n"
          "others, instead of making work for it. docs/howto/watch-a-live-service.md\n"
          "\n"
          "A metric is NAME=rate(COUNTER): its growth per second; NAME=value(GAUGE): the\n"
          "mean of all looks; or NAME=quantile(0.99, HISTOGRAM): of what was counted\n"
          "meanwhile. What stands in the brackets is a series as Prometheus names it\n"
          "(name{label=\"value\"}), a pointer into a page of JSON (/server/requests), or\n"
          "re: and an expression with one group, which must match once.\n",
      .flags = {{.names = "URL",
                 .value = "",
                 .help = "http://host:port/page, or https.",
                 .set = Store(arguments->url),
                 .is_required = true},
                {.names = "METRIC",
                 .value = "",
                 .help = "'rps=rate(nginx_http_requests_total)'.",
                 .set = Append(arguments->metrics),
                 .is_repeatable = true,
                 .is_required = true},
                {.names = "--for",
                 .value = "TIME",
                 .help = "How long (10s).",
                 .set = StoreParsed("--for", ParseDuration, arguments->length)},
                {.names = "--every",
                 .value = "TIME",
                 .help = "From look to look (1s).",
                 .set = StoreParsed("--every", ParseDuration, arguments->every)}},
      .examples =
          {{"hone observe http://127.0.0.1:9113/metrics 'rps=rate(nginx_http_requests_total)'",
            "Requests a second, from an exporter for Prometheus."},
           {"hone observe http://127.0.0.1/status 'rps=rate(re:^ \\d+ \\d+ (\\d+) $)' --for 30s",
            "The same from nginx's stub_status."},
           {"hone observe http://127.0.0.1:8080/metrics 'p99=quantile(0.99, http_seconds)'",
            "A quantile of a histogram, of these ten seconds only."}},
      .run = [arguments](Shell& shell) { return Observe(shell, *arguments); }};
}

}  // namespace hone::cli
