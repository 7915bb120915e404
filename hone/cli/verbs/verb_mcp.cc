// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <ostream>
#include <utility>

#include "hone/agent/mcp/stdio_server.h"
#include "hone/app/knowledge/knowledge_here.h"
#include "hone/app/mcp/mcp_http.h"
#include "hone/app/mcp/mcp_tools.h"
#include "hone/app/service/service_parts.h"
#include "hone/app/version.h"
#include "hone/base/descriptor.h"
#include "hone/base/errno_error.h"
#include "hone/base/file.h"
#include "hone/base/http/http_url.h"
#include "hone/base/json/json.h"
#include "hone/cli/interrupts.h"
#include "hone/cli/text/help.h"
#include "hone/cli/verbs.h"
#include "hone/cli/verbs/service_flags.h"
#include "hone/server/api_server.h"

namespace hone::cli {
namespace {

struct McpArguments {
  app::McpToolSettings tools;
  app::McpHttpSettings http;
  bool is_http = false;
  bool is_list = false;
  bool is_open = false;  // No tokens.
  std::string token_file;
  LogChoice log;
};

// "HOST:PORT", "PORT"; empty: the default.
Result<void> SetPlace(const std::string& text, McpArguments& arguments) {
  arguments.is_http = true;
  if (text.empty()) return {};
  const Error wrong{Errc::kInvalidArgument,
                    fmt::format("--http: expected HOST:PORT or PORT, found \"{}\"", text)};
  server::HttpSettings& http = arguments.http.http;
  if (text.find_first_not_of("0123456789") == std::string::npos) {
    const auto port = ParseCount("--http", text, 0, 65535);
    if (!port) return wrong;
    http.port = static_cast<std::uint16_t>(*port);
    return {};
  }
  const auto colon = text.rfind(':');
  const bool has_port = colon != text.npos && text.find(']', colon) == text.npos;
  const auto url = ParseHttpUrl("http://" + text.substr(0, has_port ? colon : text.size()));
  if (!url || !url->path.empty() || !url->user.empty() || !url->password.empty()) return wrong;
  http.address = url->host == "localhost" ? "127.0.0.1" : url->host;
  if (!has_port) return {};
  const auto port = ParseCount("--http", text.substr(colon + 1), 0, 65535);
  if (!port) return wrong;
  http.port = static_cast<std::uint16_t>(*port);
  return {};
}

Result<agent::McpSettings> SettingsOf(const Shell& shell, McpArguments& arguments) {
  arguments.tools.store = shell.store;
  if (arguments.tools.readable.empty()) {
    std::error_code problem;
    const auto here = std::filesystem::current_path(problem);
    // Some clients start their servers at the root: that is not meant as all files.
    if (!problem && here != here.root_path()) arguments.tools.readable = {here};
  }
  auto tools = app::MakeMcpTools(
      shell.builtins, shell.clock, arguments.tools,
      app::MakeKnowledgeToolsHere({app::KnowledgePath(), shell.store}, shell.clock));
  if (!tools) return tools.error();
  agent::McpSettings settings;
  settings.version = app::Version();
  settings.instructions = app::McpInstructions();
  settings.tools = std::move(*tools);
  return settings;
}

ExitCode TellTools(const Shell& shell, const agent::McpSettings& settings) {
  Json list = Json::array();
  TwoColumnRows rows;
  for (const agent::McpTool& tool : settings.tools) {
    list.push_back({{"name", tool.name},
                    {"title", tool.title},
                    {"description", tool.description},
                    {"read_only", tool.is_read_only},
                    {"long", tool.is_long}});
    rows.emplace_back(tool.name, tool.description);
  }
  shell.console.out << (shell.wants_json ? Dump({{"tools", list}}) + "\n" : TwoColumns(rows));
  return ExitCode::kYes;
}

// Standard input and output for the protocol alone: whatever else in this process reads or writes
// them, or a program that it starts, gets nothing and standard error.
struct StandardPlaces {
  Descriptor in;
  Descriptor out;
};
Result<StandardPlaces> TakeStandardPlaces() {
  StandardPlaces places{Descriptor(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)),
                        Descriptor(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3))};
  if (!places.in.is_open() || !places.out.is_open()) {
    return ErrnoError("standard input and output", errno);
  }
  const Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!nothing.is_open() || ::dup2(nothing.get(), STDIN_FILENO) < 0 ||
      ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    return ErrnoError("standard input and output", errno);
  }
  return places;
}

