// SPDX-License-Identifier: Apache-2.0
// Every way in which a workload spec can be wrong, with the whole message.
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "hone/domains/sysctl/workload/spec_for_test.h"

namespace hone::sysctl {
namespace {

// A change to a good spec (a JSON merge patch: null takes a member away), and what is said then.
struct Fault {
  const char* name;
  const char* change;
  const char* message;
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.change; }

std::string NameOf(const testing::TestParamInfo<Fault>& info) { return info.param.name; }

std::string MessageFor(const char* base, const Fault& fault) {
  Json json = *ParseJson(base, "base");
  const auto change = ParseJson(fault.change, "change");
  EXPECT_TRUE(change.has_value()) << change.error().message;
  json.merge_patch(*change);
  const auto spec = ReadWorkloadSpec(json, "web.json");
  if (spec) return "it was read";
  EXPECT_EQ(spec.error().code, Errc::kInvalidArgument);
  return spec.error().message;
}

class SpecFaultTest : public testing::TestWithParam<Fault> {};
TEST_P(SpecFaultTest, IsToldWhole) {
  EXPECT_EQ(MessageFor(kPlainSpec, GetParam()), std::string("web.json: ") + GetParam().message);
}

class OlderSpecFaultTest : public testing::TestWithParam<Fault> {};
TEST_P(OlderSpecFaultTest, IsToldWhole) {
  EXPECT_EQ(MessageFor(kOlderSpec, GetParam()), std::string("web.json: ") + GetParam().message);
}

TEST(SpecErrorsTest, WhatIsNoObjectIsRefused) {
  const auto spec = ReadWorkloadSpec(Json::array(), "web.json");
  ASSERT_FALSE(spec.has_value());
  EXPECT_EQ(spec.error().message, "web.json: expected an object, found an array");
}

constexpr Fault kTopFaults[] = {
    {"UnknownMember", R"({"benchmak": []})",
     "the member \"benchmak\" is not known here; did you mean \"benchmark\"? Allowed are: name, "
     "description, target, programs, packages, setup, teardown, service, before_run, benchmark, "
     "page_cache, metrics, objectives, front, constraints, parameters, tripwires, budget, words, "
     "notes, service_files, guest"},
    {"NoName", R"({"name": null})", "the member \"name\" is missing"},
    {"EmptyName", R"({"name": ""})",
     "/name: expected a text of one line that is not empty, found \"\""},
    {"NameOfTwoLines", R"({"name": "a\nb"})",
     "/name: expected a text of one line that is not empty, found \"a\\nb\""},
    {"NameIsANumber", R"({"name": 3})", "/name: expected a string, found 3"},
    {"DescriptionIsAList", R"({"description": []})",
     "/description: expected a string, found an array"},
    {"BadTarget", R"({"target": "moon"})",
     "/target: expected \"host\" or \"namespace\", found \"moon\""},
    {"BadPageCache", R"({"page_cache": "hot"})",
     "/page_cache: expected \"warm\" or \"cold\", found \"hot\""},
    {"ProgramTwice", R"({"programs": ["wrk", "wrk"]})", "/programs/1: \"wrk\" is there twice"},
    {"EmptyProgram", R"({"programs": [""]})",
     "/programs/0: expected a text of one line that is not empty, found \"\""},
    {"PackagesAreNoList", R"({"packages": "wrk"})", "/packages: expected an array, found \"wrk\""},
    {"WordTwice", R"({"words": ["web", "web"]})", "/words/1: \"web\" is there twice"},
    {"ServiceThatIsNotKnown", R"({"service_files": ["apach"]})",
     "/service_files/0: service apach: no such service; there are: nginx, postgresql, redis; or "
     "give "
     "the file of a declaration (docs/formats/service.md)"},
    {"NotesAreNoList", R"({"notes": "x"})", "/notes: expected an array, found \"x\""},
    {"NoBenchmark", R"({"benchmark": null})", "the member \"benchmark\" is missing"},
    {"NoMetrics", R"({"metrics": null})", "the member \"metrics\" is missing"},
    {"NoParameters", R"({"parameters": null})", "the member \"parameters\" is missing"},
    {"FrontOfOneObjective", R"({"front": true, "objectives": ["speed"]})",
     "/front: a front needs two objectives or more, found 1"},
    {"FrontIsNoBool", R"({"front": "yes"})", "/front: expected true or false, found \"yes\""},
};
INSTANTIATE_TEST_SUITE_P(Top, SpecFaultTest, testing::ValuesIn(kTopFaults), NameOf);

constexpr Fault kCommandFaults[] = {
    {"PlainText", R"({"benchmark": "wrk -t2"})",
     "/benchmark: expected an argument list such as [\"program\", \"--flag\"], found \"wrk -t2\"; "
     "a shell runs only where the spec says so: {\"shell\": \"wrk -t2\"}"},
    {"Number", R"({"benchmark": 3})",
     "/benchmark: expected an argument list such as [\"program\", \"--flag\"] or an object with "
     "\"command\" or \"shell\", found 3"},
    {"EmptyList", R"({"benchmark": []})",
     "/benchmark: expected a program and its arguments, found no program"},
    {"EmptyProgram", R"({"benchmark": ["", "x"]})",
     "/benchmark: expected a program and its arguments, found no program"},
    {"ArgumentIsANumber", R"({"benchmark": ["wrk", 2]})",
     "/benchmark/1: expected a string, found 2"},
    {"ZeroByte", R"({"benchmark": ["wrk", "a\u0000b"]})", "/benchmark/1: holds a zero byte"},
    {"AllInOneItem", R"({"benchmark": ["wrk -t2 -c4"]})",
     "/benchmark: \"wrk -t2 -c4\" is a program's name with blanks: give each argument as an item "
     "of its own, or say {\"shell\": …}"},
    {"HiddenShell", R"({"benchmark": ["/bin/bash", "-c", "wrk | tail"]})",
     "/benchmark: \"/bin/bash\" with -c is a shell, and the spec does not say so: write "
     "{\"shell\": \"wrk | tail\"}"},
    {"BothForms", R"({"benchmark": {"command": ["wrk"], "shell": "wrk"}})",
     "/benchmark: has both \"command\" and \"shell\": keep one of them"},
    {"NeitherForm", R"({"benchmark": {"cpus": [0]}})",
     "/benchmark: has neither \"command\" nor \"shell\": one of them is needed"},
    {"EmptyShell", R"({"benchmark": {"shell": "  "}})",
     "/benchmark/shell: expected a text for the shell, found an empty one"},
    {"ShellIsAList", R"({"benchmark": {"shell": ["wrk"]}})",
     "/benchmark/shell: expected a string, found an array"},
    {"UnknownMember", R"({"benchmark": {"command": ["wrk"], "enviroment": {}}})",
     "/benchmark: the member \"enviroment\" is not known here; did you mean \"environment\"? "
     "Allowed are: command, shell, environment, folder, cpus, limit"},
    {"BadEnvironmentName", R"({"benchmark": {"command": ["wrk"], "environment": {"A=B": "x"}}})",
     "/benchmark/environment/A=B: \"A=B\" cannot be the name of a variable of the environment"},
    {"EnvironmentIsAList", R"({"benchmark": {"command": ["wrk"], "environment": []}})",
     "/benchmark/environment: expected an object, found an array"},
    {"RelativeFolder", R"({"benchmark": {"command": ["wrk"], "folder": "here"}})",
     "/benchmark/folder: expected a folder as a whole path, or one that begins with {folder}, "
     "found \"here\""},
    {"NegativeCpu", R"({"benchmark": {"command": ["wrk"], "cpus": [-1]}})",
     "/benchmark/cpus/0: expected the number of a CPU, 0 to 1023, found -1"},
    {"CpuIsText", R"({"benchmark": {"command": ["wrk"], "cpus": ["0-3"]}})",
     "/benchmark/cpus/0: expected the number of a CPU, 0 to 1023, found \"0-3\""},
    {"CpuTwice", R"({"benchmark": {"command": ["wrk"], "cpus": [1, 1]}})",
     "/benchmark/cpus/1: CPU 1 is there twice"},
    {"NoCpu", R"({"benchmark": {"command": ["wrk"], "cpus": []}})",
     "/benchmark/cpus: expected the numbers of CPUs, found none; leave the member out to pin "
     "nothing"},
    {"BadLimit", R"({"benchmark": {"command": ["wrk"], "limit": "soon"}})",
     "/benchmark/limit: expected a time above zero such as \"90s\", \"10m\" or \"250ms\", found "
     "\"soon\""},
    {"ZeroLimit", R"({"benchmark": {"command": ["wrk"], "limit": "0s"}})",
     "/benchmark/limit: expected a time above zero such as \"90s\", \"10m\" or \"250ms\", found "
     "\"0s\""},
    {"LimitIsANumber", R"({"benchmark": {"command": ["wrk"], "limit": 30}})",
     "/benchmark/limit: expected a time above zero such as \"90s\", \"10m\" or \"250ms\", found "
     "30"},
    {"UnknownVariable", R"({"benchmark": ["wrk", "http://{adress}/"]})",
     "/benchmark/1: {adress} is not a variable; did you mean {address}? There are: {hone}, "
     "{folder}, {address}, {port}, {cpus}; {{adress}} stands for the text itself"},
    {"UnknownVariableInShell", R"({"before_run": [{"shell": "awk '{print}'"}]})",
     "/before_run/0/shell: {print} is not a variable. There are: {hone}, {folder}, {address}, "
     "{port}, {cpus}; {{print}} stands for the text itself"},
    {"SetupIsOneCommand", R"({"setup": ["mkdir", "x"]})",
     "/setup/0: expected a list of commands, each a list of its own: [[\"mkdir\", …]]"},
    {"SetupIsText", R"({"setup": "mkdir x"})", "/setup: expected an array, found \"mkdir x\""},
    {"SecondSetupIsText", R"({"setup": [["true"], "mkdir x"]})",
     "/setup/1: expected an argument list such as [\"program\", \"--flag\"], found \"mkdir x\"; a "
     "shell runs only where the spec says so: {\"shell\": \"mkdir x\"}"},
};
INSTANTIATE_TEST_SUITE_P(Command, SpecFaultTest, testing::ValuesIn(kCommandFaults), NameOf);

constexpr Fault kServiceFaults[] = {
    {"UnknownMember", R"({"service": {"begin": []}})",
     "/service: the member \"begin\" is not known here. Allowed are: start, stop, ready, "
     "ready_port, ready_within, restart"},
    {"NoStart", R"({"service": {"ready_port": 80}})", "/service: the member \"start\" is missing"},
    {"Limit", R"({"service": {"start": {"command": ["x"], "limit": "1s"}, "ready_port": 80}})",
     "/service/start/limit: a service has no limit: it runs until it is stopped"},
    {"NeverReady", R"({"service": {"start": ["x"]}})",
     "/service: has neither \"ready\" nor \"ready_port\": without one of them nobody knows when "
     "the service can be measured"},
    {"ReadyTwice", R"({"service": {"start": ["x"], "ready": ["y"], "ready_port": 80}})",
     "/service: has both \"ready\" and \"ready_port\": keep one of them"},
    {"BadPort", R"({"service": {"start": ["x"], "ready_port": 70000}})",
     "/service/ready_port: expected a port, 1 to 65535, or \"{port}\", found 70000"},
    {"PortIsText", R"({"service": {"start": ["x"], "ready_port": "http"}})",
     "/service/ready_port: expected a port, 1 to 65535, or \"{port}\", found \"http\""},
    {"BadReadyWithin", R"({"service": {"start": ["x"], "ready_port": 80, "ready_within": "-1s"}})",
     "/service/ready_within: expected a time above zero such as \"90s\", \"10m\" or \"250ms\", "
     "found \"-1s\""},
    {"BadRestart", R"({"service": {"start": ["x"], "ready_port": 80, "restart": "maybe"}})",
     "/service/restart: expected \"when_sticky\", \"always\" or \"never\", found \"maybe\""},
    {"IsAList", R"({"service": ["nginx"]})", "/service: expected an object, found an array"},
};
INSTANTIATE_TEST_SUITE_P(WorkloadService, SpecFaultTest, testing::ValuesIn(kServiceFaults), NameOf);

constexpr Fault kMetricFaults[] = {
    {"None", R"({"metrics": []})", "/metrics: expected at least one metric, found none"},
    {"NoDirection", R"({"metrics": [{"name": "speed"}]})",
     "/metrics/0: the member \"direction\" is missing"},
    {"BadDirection", R"({"metrics": [{"name": "speed", "direction": "up"}]})",
     "/metrics/0/direction: expected \"higher_is_better\" or \"lower_is_better\", found \"up\""},
    {"BadName", R"({"metrics": [{"name": "a<b", "direction": "lower_is_better"}]})",
     "/metrics/0/name: the name of a metric has none of < > = : , \" and no blank at its ends, "
     "found \"a<b\""},
    {"Twice",
     R"({"metrics": [{"name": "a", "direction": "lower_is_better"},
                     {"name": "a", "direction": "lower_is_better"}]})",
     "/metrics/1/name: \"a\" is there twice"},
    {"TwoWays",
     R"({"metrics": [{"name": "a", "direction": "lower_is_better", "line": "a", "json": "/a"}]})",
     "/metrics/0: is to be taken in two ways (line, json): keep one of them"},
    {"ZeroFactor", R"({"metrics": [{"name": "a", "direction": "lower_is_better", "factor": 0}]})",
     "/metrics/0/factor: expected a number other than 0"},
    {"FactorIsText",
     R"({"metrics": [{"name": "a", "direction": "lower_is_better", "factor": "k"}]})",
     "/metrics/0/factor: expected a number, found \"k\""},
    {"UnknownMember", R"({"metrics": [{"name": "a", "direction": "lower_is_better", "uni": "s"}]})",
     "/metrics/0: the member \"uni\" is not known here; did you mean \"unit\"? Allowed are: name, "
     "unit, direction, description, line, label, json, regex, factor"},
    {"EmptyLine", R"({"metrics": [{"name": "a", "direction": "lower_is_better", "line": ""}]})",
     "/metrics/0/line: expected what stands before the \":\" or \"=\" on the line, without blanks "
     "at its ends, found \"\""},
    {"BadPointer", R"({"metrics": [{"name": "a", "direction": "lower_is_better", "json": "a/b"}]})",
     "/metrics/0/json: expected a JSON pointer such as \"/jobs/0/read/iops\", found \"a/b\""},
    {"BadTilde", R"({"metrics": [{"name": "a", "direction": "lower_is_better", "json": "/a~b"}]})",
     "/metrics/0/json: in a JSON pointer ~ is written ~0, and / in a name ~1, found \"/a~b\""},
    {"BadRegex", R"({"metrics": [{"name": "a", "direction": "lower_is_better", "regex": "(a"}]})",
     "/metrics/0/regex: is not a regular expression: missing ): (a"},
    {"RegexWithoutGroup",
     R"({"metrics": [{"name": "a", "direction": "lower_is_better", "regex": "a"}]})",
     "/metrics/0/regex: needs one group around the number, or one named (?P<a>…); it has 0 "
     "groups"},
    {"RegexWithTwoGroups",
     R"({"metrics": [{"name": "a", "direction": "lower_is_better", "regex": "(a)(b)c"}]})",
     "/metrics/0/regex: needs one group around the number, or one named (?P<a>…); it has 2 "
     "groups"},
    {"IsText", R"({"metrics": ["speed"]})", "/metrics/0: expected an object, found \"speed\""},
};
INSTANTIATE_TEST_SUITE_P(Metric, SpecFaultTest, testing::ValuesIn(kMetricFaults), NameOf);

