// SPDX-License-Identifier: Apache-2.0
#include "bench/proposers_arena.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <variant>
#include <vector>

namespace hone {
namespace {

using Json = nlohmann::json;

constexpr double kFailureReward = -1.0;  // What a peer that knows no failures is told.

Json Describe(const Parameter& parameter) {
  Json json{{"name", parameter.name}};
  if (const auto* integer = std::get_if<IntegerRange>(&parameter.kind)) {
    json.update({{"kind", "integer"},
                 {"low", integer->low},
                 {"high", integer->high},
                 {"step", integer->step},
                 {"log", integer->is_log}});
  } else if (const auto* real = std::get_if<RealRange>(&parameter.kind)) {
    json.update({{"kind", "real"},
                 {"low", real->low},
                 {"high", real->high},
                 {"step", real->step},
                 {"log", real->is_log}});
  } else if (std::holds_alternative<Boolean>(parameter.kind)) {
    json["kind"] = "boolean";
  } else if (const auto* category = std::get_if<Category>(&parameter.kind)) {
    json.update({{"kind", "category"}, {"choices", category->choices}});
  } else {
    const auto& tuple = std::get<OrderedTuple>(parameter.kind);
    json.update({{"kind", "tuple"},
                 {"arity", tuple.arity},
                 {"low", tuple.range.low},
                 {"high", tuple.range.high},
                 {"step", tuple.range.step},
                 {"log", tuple.range.is_log}});
  }
  return json;
}

Json ValueToJson(const Value& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

Value ValueFromJson(const Json& json, const Parameter& parameter) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_array()) {
    auto parts = json.get<std::vector<std::int64_t>>();
    std::sort(parts.begin(), parts.end());
    return parts;
  }
  if (std::holds_alternative<RealRange>(parameter.kind)) return json.get<double>();
  return json.get<std::int64_t>();
}

Json DescribeSpace(const Space& space) {
  Json parameters = Json::array();
  for (const Parameter& parameter : space.parameters()) {
    Json json = Describe(parameter);
    json["default"] = ValueToJson(parameter.default_value);
    json["specials"] = Json::array();
    for (const auto& special : parameter.specials) {
      json["specials"].push_back(ValueToJson(special.value));
    }
    if (parameter.condition) {
      Json values = Json::array();
      for (const Value& value : parameter.condition->values) values.push_back(ValueToJson(value));
      json["condition"] = {{"parent", parameter.condition->parent}, {"values", values}};
    }
    parameters.push_back(std::move(json));
  }
  return parameters;
}

// What the peer proposed, made valid in the way that ours are.
Assignment Repaired(const Space& space, const Json& json) {
  Assignment assignment;
  for (const Parameter& parameter : space.parameters()) {
    if (!json.contains(parameter.name)) continue;
    assignment[parameter.name] = ValueFromJson(json.at(parameter.name), parameter);
  }
  return space.Validate(assignment) ? assignment : space.FromUnit(space.ToUnit(assignment));
}

}  // namespace

Arena::Arena(const std::string& surface, std::uint64_t seed)
    : surface_(*toy::Surface::Make(surface.substr(0, surface.find('@')), kArenaGain)),
      level_(surface.find('@') == surface.npos ? kArenaNoise
                                               : std::stod(surface.substr(surface.find('@') + 1))),
      noise_(Rng(seed).Split("noise").Split(surface)) {}

Arena::Reply Arena::Evaluate(const Assignment& assignment) {
  const double noise = level_ * noise_.Split(count_++).Normal();
  if (surface_.At(assignment).is_crash) return {.reward = kFailureReward, .is_failed = true};
  return {.reward = toy::TrueLogGain(surface_, assignment) + noise, .is_failed = false};
}

double Arena::Judge(const Assignment& assignment) const {
  return toy::TrueLogGain(surface_, assignment) / std::log1p(kArenaGain);
}

void ServeArena() {
  std::optional<Arena> arena;
  for (std::string line; std::getline(std::cin, line);) {
    const Json request = Json::parse(line);
    Json reply;
    if (request.contains("start")) {
      const Json& start = request["start"];
      arena.emplace(start.at("surface").get<std::string>(), start.at("seed").get<std::uint64_t>());
      reply["parameters"] = DescribeSpace(arena->space());
    } else if (request.contains("evaluate")) {
      reply["reward"] = arena->Evaluate(Repaired(arena->space(), request["evaluate"])).reward;
    } else {
      reply["score"] = arena->Judge(Repaired(arena->space(), request.at("judge")));
    }
    std::cout << reply.dump() << std::endl;
  }
}

}  // namespace hone
