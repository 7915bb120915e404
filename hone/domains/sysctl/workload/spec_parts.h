// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/domains/sysctl/workload/workload_spec.h"

// The parts of reading a workload spec. Not for other files, but for their tests. On a fault the
// reader holds it, and a default comes back.
namespace hone::sysctl {

// The members that each kind of object in a spec may have, by the kind's name. The JSON Schema has
// a definition of the same name with the same properties.
const std::map<std::string, std::vector<std::string>>& SpecMembers();

// A member that `kind` does not have is a fault that names the nearest one.
void RefuseUnknown(JsonReader& reader, const std::string& kind);

std::string Quoted(std::string_view text);  // As JSON, shortened.

// A text that is not empty and has no control characters.
std::string ReadLabel(JsonReader reader);
// "30s": above zero.
std::chrono::milliseconds ReadDuration(JsonReader reader);
// A list of different labels, such as programs.
std::vector<std::string> ReadLabels(JsonReader reader);

CommandSpec ReadCommand(JsonReader reader);
std::vector<CommandSpec> ReadCommands(JsonReader reader);
ServiceSpec ReadService(JsonReader reader);
Json CommandJson(const CommandSpec& command);
Json ServiceJson(const ServiceSpec& service);

std::vector<MetricSpec> ReadMetrics(JsonReader reader);
// These three refuse names that no metric has.
std::vector<Objective> ReadObjectives(JsonReader reader, const std::vector<MetricSpec>& metrics);
std::vector<Limit> ReadLimits(JsonReader reader, const std::vector<MetricSpec>& metrics);
TripwireSpec ReadTripwires(JsonReader reader, const std::vector<MetricSpec>& metrics);
Json MetricJson(const MetricSpec& metric);
Json ObjectiveJson(const Objective& objective);
Json TripwiresJson(const TripwireSpec& tripwires);

std::vector<ParameterRequest> ReadParameters(JsonReader reader);
Json ParameterJson(const ParameterRequest& request);

// Services whose files may be tuned: names of built-in ones, or declarations.
Services ReadServiceFiles(JsonReader reader);
Json ServiceFileJson(const ServicePointer& service);

// One parameter asked for twice, in whatever spelling, is a fault at the second one.
void RefuseTwice(const std::vector<std::string>& names, const std::string& name,
                 JsonReader& reader);

BudgetSpec ReadBudget(JsonReader reader);
Json BudgetJson(const BudgetSpec& budget);

GuestSpec ReadGuest(JsonReader reader);
Json GuestJson(const GuestSpec& guest);

// The older autotuner's file as a spec; `notes` says what was assumed.
WorkloadSpec ReadOlderSpec(JsonReader reader);

}  // namespace hone::sysctl
