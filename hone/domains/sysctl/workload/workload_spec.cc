// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/workload/workload_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "hone/domains/sysctl/workload/spec_parts.h"

namespace hone::sysctl {
namespace {

// One of two words, each for a value.
template <typename T>
T ReadEither(JsonReader reader, std::pair<std::string_view, T> one,
             std::pair<std::string_view, T> other) {
  const std::string word = reader.String();
  if (word != one.first && word != other.first) {
    reader.Fail(
        fmt::format("expected \"{}\" or \"{}\", found {}", one.first, other.first, Quoted(word)));
  }
  return word == other.first ? other.second : one.second;
}

void ReadWhatRuns(JsonReader& reader, WorkloadSpec& spec) {
  const auto labels = [&](const char* name) {
    return reader.Has(name) ? ReadLabels(reader.At(name)) : std::vector<std::string>();
  };
  const auto commands = [&](const char* name) {
    return reader.Has(name) ? ReadCommands(reader.At(name)) : std::vector<CommandSpec>();
  };
  spec.programs = labels("programs");
  spec.packages = labels("packages");
  spec.setup = commands("setup");
  spec.teardown = commands("teardown");
  if (reader.Has("service")) spec.service = ReadService(reader.At("service"));
  spec.before_run = commands("before_run");
  spec.benchmark = ReadCommand(reader.At("benchmark"));
  if (reader.Has("page_cache")) {
    spec.page_cache = ReadEither<PageCache>(reader.At("page_cache"), {"warm", PageCache::kWarm},
                                            {"cold", PageCache::kCold});
  }
}

void ReadWhatCounts(JsonReader& reader, WorkloadSpec& spec) {
  spec.metrics = ReadMetrics(reader.At("metrics"));
  if (reader.Has("objectives")) {
    spec.objectives = ReadObjectives(reader.At("objectives"), spec.metrics);
  }
  if (reader.Has("front")) spec.wants_front = reader.At("front").Bool();
  if (spec.wants_front && spec.objectives.size() < 2) {
    reader.At("front").Fail(
        fmt::format("a front needs two objectives or more, found {}", spec.objectives.size()));
  }
  if (reader.Has("constraints")) {
    spec.limits = ReadLimits(reader.At("constraints"), spec.metrics);
  }
  if (reader.Has("tripwires")) {
    spec.tripwires = ReadTripwires(reader.At("tripwires"), spec.metrics);
  }
}

WorkloadSpec ReadSpec(JsonReader reader) {
  WorkloadSpec spec;
  RefuseUnknown(reader, "workload");
  spec.name = ReadLabel(reader.At("name"));
  if (reader.Has("description")) spec.description = reader.At("description").String();
  if (reader.Has("target")) {
    spec.place = ReadEither<Place>(reader.At("target"), {"host", Place::kHost},
                                   {"namespace", Place::kNamespace});
  }
  ReadWhatRuns(reader, spec);
  ReadWhatCounts(reader, spec);
  spec.parameters = ReadParameters(reader.At("parameters"));
  if (reader.Has("service_files")) {
    spec.service_files = ReadServiceFiles(reader.At("service_files"));
  }
  if (reader.Has("budget")) spec.budget = ReadBudget(reader.At("budget"));
  if (reader.Has("guest")) spec.guest = ReadGuest(reader.At("guest"));
  if (reader.Has("words")) spec.words = ReadLabels(reader.At("words"));
  if (reader.Has("notes")) spec.notes = ReadLabels(reader.At("notes"));
  return spec;
}

template <typename Items, typename Write>
void PutList(Json& json, const char* name, const Items& items, Write write) {
  if (items.empty()) return;
  json[name] = Json::array();
  for (const auto& item : items) json[name].push_back(write(item));
}

}  // namespace

const std::vector<std::string>& VariableNames() {
  static const std::vector<std::string> names{"hone", "folder", "address", "port", "cpus"};
  return names;
}

Result<WorkloadSpec> ReadWorkloadSpec(const Json& json, const std::string& what) {
  JsonReader reader(json, what);
  const bool is_older = json.is_object() && json.contains("workload_name");
  WorkloadSpec spec = is_older ? ReadOlderSpec(reader) : ReadSpec(reader);
  if (auto read = reader.Finish(); !read) return read.error();
  return spec;
}

Json ToJson(const WorkloadSpec& spec) {
  const auto as_is = [](const std::string& text) { return Json(text); };
  const auto as_text = [](const Limit& limit) { return Json(ToText(limit)); };
  Json json{{"name", spec.name},
            {"target", spec.place == Place::kHost ? "host" : "namespace"},
            {"benchmark", CommandJson(spec.benchmark)},
            {"page_cache", spec.page_cache == PageCache::kWarm ? "warm" : "cold"},
            {"tripwires", TripwiresJson(spec.tripwires)},
            {"budget", BudgetJson(spec.budget)}};
  if (!spec.description.empty()) json["description"] = spec.description;
  PutList(json, "programs", spec.programs, as_is);
  PutList(json, "packages", spec.packages, as_is);
  PutList(json, "setup", spec.setup, CommandJson);
  PutList(json, "teardown", spec.teardown, CommandJson);
  if (spec.service) json["service"] = ServiceJson(*spec.service);
  PutList(json, "before_run", spec.before_run, CommandJson);
  PutList(json, "metrics", spec.metrics, MetricJson);
  PutList(json, "objectives", spec.objectives, ObjectiveJson);
  if (spec.wants_front) json["front"] = true;
  PutList(json, "constraints", spec.limits, as_text);
  PutList(json, "parameters", spec.parameters, ParameterJson);
  PutList(json, "service_files", spec.service_files, ServiceFileJson);
  if (spec.guest) json["guest"] = GuestJson(*spec.guest);
  PutList(json, "words", spec.words, as_is);
  PutList(json, "notes", spec.notes, as_is);
  return json;
}

}  // namespace hone::sysctl
