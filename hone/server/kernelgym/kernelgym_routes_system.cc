// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "hone/base/json/parse_values.h"
#include "hone/base/json/records.h"
#include "hone/server/kernelgym/kernelgym_request.h"
#include "hone/server/kernelgym/kernelgym_response.h"
#include "hone/server/kernelgym/kernelgym_routes.h"
#include "hone/server/service/machine_use.h"
#include "hone/server/service/prometheus_text.h"

namespace hone::server {
namespace {

// What these routes share besides the service.
struct System {
  Service& service;
  MachineMeter meter = {};
};

std::int64_t WaitingIn(const QueueCounts& counts) {
  std::int64_t waiting = 0;
  for (const auto& level : counts.waiting) waiting += level.waiting;
  return waiting;
}

std::int64_t SumOf(const std::map<std::string, std::int64_t>& counts) {
  std::int64_t sum = 0;
  for (const auto& [word, count] : counts) sum += count;
  return sum;
}

std::int64_t CountOf(const std::map<std::string, std::int64_t>& counts, const std::string& word) {
  const auto found = counts.find(word);
  return found == counts.end() ? 0 : found->second;
}

Result<Measured> Measure(System& system) {
  auto beat = system.service.pulse().Feel();
  if (!beat) return beat.error();
  return Measured{system.service.stats().Take(), std::move(beat->counts), std::move(beat->workers),
                  system.meter.Read(), system.service.waiters().size()};
}

Json GpuStatus(const std::vector<WorkerCard>& workers) {
  Json json = Json::object();
  for (const WorkerCard& worker : workers) {
    if (!worker.has.names.contains("gpu")) continue;
    json[worker.name] = worker.facts;
    json[worker.name]["available"] = true;
  }
  if (json.empty()) json["error"] = "no worker offers a gpu";
  return json;
}

Async<HttpResponse> GetRoot(System& system, const HttpRequest&) {
  co_return JsonResponse(200, {{"name", "Hone"},
                               {"version", system.service.settings().version},
                               {"description", "Judges kernels; speaks KernelGYM's API and /v1."},
                               {"timestamp", IsoTime(system.service.clock().Wall())}});
}

// Empty if all is well.
std::string WhyNotHealthy(const ServiceSettings& settings, const std::vector<WorkerCard>& workers) {
  if (workers.empty()) return "no worker is there; start `hone worker`";
  const auto unserved = UnservedBackends(settings, workers);
  if (unserved.empty()) return "";
  return fmt::format(
      "no worker for the {} {}: such tasks wait; start `hone worker` where it works, or say with "
      "--expect what clients will send",
      unserved.size() == 1 ? "backend" : "backends", fmt::join(unserved, " and "));
}

Async<HttpResponse> GetHealth(System& system, const HttpRequest&) {
  const auto now = IsoTime(system.service.clock().Wall());
  const auto measured = Measure(system);
  if (!measured) {
    co_return JsonResponse(
        503, {{"status", "unhealthy"}, {"timestamp", now}, {"reason", measured.error().message}});
  }
  const MachineUse& machine = measured->machine;
  const std::string why = WhyNotHealthy(system.service.settings(), measured->workers);
  Json json{{"status", why.empty() ? "healthy" : "unhealthy"},
            {"timestamp", now},
            {"gpu_status", GpuStatus(measured->workers)},
            {"queue_status",
             {{"pending", WaitingIn(measured->queue)},
              {"processing", measured->queue.held},
              {"completed", measured->queue.settled}}},
            {"memory_usage",
             {{"cpu_percent", machine.cpu_percent},
              {"memory_percent", machine.MemoryPercent()},
              {"memory_available", machine.memory_available},
              {"memory_total", machine.memory_total}}},
            {"active_tasks", measured->queue.held},
            {"total_processed", SumOf(measured->stats.settled)},
            {"uptime", measured->stats.uptime_s},
            {"workers", measured->workers.size()}};
  if (!why.empty()) json["reason"] = why;
  co_return JsonResponse(200, json);
}

Json MetricsJson(const Measured& measured, WallTime now) {
  const auto& stats = measured.stats;
  const auto settled = static_cast<double>(SumOf(stats.settled));
  const double mean = stats.evaluation.count == 0
                          ? 0
                          : stats.evaluation.sum / static_cast<double>(stats.evaluation.count);
  const double hours = std::min(1.0, std::max(stats.uptime_s, 1.0) / 3600);
  const auto accepted = static_cast<double>(CountOf(stats.settled, "accepted"));
  return {{"timestamp", IsoTime(now)},
          {"performance_metrics",
           {{"avg_processing_time", mean},
            {"throughput_per_hour", static_cast<double>(stats.settled_last_hour) / hours},
            {"success_rate", settled == 0 ? 0.0 : accepted / settled}}},
          {"resource_metrics",
           {{"avg_gpu_utilization", nullptr},
            {"memory_usage_percent", measured.machine.MemoryPercent()},
            {"cpu_usage_percent", measured.machine.cpu_percent}}},
          {"queue_metrics",
           {{"pending_tasks", WaitingIn(measured.queue)},
            {"active_tasks", measured.queue.held},
            {"completed_tasks", measured.queue.settled}}},
          {"error_metrics",
           {{"compilation_errors", CountOf(stats.settled, "build_failed")},
            {"runtime_errors", CountOf(stats.settled, "crashed")},
            {"timeout_errors",
             CountOf(stats.settled, "timed_out") + CountOf(stats.settled, "expired")}}}};
}

Async<HttpResponse> GetMetrics(System& system, const HttpRequest& request) {
  const auto measured = Measure(system);
  if (!measured) co_return DetailError(measured.error());
  const bool wants_text = request.Query("format") == "prometheus" ||
                          request.Header("accept").find("text/plain") != std::string_view::npos;
  if (!wants_text) {
    co_return JsonResponse(200, MetricsJson(*measured, system.service.clock().Wall()));
  }
  HttpResponse response;
  response.headers = {{"content-type", "text/plain; version=0.0.4; charset=utf-8"},
                      {"cache-control", "no-store"}};
  response.body = PrometheusText(*measured);
  co_return response;
}

Async<HttpResponse> GetQueueStatus(System& system, const HttpRequest&) {
  const auto beat = system.service.pulse().Feel();
  if (!beat) co_return DetailError(beat.error());
  const QueueCounts& counts = beat->counts;
  const std::int64_t waiting = WaitingIn(counts);
  co_return JsonResponse(200, {{"pending", waiting},
                               {"pending_by_prefix", {{"kernelgym", waiting}, {"kernelserver", 0}}},
                               {"worker_queues", Json::object()},
                               {"processing", counts.held},
                               {"completed", counts.settled}});
}

Json WorkersJson(const std::vector<WorkerCard>& workers) {
  Json json = Json::object();
  for (const WorkerCard& worker : workers) {
    json[worker.name] = {
        {"device", fmt::format("{}", worker.has.names.contains("gpu") ? "gpu" : "cpu")},
        {"status", "online"},
        {"last_heartbeat", IsoTime(worker.seen)},
        {"node_id", worker.host},
        {"hostname", worker.host},
        {"capabilities", worker.has.names}};
  }
  return json;
}

Async<HttpResponse> GetWorkersStatus(System& system, const HttpRequest&) {
  const auto beat = system.service.pulse().Feel();
  if (!beat) co_return DetailError(beat.error());
  co_return JsonResponse(200, WorkersJson(beat->workers));
}

Async<HttpResponse> GetWorkerHealth(System& system, const HttpRequest&) {
  const auto beat = system.service.pulse().Feel();
  if (!beat) co_return DetailError(beat.error());
  Json all = WorkersJson(beat->workers);
  for (auto& [name, worker] : all.items()) worker["cuda_error_shutdown"] = false;
  co_return JsonResponse(200, {{"status", "success"}, {"workers", std::move(all)}});
}

// The 400 for query parameters that are required and missing.
std::optional<HttpResponse> Missing(System& system, const HttpRequest& request,
                                    const std::vector<std::string>& names) {
  std::vector<Fault> faults;
  for (const std::string& name : names) {
    if (request.Query(name).value_or("").empty()) {
      faults.push_back({"missing", {"query", name}, "Field required"});
    }
  }
  if (faults.empty()) return std::nullopt;
  return KernelGymFault(faults, system.service.clock().Wall());
}

Json Success(const std::string& message) { return {{"success", true}, {"message", message}}; }

// KernelGYM's own workers look for work in its Redis lists, so none is ever handed to them here.
// They register, beat and leave by these routes, and are told that all is well, so that a launcher
// that starts both goes on.
Async<HttpResponse> PostRegister(System& system, const HttpRequest& request) {
  if (auto refusal = Missing(system, request, {"worker_id", "device"})) co_return *refusal;
  Json json = Success(fmt::format(
      "worker {} gets no tasks here: what evaluates for Hone is `hone worker`; see /workers/status",
      *request.Query("worker_id")));
  const std::string node = request.Query("node_id").value_or("");
  json["node_id"] = node.empty() ? request.Query("hostname").value_or("") : node;
  co_return JsonResponse(200, json);
}

Async<HttpResponse> PostHeartbeat(System& system, const HttpRequest& request) {
  if (auto refusal = Missing(system, request, {"worker_id"})) co_return *refusal;
  co_return JsonResponse(200,
                         Success(fmt::format("worker {} is alive", *request.Query("worker_id"))));
}

Async<HttpResponse> PostUnregister(System& system, const HttpRequest& request) {
  if (auto refusal = Missing(system, request, {"worker_id"})) co_return *refusal;
  co_return JsonResponse(
      200, Success(fmt::format("worker {} is not known", *request.Query("worker_id"))));
}

// A host is its own node, unless it has another name for it.
Async<HttpResponse> PostNode(System& system, const HttpRequest& request) {
  if (auto refusal = Missing(system, request, {"hostname"})) co_return *refusal;
  const std::string host = *request.Query("hostname");
  const std::string name = request.Query("node_name").value_or("");
  co_return JsonResponse(200, {{"node_id", name.empty() ? host : name}, {"hostname", host}});
}

// Nothing is held against a source text here, so there is nothing to list or to clear.
Async<HttpResponse> GetProblematicCodes(System& system, const HttpRequest& request) {
  const auto min = ParseCount("min_errors", request.Query("min_errors").value_or("3"), 0);
  if (!min) {
    co_return KernelGymFault(
        {{"int_parsing",
          {"query", "min_errors"},
          "Input should be a valid integer, unable to parse string as an integer"}},
        system.service.clock().Wall());
  }
  co_return JsonResponse(200, {{"status", "success"},
                               {"min_errors_threshold", *min},
                               {"problematic_codes", Json::array()},
                               {"total_count", 0}});
}

Async<HttpResponse> GetRetryQueue(System&, const HttpRequest&) {
  co_return JsonResponse(
      200, {{"status", "success"}, {"retry_queue_size", 0}, {"next_retries", Json::array()}});
}

Async<HttpResponse> PostClearHistory(System&, const HttpRequest& request) {
  co_return JsonResponse(
      200, {{"status", "success"},
            {"message", fmt::format("nothing is held against {}", request.parts[0])}});
}

Route Line(std::string method, std::string path, Access access, std::string summary,
           std::string out, std::vector<QueryFacts> queries, Handler handler) {
  return {.method = std::move(method),
          .path = std::move(path),
          .access = access,
          .summary = std::move(summary),
          .response_schema = std::move(out),
          .other_statuses = queries.empty() ? std::vector<int>{} : std::vector<int>{400},
          .queries = std::move(queries),
          .handler = std::move(handler),
          .is_quick = true};
}

}  // namespace

std::vector<std::string> UnservedBackends(const ServiceSettings& settings,
                                          const std::vector<WorkerCard>& workers) {
  std::vector<std::string> unserved;
  for (const std::string& backend : settings.expected_backends) {
    const auto mapped = settings.backends.find(backend);
    const Capabilities needs =
        NeedsOf(mapped == settings.backends.end() ? backend : mapped->second);
    const bool is_served = std::ranges::any_of(workers, [&](const WorkerCard& worker) {
      return std::ranges::includes(worker.has.names, needs.names);
    });
    if (!is_served) unserved.push_back(backend);
  }
  return unserved;
}

std::vector<Route> KernelGymSystemRoutes(Service& service) {
  const auto system = std::shared_ptr<System>(new System{service});
  const auto bind = [system](auto function) {
    return [system, function](const HttpRequest& request) { return function(*system, request); };
  };
  const QueryFacts worker{"worker_id", "string", true, "The worker's name."};
  const QueryFacts device{"device", "string", false, "What it computes on: cuda:0."};
  const QueryFacts node{"node_id", "string", false, "The machine's id."};
  const QueryFacts host{"hostname", "string", false, "The machine's name."};
  QueryFacts needed_device = device;
  needed_device.is_required = true;
  QueryFacts needed_host = host;
  needed_host.is_required = true;
  return {
      Line("GET", "/", Access::kAnyone, "What this is.", "", {}, bind(GetRoot)),
      Line("GET", "/health", Access::kAnyone, "Whether tasks are evaluated.",
           "SystemHealthResponse", {}, bind(GetHealth)),
      Line("GET", "/metrics", Access::kAnyToken,
           "What happened since the start; as text for Prometheus with Accept: text/plain.",
           "MetricsResponse", {{"format", "string", false, "prometheus: as text."}},
           bind(GetMetrics)),
      Line("GET", "/queue/status", Access::kAnyToken, "How many tasks wait.", "", {},
           bind(GetQueueStatus)),
      Line("GET", "/workers/status", Access::kAnyToken, "The workers.", "", {},
           bind(GetWorkersStatus)),
      Line("POST", "/worker/register", Access::kWork,
           "For workers of KernelGYM: always fine, and no tasks.", "",
           {worker, needed_device, node, host}, bind(PostRegister)),
      Line("POST", "/worker/unregister", Access::kWork, "Likewise.", "", {worker},
           bind(PostUnregister)),
      Line("POST", "/worker/heartbeat", Access::kWork, "Likewise.", "",
           {worker, device, node, host}, bind(PostHeartbeat)),
      Line("POST", "/worker/evict_from_lb", Access::kWork, "Likewise.", "", {worker},
           bind(PostUnregister)),
      Line("POST", "/node/allocate", Access::kWork, "An id for a machine.", "",
           {needed_host, {"node_name", "string", false, "The id to give it."}}, bind(PostNode)),
      Line("GET", "/monitoring/problematic-codes", Access::kAnyToken, "Always none.", "",
           {{"min_errors", "integer", false, "How many errors make a code problematic."}},
           bind(GetProblematicCodes)),
      Line("GET", "/monitoring/retry-queue", Access::kAnyToken, "Always none.", "", {},
           bind(GetRetryQueue)),
      Line("GET", "/monitoring/worker-health", Access::kAnyToken, "The workers.", "", {},
           bind(GetWorkerHealth)),
      Line("POST", "/monitoring/clear-error-history/{code_hash}", Access::kAdmin,
           "Does nothing: no history is kept.", "", {}, bind(PostClearHistory)),
  };
}

}  // namespace hone::server
