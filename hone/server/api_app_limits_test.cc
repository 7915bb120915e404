// SPDX-License-Identifier: Apache-2.0
// What the description of the API allows is what its readers take, to the last number.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "hone/server/page/openapi.h"
#include "hone/server/server_for_test.h"

namespace hone::server {
namespace {

// The values of a property that the description allows at the very most, and those just beyond.
struct Edges {
  std::vector<Json> inside;
  std::vector<Json> outside;
};

Edges EdgesOf(const Json& property) {
  Edges edges;
  const auto add = [&](const char* bound, int beyond) {
    if (!property.contains(bound)) return;
    const auto value = property[bound].get<std::int64_t>();
    edges.inside.emplace_back(value);
    edges.outside.emplace_back(value + beyond);
  };
  add("minimum", -1);
  add("maximum", 1);
  if (property.contains("maxLength")) {
    const auto length = property["maxLength"].get<std::size_t>();
    edges.inside.emplace_back(std::string(length, 'a'));
    edges.outside.emplace_back(std::string(length + 1, 'a'));
  }
  if (property.contains("minLength")) edges.outside.emplace_back("");
  return edges;
}

TEST(ApiTest, TheLimitsOfTheDescriptionAreThoseOfTheReaders) {
  RunningApi api;
  std::size_t looked_at = 0;
  const auto examine = [&](const char* schema, const auto& is_taken) {
    for (const auto& [name, property] : OpenApiSchemas()[schema]["properties"].items()) {
      const Edges edges = EdgesOf(property);
      looked_at += edges.outside.size();
      for (const Json& value : edges.inside) EXPECT_TRUE(is_taken(name, value)) << name << value;
      for (const Json& value : edges.outside) EXPECT_FALSE(is_taken(name, value)) << name << value;
    }
  };
  examine("EvaluationRequest", [&](const std::string& name, const Json& value) {
    Json body = EvaluationBody("edge");
    body[name] = value;
    const Reply reply = api.Ask("POST", "/debug/validate", Dump(body));
    return reply.status == 200 && reply.AsJson()["valid"] == true;
  });
  int number = 0;
  examine("Task", [&](const std::string& name, const Json& value) {
    Json body{{"id", "edge-" + std::to_string(++number)},
              {"domain", "compute"},
              {"candidate", {{"source", "x"}}}};
    body[name] = value;
    return api.Ask("POST", "/v1/tasks", Dump(body)).status < 300;
  });
  EXPECT_EQ(looked_at, 21U);
}

}  // namespace
}  // namespace hone::server