constexpr Fault kLimitFaults[] = {
    {"NoObjective", R"({"objectives": []})",
     "/objectives: expected at least one metric, found none; leave the member out to improve the "
     "first metric"},
    {"UnknownObjective", R"({"objectives": ["sped"]})",
     "/objectives/0: \"sped\" is not a metric of this spec; did you mean \"speed\"? There are: "
     "speed"},
    {"ObjectiveTwice", R"({"objectives": ["speed", "speed"]})",
     "/objectives/1: \"speed\" is there twice"},
    {"ZeroWeight", R"({"objectives": [{"metric": "speed", "weight": 0}]})",
     "/objectives/0/weight: expected a number above 0, found 0"},
    {"UnknownObjectiveMember", R"({"objectives": [{"metric": "speed", "wait": 1}]})",
     "/objectives/0: the member \"wait\" is not known here. Allowed are: metric, weight"},
    {"NoLimit", R"({"constraints": ["speed"]})",
     "/constraints/0: expected a limit such as \"p99_ms <= 20\" or \"p99_ms <= 1.05x\", found "
     "\"speed\""},
    {"LimitIsANumber", R"({"constraints": [3]})",
     "/constraints/0: expected a limit such as \"p99_ms <= 20\", found 3"},
    {"LimitOnUnknown", R"({"constraints": ["p99_ms <= 20"]})",
     "/constraints/0: \"p99_ms\" is not a metric of this spec. There are: speed"},
    {"LimitTwice", R"({"constraints": ["speed <= 20", "speed <= 30"]})",
     "/constraints/1: \"speed <= 30\" and \"speed <= 20\" limit the same: keep one of them"},
    {"ImpossibleLimits", R"({"constraints": ["speed <= 20", "speed >= 30"]})",
     "/constraints/1: \"speed >= 30\" and \"speed <= 20\" cannot both hold"},
    {"BadPressure", R"({"tripwires": {"memory_pressure": 50}})",
     "/tripwires/memory_pressure: expected a share of the time, 0 to 1, where 0 is off, found 50"},
    {"OomIsNoBool", R"({"tripwires": {"oom": 1}})",
     "/tripwires/oom: expected true or false, found 1"},
    {"KernelLogIsNoBool", R"({"tripwires": {"kernel_log": "err"}})",
     "/tripwires/kernel_log: expected true or false, found \"err\""},
    {"UnknownTripwire", R"({"tripwires": {"ooom": true}})",
     "/tripwires: the member \"ooom\" is not known here; did you mean \"oom\"? Allowed are: "
     "memory_pressure, oom, kernel_log, live"},
    {"LiveOnUnknown", R"({"tripwires": {"live": ["p99_ms <= 20"]}})",
     "/tripwires/live/0: \"p99_ms\" is not a metric of this spec. There are: speed"},
    {"LiveIsRelative", R"({"tripwires": {"live": ["speed >= 0.5x"]}})",
     "/tripwires/live/0: \"speed >= 0.5x\" is relative to the baseline, which is not known while "
     "the benchmark runs: give a number"},
    {"LiveOnJson",
     R"({"metrics": [{"name": "speed", "direction": "higher_is_better", "json": "/a"}],
         "tripwires": {"live": ["speed >= 5"]}})",
     "/tripwires/live/0: \"speed\" is taken from JSON, which is there only at the end: a live "
     "limit needs a metric that is taken from lines"},
};
INSTANTIATE_TEST_SUITE_P(Limit, SpecFaultTest, testing::ValuesIn(kLimitFaults), NameOf);

