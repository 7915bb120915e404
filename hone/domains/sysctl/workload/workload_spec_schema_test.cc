// SPDX-License-Identifier: Apache-2.0
// The published schema and the reader say the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "hone/base/file.h"
#include "hone/base/process/subprocess.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/sysctl/workload/preset_texts.h"
#include "hone/domains/sysctl/workload/spec_for_test.h"
#include "hone/domains/sysctl/workload/spec_parts.h"

namespace hone::sysctl {
namespace {

constexpr const char* kSchemaPath = HONE_SOURCE_DIR "/data/schema/workload.json";

Json Schema() {
  const auto text = ReadFile(kSchemaPath);
  EXPECT_TRUE(text.has_value()) << text.error().message;
  const auto json = ParseJson(text.value_or("{}"), kSchemaPath);
  EXPECT_TRUE(json.has_value()) << json.error().message;
  return json.value_or(Json::object());
}

TEST(SchemaTest, HasTheMembersThatTheReaderTakes) {
  const Json schema = Schema();
  for (const auto& [kind, members] : SpecMembers()) {
    ASSERT_TRUE(schema["$defs"].contains(kind)) << kind;
    std::vector<std::string> published;
    for (const auto& [name, value] : schema["$defs"][kind]["properties"].items()) {
      published.push_back(name);
    }
    EXPECT_THAT(published, testing::UnorderedElementsAreArray(members)) << kind;
    EXPECT_EQ(schema["$defs"][kind]["additionalProperties"], false) << kind;
  }
}

TEST(SchemaTest, RequiresWhatTheReaderRequires) {
  const Json schema = Schema();
  const Json whole = *ParseJson(kWholeSpec, "whole");
  for (const auto& [name, value] : schema["$defs"]["workload"]["properties"].items()) {
    Json json = whole;
    json.erase(name);
    if (name == "objectives") json.erase("front");
    const auto& required = schema["$defs"]["workload"]["required"];
    const bool is_required = std::find(required.begin(), required.end(), name) != required.end();
    // Without its metrics the rest of a spec falls apart anyway.
    EXPECT_EQ(ReadWorkloadSpec(json, "spec").has_value(), !is_required) << name;
  }
}

// Debian's python3-jsonschema, a second opinion.
class SchemaCheckTest : public testing::Test {
 protected:
  void SetUp() override {
    Command command;
    command.arguments = {"/usr/bin/python3", "-c", "import jsonschema"};
    const auto done = RunProcess(command);
    if (!done || done->status != 0) GTEST_SKIP() << "python3-jsonschema is not installed";
    auto folder = TempDir::Make();
    ASSERT_TRUE(folder.has_value());
    folder_.emplace(*std::move(folder));
  }

  // Empty if the document is valid.
  std::string FaultOf(const Json& json) {
    const auto file = folder_->path() / "spec.json";
    EXPECT_TRUE(WriteFileDurably(file, Dump(json)).has_value());
    Command command;
    command.arguments = {"/usr/bin/python3", "-c",
                         "import json, sys, jsonschema\n"
                         "schema = json.load(open(sys.argv[1]))\n"
                         "jsonschema.Draft202012Validator.check_schema(schema)\n"
                         "best = jsonschema.exceptions.best_match(\n"
                         "    jsonschema.Draft202012Validator(schema).iter_errors(\n"
                         "        json.load(open(sys.argv[2]))))\n"
                         "print(best.message if best else '', end='')\n",
                         kSchemaPath, file.native()};
    const auto done = RunProcess(command);
    if (!done) return done.error().message;
    return done->status == 0 ? done->output : done->errors;
  }

  std::optional<TempDir> folder_;
};

TEST_F(SchemaCheckTest, ExamplesAndPresetsAreValid) {
  EXPECT_EQ(FaultOf(*ParseJson(kPlainSpec, "plain")), "");
  EXPECT_EQ(FaultOf(*ParseJson(kWholeSpec, "whole")), "");
  EXPECT_EQ(FaultOf(ToJson(MustRead(kWholeSpec))), "");
  EXPECT_EQ(FaultOf(ToJson(MustRead(kOlderSpec))), "");
  for (const EmbeddedFile& preset : PresetTexts()) {
    EXPECT_EQ(FaultOf(*ParseJson(preset.text, preset.name)), "") << preset.name;
  }
}

TEST_F(SchemaCheckTest, FaultsAreSeen) {
  Json json = *ParseJson(kPlainSpec, "plain");
  json["benchmark"] = "wrk -t2";
  EXPECT_NE(FaultOf(json), "");
  json = *ParseJson(kPlainSpec, "plain");
  json["benchmak"] = 1;
  EXPECT_NE(FaultOf(json), "");
}

}  // namespace
}  // namespace hone::sysctl