Result<ExitCode> ServeStandard(Shell& shell, agent::McpSettings settings,
                               const std::stop_token& stop) {
  if (::isatty(STDIN_FILENO) == 1 && !shell.is_quiet) {
    shell.console.err << "hone mcp: a program is expected on standard input, one message a line; "
                         "docs/howto/use-from-a-coding-agent.md says how. Ctrl-D ends it\n";
  }
  auto places = TakeStandardPlaces();
  if (!places) return places.error();
  agent::McpServer server(std::move(settings), shell.clock);
  // Whoever started this process is its user.
  auto served = agent::ServeStdio(server, places->in.get(), places->out.get(),
                                  {.may_change_host = true}, stop);
  if (!served) return served.error();
  return ExitCode::kYes;
}

Result<void> OpenMcpTokens(const Shell& shell, McpArguments& arguments) {
  const bool is_loopback = server::IsLoopback(arguments.http.http.address);
  if (arguments.is_open && (!is_loopback || arguments.tools.allows_host)) {
    return Error{Errc::kInvalidArgument,
                 is_loopback ? "--no-token: not with --allow-host: every user of this machine "
                               "could change it"
                             : "--no-token: only on a loopback address"};
  }
  if (arguments.is_open) return {};
  auto tokens = arguments.token_file.empty() ? Result<server::TokenBook>(Error{})
                                             : server::TokenBook::Load(arguments.token_file);
  if (arguments.token_file.empty()) {
    if (auto made = MakeFolder(shell.store.parent_path()); !made) return made.error();
    arguments.token_file = app::ServicePath(shell.store, "tokens").string();
    tokens = server::TokenBook::LoadOrMake(arguments.token_file);
  }
  if (!tokens) return tokens.error();
  arguments.http.access.tokens = std::move(*tokens);
  return {};
}

std::vector<std::string> FoldersOf(const McpArguments& arguments) {
  std::vector<std::string> folders;
  for (const std::filesystem::path& path : arguments.tools.readable)
    folders.push_back(path.string());
  return folders;
}

Result<ExitCode> ServeHttp(Shell& shell, agent::McpSettings settings, McpArguments& arguments,
                           const Interrupts& interrupts) {
  if (auto opened = OpenMcpTokens(shell, arguments); !opened) return opened.error();
  agent::McpServer server(std::move(settings), shell.clock);
  auto http = app::StartMcpHttp(server, shell.clock, arguments.http);
  if (!http) return http.error();
  const std::string url =
      "http://" + AuthorityOf(arguments.http.http.address, (*http)->port()) + "/mcp";
  if (shell.wants_json) {
    shell.console.out << Dump({{"url", url}, {"token_file", arguments.token_file}}) << '\n';
    shell.console.out.flush();
  }
  if (!shell.is_quiet) {
    shell.console.err << fmt::format(
        "hone mcp: {} · tokens: {} · reads {} · {}\n", url,
        arguments.token_file.empty() ? "none, this machine's users may use it"
                                     : arguments.token_file,
        fmt::join(FoldersOf(arguments), ", "),
        arguments.tools.allows_host ? "campaigns may change this host" : "changes nothing here");
  }
  interrupts.AwaitWrapUp();
  return ExitCode::kYes;
}

Result<ExitCode> ServeMcp(Shell& shell, McpArguments& arguments) {
  UseLog(shell, arguments.log);
  auto settings = SettingsOf(shell, arguments);
  if (!settings) return settings.error();
  if (arguments.is_list) return TellTools(shell, *settings);
  auto interrupts = Interrupts::Watch([&shell](int count) {
    if (count == 1 && !shell.is_quiet)
      shell.console.err << "hone mcp: stopping; what it started is given up\n";
  });
  if (!interrupts) return interrupts.error();
  return arguments.is_http ? ServeHttp(shell, std::move(*settings), arguments, **interrupts)
                           : ServeStandard(shell, std::move(*settings), (*interrupts)->wrap_up());
}

