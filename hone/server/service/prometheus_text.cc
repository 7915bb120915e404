// SPDX-License-Identifier: Apache-2.0
#include "hone/server/service/prometheus_text.h"

#include <fmt/format.h>

#include <string_view>

namespace hone::server {
namespace {

class MetricsPage {
 public:
  void Begin(std::string_view name, std::string_view type, std::string_view help) {
    text_ += fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
  }
  void Line(std::string_view name, std::string_view labels, double value) {
    text_ += labels.empty() ? fmt::format("{} {}\n", name, value)
                            : fmt::format("{}{{{}}} {}\n", name, labels, value);
  }
  void Single(std::string_view name, std::string_view type, std::string_view help, double value) {
    Begin(name, type, help);
    Line(name, "", value);
  }
  void Distribution(const std::string& name, std::string_view help, const Stats::Histogram& from) {
    Begin(name, "histogram", help);
    std::int64_t below = 0;
    for (std::size_t k = 0; k < from.counts.size(); ++k) {
      below += from.counts.at(k);
      Line(name + "_bucket", fmt::format("le=\"{}\"", Stats::Histogram::kBounds.at(k)),
           static_cast<double>(below));
    }
    Line(name + "_bucket", "le=\"+Inf\"", static_cast<double>(from.count));
    Line(name + "_sum", "", from.sum);
    Line(name + "_count", "", static_cast<double>(from.count));
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

void AddTasks(const Measured& measured, MetricsPage& page) {
  page.Single("hone_tasks_submitted_total", "counter", "Tasks that were submitted here and new.",
              static_cast<double>(measured.stats.submitted));
  page.Single("hone_tasks_repeated_total", "counter", "Submissions of a task that was known.",
              static_cast<double>(measured.stats.repeated));
  page.Begin("hone_tasks_settled_total", "counter",
             "Tasks settled while this server ran, by outcome.");
  for (const auto& [outcome, count] : measured.stats.settled) {
    page.Line("hone_tasks_settled_total", fmt::format("outcome=\"{}\"", outcome),
              static_cast<double>(count));
  }
  page.Begin("hone_queue_waiting", "gauge", "Tasks that wait for a worker, by priority.");
  for (const auto& level : measured.queue.waiting) {
    page.Line("hone_queue_waiting", fmt::format("priority=\"{}\"", level.priority),
              static_cast<double>(level.waiting));
  }
  page.Single("hone_queue_held", "gauge", "Tasks that a worker has.",
              static_cast<double>(measured.queue.held));
  page.Single("hone_queue_settled", "gauge", "Tasks that are settled and not yet forgotten.",
              static_cast<double>(measured.queue.settled));
}

}  // namespace

std::string PrometheusText(const Measured& measured) {
  MetricsPage page;
  AddTasks(measured, page);
  page.Distribution("hone_evaluation_seconds", "From a worker's start on a task to its end.",
                    measured.stats.evaluation);
  page.Distribution("hone_http_request_seconds", "From a request to its response.",
                    measured.stats.request);
  page.Begin("hone_http_responses_total", "counter", "Responses, by status.");
  for (const auto& [status, count] : measured.stats.responses) {
    page.Line("hone_http_responses_total", fmt::format("status=\"{}\"", status),
              static_cast<double>(count));
  }
  page.Single("hone_workers", "gauge", "Workers that are known now.",
              static_cast<double>(measured.workers.size()));
  page.Single("hone_waiting_clients", "gauge", "Requests that wait for a task.",
              static_cast<double>(measured.waiters));
  page.Single("hone_uptime_seconds", "gauge", "Since this server started.",
              measured.stats.uptime_s);
  page.Single("process_resident_memory_bytes", "gauge", "Resident memory of this server.",
              static_cast<double>(measured.machine.resident));
  page.Single("process_threads", "gauge", "Threads of this server.", measured.machine.threads);
  return page.Take();
}

}  // namespace hone::server