constexpr Fault kParameterFaults[] = {
    {"None", R"({"parameters": []})",
     "/parameters: expected at least one parameter to tune, found none"},
    {"Number", R"({"parameters": [3]})",
     "/parameters/0: expected a parameter's name, or an object with \"name\", found 3"},
    {"EmptyName", R"({"parameters": [""]})",
     "/parameters/0: expected a text of one line that is not empty, found \"\""},
    {"Twice", R"({"parameters": ["vm.swappiness", "vm.swappiness"]})",
     "/parameters/1: \"vm.swappiness\" is there twice"},
    {"TwiceInTwoSpellings", R"({"parameters": ["vm.swappiness", "/proc/sys/vm/swappiness"]})",
     "/parameters/1: \"/proc/sys/vm/swappiness\" is there twice, first as \"vm.swappiness\""},
    {"UnknownMember", R"({"parameters": [{"name": "a", "min": 1}]})",
     "/parameters/0: the member \"min\" is not known here. Allowed are: name, low, high, step, "
     "log, values, parts, special, allow_unknown, allow_disruptive"},
    {"NoName", R"({"parameters": [{"low": 1, "high": 2}]})",
     "/parameters/0: the member \"name\" is missing"},
    {"NoHigh", R"({"parameters": [{"name": "a", "low": 1}]})",
     "/parameters/0: the range is not whole: \"high\" is missing"},
    {"NoLow", R"({"parameters": [{"name": "a", "step": 1}]})",
     "/parameters/0: the range is not whole: \"low\" is missing"},
    {"LowIsText", R"({"parameters": [{"name": "a", "low": "1k", "high": 2}]})",
     "/parameters/0/low: expected a number, found \"1k\""},
    {"Reversed", R"({"parameters": [{"name": "a", "low": 9, "high": 2}]})",
     "/parameters/0: the range is reversed: low 9 is above high 2"},
    {"ReversedReal", R"({"parameters": [{"name": "a", "low": 0.9, "high": 0.2}]})",
     "/parameters/0: the range is reversed: low 0.9 is above high 0.2"},
    {"EmptyRange", R"({"parameters": [{"name": "a", "low": 2, "high": 2}]})",
     "/parameters/0: the range is empty: low and high are both 2"},
    {"LogFromZero", R"({"parameters": [{"name": "a", "low": 0, "high": 2, "log": true}]})",
     "/parameters/0: a logarithmic range needs low above 0, found 0; give 0 as a \"special\" "
     "value"},
    {"ZeroStep", R"({"parameters": [{"name": "a", "low": 0, "high": 2, "step": 0}]})",
     "/parameters/0/step: expected a step above 0, found 0"},
    {"NegativeRealStep", R"({"parameters": [{"name": "a", "low": 0, "high": 2, "step": -0.5}]})",
     "/parameters/0/step: expected a step above 0, found -0.5"},
    {"StepOverRange", R"({"parameters": [{"name": "a", "low": 0, "high": 2, "step": 5}]})",
     "/parameters/0: the step 5 is larger than the range 0 to 2: only one value is left"},
    {"LogIsNoBool", R"({"parameters": [{"name": "a", "low": 1, "high": 2, "log": 2}]})",
     "/parameters/0/log: expected true or false, found 2"},
    {"OneValue", R"({"parameters": [{"name": "a", "values": ["x"]}]})",
     "/parameters/0/values: expected at least two values, found 1: there is nothing to choose"},
    {"ValueTwice", R"({"parameters": [{"name": "a", "values": ["1", 1]}]})",
     "/parameters/0/values/1: \"1\" is there twice"},
    {"ValueIsReal", R"({"parameters": [{"name": "a", "values": ["1", 1.5]}]})",
     "/parameters/0/values/1: expected a string, found 1.5"},
    {"TwoWays", R"({"parameters": [{"name": "a", "low": 1, "high": 2, "values": ["x", "y"]}]})",
     "/parameters/0: says in two ways what may be tried: keep one of low and high, values, parts"},
    {"OnePart", R"({"parameters": [{"name": "a", "parts": [{"low": 1, "high": 2}]}]})",
     "/parameters/0/parts: expected a range for each of the parameter's numbers, two or more"},
    {"UnknownInPart",
     R"({"parameters": [{"name": "a", "parts": [{"lo": 1, "high": 2}, {"low": 1, "high": 2}]}]})",
     "/parameters/0/parts/0: the member \"lo\" is not known here; did you mean \"low\"? Allowed "
     "are: low, high, step, log"},
    {"PartsThatDecrease",
     R"({"parameters": [{"name": "a", "parts": [{"low": 9, "high": 12}, {"low": 1, "high": 2}]}]})",
     "/parameters/0/parts: the numbers never decrease, so that no part can end below where the "
     "first begins"},
    {"SpecialTwice", R"({"parameters": [{"name": "a", "special": [{"value": 0}, {"value": 0}]}]})",
     "/parameters/0/special/1: 0 is there twice"},
    {"SpecialIsText", R"({"parameters": [{"name": "a", "special": [{"value": "off"}]}]})",
     "/parameters/0/special/0/value: expected a number, found \"off\""},
    {"SpecialOfValues",
     R"({"parameters": [{"name": "a", "values": ["x", "y"], "special": [{"value": 0}]}]})",
     "/parameters/0/special: special values belong to a range of numbers; list them in values"},
    {"UnknownInSpecial",
     R"({"parameters": [{"name": "a", "special": [{"value": 0, "meening": "x"}]}]})",
     "/parameters/0/special/0: the member \"meening\" is not known here; did you mean \"meaning\"? "
     "Allowed are: value, meaning"},
    {"AllowUnknownWithoutRange", R"({"parameters": [{"name": "a", "allow_unknown": true}]})",
     "/parameters/0: \"allow_unknown\" needs a range: low and high, values, or parts"},
};
INSTANTIATE_TEST_SUITE_P(Parameter, SpecFaultTest, testing::ValuesIn(kParameterFaults), NameOf);

