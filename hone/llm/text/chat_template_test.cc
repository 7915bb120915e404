// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/text/chat_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"

namespace hone::llm {
namespace {

using testing::HasSubstr;

std::string Rendered(std::string_view source, const Json& context = Json::object()) {
  const auto parsed = ChatTemplate::Parse(source);
  if (!parsed) return "!" + parsed.error().message;
  const auto text = parsed->Render(context);
  return text ? *text : "!" + text.error().message;
}

std::string Limited(std::string_view source, TemplateLimits limits) {
  const auto parsed = ChatTemplate::Parse(source);
  EXPECT_TRUE(parsed) << parsed.error().message;
  const auto text = parsed->Render(Json::object(), limits);
  return text ? *text : text.error().message;
}

TEST(ChatTemplateTest, RendersAConversation) {
  const Json context = {{"messages", {{{"role", "user"}, {"content", "hi {{ 1 }} {% if %}"}}}},
                        {"add_generation_prompt", true}};
  EXPECT_EQ(Rendered("{%- for m in messages %}\n"
                     "  {{- '<' + m.role + '>' + m['content'] | trim }}\n"
                     "{%- endfor %}\n"
                     "{%- if add_generation_prompt %}{{ '<assistant>' }}{% endif %}\n",
                     context),
            "<user>hi {{ 1 }} {% if %}<assistant>");
}

TEST(ChatTemplateTest, TheOrderOfMembersShowsInJson) {
  const auto parsed = ChatTemplate::Parse("{{ x | tojson }}");
  ASSERT_TRUE(parsed);
  const OrderedJson context = {{"x", {{"b", 1}, {"a", {{"d", "é"}, {"c", 2.0}}}}}};
  EXPECT_EQ(*parsed->Render(context), R"({"b": 1, "a": {"d": "é", "c": 2.0}})");
}

TEST(ChatTemplateTest, WhatIsNotSupportedIsNamedWithItsLine) {
  EXPECT_EQ(Rendered("a\n{% include 'x' %}"),
            "!chat template: line 2: {% include %} is not supported here; there are if, for, set, "
            "macro, generation, break and continue");
  EXPECT_THAT(Rendered("\n\n{{ x | shuffle }}"), HasSubstr("line 3: the filter \"shuffle\""));
  EXPECT_THAT(Rendered("{{ x is weird }}"), HasSubstr("the test \"weird\""));
  EXPECT_THAT(Rendered("{{ f(*x) }}"), HasSubstr("* and **"));
  EXPECT_THAT(Rendered("{{ missing.x }}"), HasSubstr("line 1: 'missing' is undefined"));
  EXPECT_THAT(Rendered("{{ raise_exception('Only one!') }}"), HasSubstr("Only one!"));
  EXPECT_THAT(Rendered("{% if x %}"), HasSubstr("endif"));
}

TEST(ChatTemplateTest, HostileTemplatesEnd) {
  const TemplateLimits small{.steps = 10'000, .output_bytes = 1000, .depth = 20};
  EXPECT_THAT(
      Limited("{% for a in range(1000) %}{% for b in range(1000) %}{% endfor %}{% endfor %}",
              small),
      HasSubstr("steps"));
  EXPECT_THAT(Limited("{% for a in range(1000) %}xxxx{% endfor %}", small), HasSubstr("bytes"));
  EXPECT_THAT(Limited("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", small),
              HasSubstr("too deep"));
  EXPECT_THAT(Limited("{% set n = namespace(x=[]) %}{% for a in range(999) %}{% set n.x = [n.x] %}"
                      "{% endfor %}",
                      small),
              HasSubstr("too deep"));
  EXPECT_THAT(Limited("{% set n = namespace(x='aaaaaaaa') %}{% for a in range(99) %}"
                      "{% set n.x = n.x + n.x %}{% endfor %}",
                      small),
              HasSubstr("too large"));
  EXPECT_THAT(Limited("{% set n = namespace() %}{% set n.n = n %}", small), HasSubstr("namespace"));
  EXPECT_THAT(Limited("{{ 'ab' * 1000000000000 }}", small), HasSubstr("too large"));
  EXPECT_THAT(Limited("{{ 9223372036854775807 + 1 }}", small), HasSubstr("too large"));
  std::string deep = "{{ ";
  for (int k = 0; k < 100'000; ++k) deep += "-";
  EXPECT_THAT(Rendered(deep + " }}"), HasSubstr("nested over"));
  std::string chain = "{{ 1";
  for (int k = 0; k < 100'000; ++k) chain += "+1";
  EXPECT_THAT(Rendered(chain + " }}"), HasSubstr("nested over"));
  std::string blocks;
  for (int k = 0; k < 100'000; ++k) blocks += "{% if x %}";
  EXPECT_THAT(Rendered(blocks), HasSubstr("nested over"));
}

TEST(ChatTemplateTest, AFolderHasItInOneOfTwoPlaces) {
  const auto folder = TempDir::Make("template");
  const auto path = folder->path();
  EXPECT_EQ(ChatTemplate::Read(path).error().code, Errc::kNotFound);
  ASSERT_TRUE(WriteFileAtomically(path / "tokenizer_config.json", R"({"x":1})"));
  EXPECT_EQ(ChatTemplate::Read(path).error().code, Errc::kNotFound);
  ASSERT_TRUE(WriteFileAtomically(
      path / "tokenizer_config.json",
      R"({"chat_template":[{"name":"tool","template":"t"},{"name":"default","template":"d"}]})"));
  EXPECT_EQ(*ChatTemplate::Read(path)->Render(Json::object()), "d");
  ASSERT_TRUE(WriteFileAtomically(path / "chat_template.jinja", "own"));
  EXPECT_EQ(*ChatTemplate::Read(path)->Render(Json::object()), "own");
}

}  // namespace
}  // namespace hone::llm
