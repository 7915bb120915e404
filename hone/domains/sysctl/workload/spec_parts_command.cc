// SPDX-License-Identifier: Apache-2.0
// Commands and the service of a workload spec.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <utility>

#include "hone/core/nearest.h"
#include "hone/domains/sysctl/workload/spec_parts.h"
#include "hone/domains/sysctl/workload/variables.h"

namespace hone::sysctl {
namespace {

using Restart = ServiceSpec::Restart;
constexpr std::array<std::pair<Restart, std::string_view>, 3> kRestarts{
    {{Restart::kWhenSticky, "when_sticky"},
     {Restart::kAlways, "always"},
     {Restart::kNever, "never"}}};

// The reader's text, with the variables in it checked.
std::string ReadText(JsonReader reader) {
  std::string text = reader.String();
  if (text.find('\0') != std::string::npos) reader.Fail("holds a zero byte");
  for (const std::string& name : VariablesIn(text)) {
    const auto& known = VariableNames();
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto nearest = Nearest(name, known);
    reader.Fail(fmt::format(
        "{{{}}} is not a variable{} There are: {{{}}}; {{{{{}}}}} stands for the text itself", name,
        nearest ? fmt::format("; did you mean {{{}}}?", *nearest) : ".", fmt::join(known, "}, {"),
        name));
  }
  return text;
}

bool IsShell(std::string_view program) {
  program.remove_prefix(std::min(program.rfind('/') + 1, program.size()));
  constexpr std::array<std::string_view, 6> kShells{"sh", "bash", "dash", "zsh", "ksh", "busybox"};
  return std::find(kShells.begin(), kShells.end(), program) != kShells.end();
}

void RefuseHiddenShell(JsonReader& reader, const std::vector<std::string>& arguments) {
  if (arguments.size() == 1 && arguments[0].find(' ') != std::string::npos) {
    reader.Fail(fmt::format(
        "{} is a program's name with blanks: give each argument as an item of its own, or say "
        "{{\"shell\": …}}",
        Quoted(arguments[0])));
  }
  if (!arguments.empty() && IsShell(arguments[0]) &&
      std::find(arguments.begin(), arguments.end(), "-c") != arguments.end()) {
    reader.Fail(
        fmt::format("{} with -c is a shell, and the spec does not say so: write {{\"shell\": {}}}",
                    Quoted(arguments[0]), Quoted(arguments.back())));
  }
}

std::vector<std::string> ReadArguments(JsonReader reader) {
  std::vector<std::string> arguments;
  for (JsonReader& item : reader.Items()) arguments.push_back(ReadText(item));
  if (reader.Raw().is_array() && (arguments.empty() || arguments[0].empty())) {
    reader.Fail("expected a program and its arguments, found no program");
  }
  RefuseHiddenShell(reader, arguments);
  return arguments;
}

std::vector<std::string> ReadShell(JsonReader reader) {
  std::string text = ReadText(reader);
  if (text.find_first_not_of(" \t\n") == std::string::npos && reader.Raw().is_string()) {
    reader.Fail("expected a text for the shell, found an empty one");
  }
  return {"/bin/sh", "-c", std::move(text)};
}

std::vector<int> ReadCpus(JsonReader reader) {
  std::vector<int> cpus;
  for (JsonReader& item : reader.Items()) {
    const bool is_number = item.Raw().is_number_integer();
    const std::int64_t cpu = is_number ? item.Integer() : -1;
    if (cpu < 0 || cpu >= CPU_SETSIZE) {
      item.Fail(fmt::format("expected the number of a CPU, 0 to {}, found {}", CPU_SETSIZE - 1,
                            Dump(item.Raw())));
    } else if (std::find(cpus.begin(), cpus.end(), cpu) != cpus.end()) {
      item.Fail(fmt::format("CPU {} is there twice", cpu));
    }
    cpus.push_back(static_cast<int>(cpu));
  }
  if (reader.Raw().is_array() && cpus.empty()) {
    reader.Fail("expected the numbers of CPUs, found none; leave the member out to pin nothing");
  }
  return cpus;
}

std::map<std::string, std::string> ReadEnvironment(JsonReader reader) {
  std::map<std::string, std::string> environment;
  for (auto& [name, value] : reader.Members()) {
    if (name.empty() || name.find_first_of(std::string_view("=\0", 2)) != std::string::npos) {
      value.Fail(
          fmt::format("{} cannot be the name of a variable of the environment", Quoted(name)));
    }
    environment.emplace(name, ReadText(value));
  }
  return environment;
}

std::string ReadFolder(JsonReader reader) {
  std::string folder = ReadText(reader);
  if (!folder.starts_with('/') && !folder.starts_with("{folder}")) {
    reader.Fail(fmt::format(
        "expected a folder as a whole path, or one that begins with {{folder}}, found {}",
        Quoted(folder)));
  }
  return folder;
}

CommandSpec ReadCommandObject(JsonReader& reader) {
  CommandSpec command;
  RefuseUnknown(reader, "command");
  command.is_shell = reader.Has("shell");
  if (command.is_shell == reader.Has("command")) {
    reader.Fail(command.is_shell ? "has both \"command\" and \"shell\": keep one of them"
                                 : "has neither \"command\" nor \"shell\": one of them is needed");
    return command;
  }
  command.arguments =
      command.is_shell ? ReadShell(reader.At("shell")) : ReadArguments(reader.At("command"));
  if (reader.Has("environment")) command.environment = ReadEnvironment(reader.At("environment"));
  if (reader.Has("folder")) command.folder = ReadFolder(reader.At("folder"));
  if (reader.Has("cpus")) command.cpus = ReadCpus(reader.At("cpus"));
  if (reader.Has("limit")) command.limit = ReadDuration(reader.At("limit"));
  return command;
}

// A port, or "{port}", which is 0.
int ReadPort(JsonReader reader) {
  constexpr int kMax = 65535;
  if (reader.Raw().is_string() && reader.String() == "{port}") return 0;
  if (reader.Raw().is_number_integer() && reader.Integer() >= 1 && reader.Integer() <= kMax) {
    return static_cast<int>(reader.Integer());
  }
  reader.Fail(
      fmt::format("expected a port, 1 to {}, or \"{{port}}\", found {}", kMax, Dump(reader.Raw())));
  return 0;
}

Restart ReadRestart(JsonReader reader) {
  const std::string word = reader.String();
  for (const auto& [value, name] : kRestarts) {
    if (name == word) return value;
  }
  reader.Fail(
      fmt::format("expected \"when_sticky\", \"always\" or \"never\", found {}", Quoted(word)));
  return Restart::kWhenSticky;
}

}  // namespace

CommandSpec ReadCommand(JsonReader reader) {
  if (reader.Raw().is_object()) return ReadCommandObject(reader);
  CommandSpec command;
  if (reader.Raw().is_array()) {
    command.arguments = ReadArguments(reader);
  } else if (reader.Raw().is_string()) {
    const std::string text = Quoted(reader.String());
    reader.Fail(fmt::format(
        "expected an argument list such as [\"program\", \"--flag\"], found {}; a shell runs only "
        "where the spec says so: {{\"shell\": {}}}",
        text, text));
  } else {
    reader.Fail(fmt::format(
        "expected an argument list such as [\"program\", \"--flag\"] or an object with \"command\" "
        "or \"shell\", found {}",
        Dump(reader.Raw())));
  }
  return command;
}

std::vector<CommandSpec> ReadCommands(JsonReader reader) {
  std::vector<CommandSpec> commands;
  for (JsonReader& item : reader.Items()) {
    if (!commands.empty() || !item.Raw().is_string()) {
      commands.push_back(ReadCommand(item));
      continue;
    }
    item.Fail(fmt::format("expected a list of commands, each a list of its own: [[{}, …]]",
                          Quoted(item.String())));
    return commands;
  }
  return commands;
}

ServiceSpec ReadService(JsonReader reader) {
  ServiceSpec service;
  RefuseUnknown(reader, "service");
  service.start = ReadCommand(reader.At("start"));
  if (service.start.limit.count() != 0) {
    reader.At("start").At("limit").Fail("a service has no limit: it runs until it is stopped");
  }
  if (reader.Has("stop")) service.stop = ReadCommand(reader.At("stop"));
  if (reader.Has("ready")) service.ready = ReadCommand(reader.At("ready"));
  if (reader.Has("ready_port")) service.ready_port = ReadPort(reader.At("ready_port"));
  if (service.ready.has_value() == service.ready_port.has_value()) {
    reader.Fail(service.ready ? "has both \"ready\" and \"ready_port\": keep one of them"
                              : "has neither \"ready\" nor \"ready_port\": without one of them "
                                "nobody knows when the service can be measured");
  }
  if (reader.Has("ready_within")) service.ready_within = ReadDuration(reader.At("ready_within"));
  if (reader.Has("restart")) service.restart = ReadRestart(reader.At("restart"));
  return service;
}

Json CommandJson(const CommandSpec& command) {
  Json json;
  if (command.is_shell) {
    json["shell"] = command.arguments.back();
  } else {
    json["command"] = command.arguments;
  }
  if (!command.environment.empty()) json["environment"] = command.environment;
  if (!command.folder.empty()) json["folder"] = command.folder;
  if (!command.cpus.empty()) json["cpus"] = command.cpus;
  if (command.limit.count() != 0) json["limit"] = fmt::format("{}ms", command.limit.count());
  return json;
}

Json ServiceJson(const ServiceSpec& service) {
  Json json{{"start", CommandJson(service.start)},
            {"ready_within", fmt::format("{}ms", service.ready_within.count())}};
  if (service.stop) json["stop"] = CommandJson(*service.stop);
  if (service.ready) json["ready"] = CommandJson(*service.ready);
  if (service.ready_port) {
    json["ready_port"] = *service.ready_port == 0 ? Json("{port}") : Json(*service.ready_port);
  }
  for (const auto& [value, name] : kRestarts) {
    if (value == service.restart) json["restart"] = name;
  }
  return json;
}

}  // namespace hone::sysctl