constexpr Fault kBudgetFaults[] = {
    {"UnknownMember", R"({"budget": {"trails": 5}})",
     "/budget: the member \"trails\" is not known here; did you mean \"trials\"? Allowed are: "
     "trials, time, run_limit, expected_run, least_pairs, most_pairs, gate_pairs"},
    {"NoTrials", R"({"budget": {"trials": 0}})",
     "/budget/trials: expected a whole number, 1 to 1000000000, found 0"},
    {"TrialsAreText", R"({"budget": {"trials": "ten"}})",
     "/budget/trials: expected a whole number, 1 to 1000000000, found \"ten\""},
    {"BadTime", R"({"budget": {"time": "never"}})",
     "/budget/time: expected a time above zero such as \"90s\", \"10m\" or \"250ms\", found "
     "\"never\""},
    {"BadRunLimit", R"({"budget": {"run_limit": 5}})",
     "/budget/run_limit: expected a time above zero such as \"90s\", \"10m\" or \"250ms\", found "
     "5"},
    {"ReversedPairs", R"({"budget": {"least_pairs": 9, "most_pairs": 3}})",
     "/budget: least_pairs 9 is above most_pairs 3"},
    {"IsAList", R"({"budget": []})", "/budget: expected an object, found an array"},
};
INSTANTIATE_TEST_SUITE_P(Budget, SpecFaultTest, testing::ValuesIn(kBudgetFaults), NameOf);

