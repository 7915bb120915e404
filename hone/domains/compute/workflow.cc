// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/workflow.h"

#include <utility>

#include "hone/domains/compute/workflows/kernel_simple.h"
#include "hone/domains/compute/workflows/kernelbench.h"

namespace hone::compute {

void Phases::Change(std::string name, bool is_beside) {
  const auto now = std::chrono::steady_clock::now();
  if (is_beside_) besides_ += now - began_;
  if (!current_.empty()) {
    done_.emplace_back(current_, std::chrono::duration<double, std::milli>(now - began_).count());
  }
  current_ = std::move(name);
  is_beside_ = is_beside;
  began_ = now;
}

std::chrono::nanoseconds Phases::BesidesCandidate() const {
  if (!is_beside_) return besides_;
  return besides_ + (std::chrono::steady_clock::now() - began_);
}

Json Phases::ToJson() const {
  Json json = Json::object();
  Json order = Json::array();
  for (const auto& [name, ms] : done_) {
    if (!json.contains(name)) order.push_back(name);
    json[name] = json.value(name, 0.0) + ms;
  }
  json["order"] = std::move(order);
  return json;
}

const std::map<std::string, WorkflowEntry>& Workflows() {
  static const std::map<std::string, WorkflowEntry> workflows = {
      {"kernelbench", KernelbenchEntry()}, {"kernel_simple", KernelSimpleEntry()}};
  return workflows;
}

std::vector<MetricFacts> MetricsOf(const Problem& problem, const JudgeSettings& settings) {
  if (settings.samples == 0) return {};
  return Workflows().at(problem.workflow).metrics;
}

}  // namespace hone::compute