std::vector<Flag> McpFlags(McpArguments& arguments) {
  arguments.http.http.port = app::kMcpPort;
  return {
      {.names = "--http",
       .value = "[=HOST:PORT]",
       .help = "Serve Streamable HTTP at /mcp instead of standard input and output "
               "(127.0.0.1:10908; port 0: any that is free).",
       .set = [&arguments](const std::string& text) { return SetPlace(text, arguments); },
       .is_value_optional = true},
      {.names = "--tools",
       .value = "LIST",
       .help = "Offer only these, as judge_kernel,get_problem; those for handles are always there.",
       .set = [&arguments](const std::string& text) -> Result<void> {
         for (std::size_t begin = 0; begin <= text.size();) {
           const std::size_t end = std::min(text.find(',', begin), text.size());
           if (end > begin) arguments.tools.only.push_back(text.substr(begin, end - begin));
           begin = end + 1;
         }
         return {};
       }},
      {.names = "--read",
       .value = "DIR",
       .help = "A folder whose files the tools may read: Kconfig trees, .config files, workloads "
               "(the current one, unless it is the root).",
       .set = [&arguments](const std::string& text) -> Result<void> {
         arguments.tools.readable.emplace_back(text);
         return {};
       },
       .is_repeatable = true,
       .completes = Completes::kFile},
      {.names = "--allow-host",
       .value = "",
       .help = "Let campaigns change this host's parameters, and run workload files and kernel "
               "builds. Over HTTP only with a token of the role admin.",
       .set = Raise(arguments.tools.allows_host)},
      {.names = "--allow-deviations",
       .value = "",
       .help = "Let agents soften problems by name (fewer trials, another policy, a known seed). "
               "Their verdicts say so.",
       .set = Raise(arguments.tools.allows_deviations)},
      {.names = "--token-file",
       .value = "FILE",
       .help =
           "With --http: lines `ROLE TOKEN`, roles submit and admin; by default `tokens` beside "
           "the store, made at the first start.",
       .set = Store(arguments.token_file),
       .completes = Completes::kFile},
      {.names = "--no-token",
       .value = "",
       .help = "With --http: ask nobody for a token; only on a loopback address.",
       .set = Raise(arguments.is_open)},
      {.names = "--list",
       .value = "",
       .help = "Say which tools there are, and end.",
       .set = Raise(arguments.is_list)}};
}

}  // namespace

Verb MakeMcpVerb() {
  const auto arguments = std::make_shared<McpArguments>();
  Verb verb;
  verb.name = "mcp";
  verb.summary = "offers tools to coding agents (Model Context Protocol)";
  verb.description =
      "A server of the Model Context Protocol, in both of its eras (2026-07-28, and 2025-11-25\n"
      "and older), on standard input and output or over HTTP. Its tools judge a compute kernel,\n"
      "start and follow a campaign, explain and solve build options, and look up a kernel\n"
      "parameter. docs/howto/use-from-a-coding-agent.md has the lines for common clients.\n"
      "\n"
      "By default nothing that it offers changes this host. Commands of Kconfig trees run only\n"
      "in their jail, kernels only in their sandbox. It ends when its input ends, and gives up\n"
      "what it had started; campaigns are stored and can be resumed.";
  verb.flags = McpFlags(*arguments);
  const auto log = LogFlags(arguments->log);
  verb.flags.insert(verb.flags.end(), log.begin(), log.end());
  verb.examples = {
      {"claude mcp add hone -- hone mcp --read /usr/src", "For Claude Code, with kernel trees."},
      {"hone mcp --tools list_problems,get_problem,judge_kernel", "For writing kernels only."},
      {"hone mcp --http", "Over HTTP, for several agents, with tokens."},
      {"hone mcp --list", "Which tools there are."}};
  verb.run = [arguments](Shell& shell) { return ServeMcp(shell, *arguments); };
  return verb;
}

}  // namespace hone::cli