constexpr Fault kOlderFaults[] = {
    {"EmptyName", R"({"workload_name": ""})",
     "/workload_name: expected a text of one line that is not empty, found \"\""},
    {"NoMetric", R"({"reward_metric": null})", "the member \"reward_metric\" is missing"},
    {"BadMetric", R"({"reward_metric": "a=b"})",
     "/reward_metric: the name of a metric has none of < > = : , \" and no blank at its ends, "
     "found \"a=b\""},
    {"NoCommand", R"({"benchmark_command": null})", "the member \"benchmark_command\" is missing"},
    {"EmptyCommand", R"({"benchmark_command": ""})",
     "/benchmark_command: expected a text for the shell, found an empty one"},
    {"NoActions", R"({"action_space": []})",
     "/action_space: expected at least one parameter to tune, found none"},
    {"ActionSpaceIsMissing", R"({"action_space": null})", "the member \"action_space\" is missing"},
    {"StateSpaceIsMissing", R"({"state_space": null})", "the member \"state_space\" is missing"},
    {"StateWithoutMetric", R"({"state_space": [{"source": "x"}]})",
     "/state_space/0: the member \"metric\" is missing"},
    {"ActionWithoutParam", R"({"action_space": [{"min": 0, "max": 1}]})",
     "/action_space/0: the member \"param\" is missing"},
    {"ActionWithoutMax", R"({"action_space": [{"param": "a", "min": 0}]})",
     "/action_space/0: the member \"max\" is missing"},
    {"Reversed", R"({"action_space": [{"param": "a", "min": 9, "max": 1}]})",
     "/action_space/0: the range is reversed: min 9 is above max 1"},
    {"Empty", R"({"action_space": [{"param": "a", "min": 1, "max": 1, "type": "float"}]})",
     "/action_space/0: the range is empty: min and max are both 1"},
    {"NotWhole", R"({"action_space": [{"param": "a", "min": 0.5, "max": 1}]})",
     "/action_space/0/min: expected a whole number, since the type is \"int\", found 0.5"},
    {"BadType", R"({"action_space": [{"param": "a", "min": 0, "max": 1, "type": "bool"}]})",
     "/action_space/0/type: expected \"int\" or \"float\", found \"bool\""},
    {"Twice",
     R"({"action_space": [{"param": "a", "min": 0, "max": 1}, {"param": "a", "min": 0,
         "max": 1}]})",
     "/action_space/1: \"a\" is there twice"},
    {"NoTimesteps", R"({"training_config": {"total_timesteps": 0}})",
     "/training_config/total_timesteps: expected a number above 0, found 0"},
    {"BadTimeout", R"({"training_config": {"benchmark_timeout": -1}})",
     "/training_config/benchmark_timeout: expected a number above 0, found -1"},
    {"TrainingIsAList", R"({"training_config": []})",
     "/training_config: expected an object, found an array"},
};
INSTANTIATE_TEST_SUITE_P(Older, OlderSpecFaultTest, testing::ValuesIn(kOlderFaults), NameOf);

}  // namespace
}  // namespace hone::sysctl
