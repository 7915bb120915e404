// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/workload/stage_commands.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include "hone/base/descriptor.h"
#include "hone/base/errno_error.h"
#include "hone/base/host.h"
#include "hone/domains/sysctl/workload/program_path.h"
#include "hone/domains/sysctl/workload/variables.h"

namespace hone::sysctl {
namespace {

Result<int> FreePort() {
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket.get(), generic, size) != 0 ||
      ::getsockname(socket.get(), generic, &size) != 0) {
    return ErrnoError("a free port", errno);
  }
  return ntohs(address.sin_port);
}

std::string OwnProgram() {
  std::error_code fault;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", fault);
  return fault ? "hone" : path.native();
}

std::map<std::string, std::string> CleanEnvironment(const std::string& scratch) {
  const char* home = std::getenv("HOME");
  return {{"PATH", WorkloadSearchPath()},
          {"HOME", home != nullptr ? home : "/"},
          {"LANG", "C.UTF-8"},
          {"TMPDIR", scratch}};
}

}  // namespace

Result<StageCommands> StageCommands::Make(WorkloadStage stage,
                                          const std::filesystem::path& scratch) {
  auto& variables = stage.variables;
  if (!variables.contains("port")) {
    const auto port = FreePort();
    if (!port) return port.error();
    variables["port"] = std::to_string(*port);
  }
  variables.emplace("folder", scratch.native());
  variables.emplace("hone", OwnProgram());
  variables.emplace("address", "127.0.0.1");
  variables.emplace("cpus", std::to_string(std::max<std::size_t>(1, AllowedCpus().size())));
  return StageCommands(std::move(stage));
}

Command StageCommands::Make(const CommandSpec& spec, Side side,
                            std::chrono::milliseconds default_limit) const {
  const auto expand = [this](const std::string& text) { return Expand(text, stage_.variables); };
  Command command;
  command.arguments = side == Side::kService ? stage_.service_prefix : stage_.benchmark_prefix;
  command.arguments.push_back(
      FindWorkloadProgram(expand(spec.arguments[0])).value_or(spec.arguments[0]));
  for (std::size_t i = 1; i < spec.arguments.size(); ++i) {
    command.arguments.push_back(expand(spec.arguments[i]));
  }
  command.environment = CleanEnvironment(stage_.variables.at("folder"));
  for (const auto& [name, value] : spec.environment) {
    (*command.environment)[name] = expand(value);
  }
  command.folder = expand(spec.folder);
  command.cpus = spec.cpus.empty() ? stage_.cpus : spec.cpus;
  command.limit = spec.limit.count() != 0 ? spec.limit : default_limit;
  return command;
}

std::string TailOf(const std::string& text) {
  constexpr std::size_t kMax = 2000;
  if (text.size() <= kMax) return text;
  const auto line = text.find('\n', text.size() - kMax);
  return "…\n" + text.substr(line == std::string::npos ? text.size() - kMax : line + 1);
}

std::string OutputText(const ProcessResult& result) {
  std::string text = TailOf(result.output);
  if (result.errors.empty()) return text;
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  return text + "errors:\n" + TailOf(result.errors);
}

std::string EndText(const ProcessResult& result, std::chrono::milliseconds limit) {
  switch (result.end) {
    case ProcessResult::End::kExited:
      return fmt::format("exited with status {}", result.status);
    case ProcessResult::End::kSignalled:
      return fmt::format("was ended by signal {} ({})", result.status, ::strsignal(result.status));
    case ProcessResult::End::kTimedOut:
      return fmt::format("ran over its limit of {:g} s", static_cast<double>(limit.count()) / 1e3);
    case ProcessResult::End::kStopped:
      break;
  }
  return "was stopped";
}

bool IsHopeless(const Error& error) { return error.code != Errc::kUnavailable; }

std::vector<Evidence> OutputEvidence(const std::string& what, const ProcessResult& result) {
  std::vector<Evidence> evidence;
  if (!result.output.empty()) evidence.push_back({what + ": output", TailOf(result.output)});
  if (!result.errors.empty()) evidence.push_back({what + ": errors", TailOf(result.errors)});
  return evidence;
}

}  // namespace hone::sysctl
