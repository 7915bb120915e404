// SPDX-License-Identifier: Apache-2.0
#include "hone/base/process/process_start.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "hone/base/errno_error.h"
#include "hone/base/process/embedded_program.h"
#include "hone/base/process/find_program.h"
#include "hone/base/process/supervisor.h"
#include "hone/base/process/supervisor_image.h"
#include "hone/base/process/withheld_variables.h"

namespace hone {
namespace {

constexpr int kMinChannelDescriptor =
    10;  // Above the descriptors that the supervisor gets by number.

// Takes over two new descriptors and moves them out of the way of the standard ones.
Result<Pair> Lifted(int ours, int theirs) {
  const Descriptor low_ours(ours);
  const Descriptor low_theirs(theirs);
  Pair pair{Descriptor(::fcntl(ours, F_DUPFD_CLOEXEC, kMinChannelDescriptor)),
            Descriptor(::fcntl(theirs, F_DUPFD_CLOEXEC, kMinChannelDescriptor))};
  if (!pair.ours.is_open() || !pair.theirs.is_open()) return ErrnoError("pipe", errno);
  return pair;
}

// Our end does not block; the program's does.
Result<Pair> MakePipe(bool is_input) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return ErrnoError("pipe", errno);
  auto pair = is_input ? Lifted(ends[1], ends[0]) : Lifted(ends[0], ends[1]);
  if (pair) ::fcntl(pair->ours.get(), F_SETFL, O_NONBLOCK);
  return pair;
}

// For a program without input. There is no end of ours.
Result<Pair> OpenNull() {
  const Descriptor low(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  Descriptor null(low.is_open() ? ::fcntl(low.get(), F_DUPFD_CLOEXEC, kMinChannelDescriptor) : -1);
  if (!null.is_open()) return ErrnoError("/dev/null", errno);
  return Pair{Descriptor(), std::move(null)};
}

Result<Pair> MakeSocket() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return ErrnoError("socket", errno);
  }
  return Lifted(ends[0], ends[1]);
}

bool HasNul(std::string_view text) { return text.find('\0') != text.npos; }

Result<void> Validate(const Command& command) {
  const auto invalid = [](std::string message) {
    return Error{Errc::kInvalidArgument, std::move(message)};
  };
  if (command.arguments.empty() || command.arguments[0].empty()) {
    return invalid("no program was named");
  }
  const std::string& name = command.arguments[0];
  if (std::any_of(command.arguments.begin(), command.arguments.end(), HasNul)) {
    return invalid(fmt::format("{}: an argument holds a zero byte", name.c_str()));
  }
  if (command.environment) {
    for (const auto& [key, value] : *command.environment) {
      if (key.empty() || key.find('=') != key.npos || HasNul(key) || HasNul(value)) {
        return invalid(fmt::format("{}: bad environment variable \"{}\"", name, key));
      }
    }
  }
  for (const int cpu : command.cpus) {
    if (cpu < 0 || cpu >= CPU_SETSIZE) return invalid(fmt::format("{}: no CPU {}", name, cpu));
  }
  return {};
}

Error NoSuchProgram(const std::string& name) {
  return {Errc::kNotFound, fmt::format("{}: no such program: is it installed?", name)};
}

// What the first line of a script names; empty if it names nothing.
std::string InterpreterOf(const std::filesystem::path& script) {
  std::string line;
  std::ifstream file(script, std::ios::binary);
  std::getline(file, line);
  if (!line.starts_with("#!")) return "";
  const auto begin = line.find_first_not_of(" \t", 2);
  if (begin == line.npos) return "";
  return line.substr(begin, line.find_first_of(" \t", begin) - begin);
}

// Of a program that is there, and yet the kernel finds none.
Error NoInterpreter(const std::string& name, const std::filesystem::path& program) {
  std::string interpreter = InterpreterOf(program);
  if (interpreter.empty()) {
    return {
        Errc::kNotFound,
        fmt::format("{}: it is there, but not what loads it: was it built for this system?", name)};
  }
  const bool is_of_windows = interpreter.ends_with('\r');
  if (is_of_windows) interpreter.pop_back();
  return {Errc::kNotFound,
          fmt::format("{}: its first line names {}{}", name, interpreter,
                      is_of_windows ? " and ends as on Windows: remove the carriage returns"
                                    : ", which is not there: install it, or change the line")};
}

// The program's path. A name with a slash is taken as it is, from the folder where it will run.
Result<std::string> Find(const std::string& name) {
  if (name.find('/') != name.npos) return name;
  auto found = FindProgram(name, SearchPath());
  if (!found) return NoSuchProgram(name);
  return *std::move(found);
}

// Null-terminated pointers into the texts, as exec wants them.
std::vector<char*> PointersTo(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

Result<Channels> MakeChannels(bool has_input) {
  auto input = has_input ? MakePipe(true) : OpenNull();
  if (!input) return input.error();
  auto output = MakePipe(false);
  if (!output) return output.error();
  auto errors = MakePipe(false);
  if (!errors) return errors.error();
  auto supervisor = MakeSocket();
  if (!supervisor) return supervisor.error();
  return Channels{*std::move(input), *std::move(output), *std::move(errors),
                  *std::move(supervisor)};
}

// Owns what posix_spawn is told: the descriptors to install, and to block every signal.
class SpawnPlan {
 public:
  explicit SpawnPlan(const Channels& channels) {
    posix_spawn_file_actions_init(&actions_);
    const std::array<const Pair*, 4> pairs{&channels.input, &channels.output, &channels.errors,
                                           &channels.supervisor};
    static_assert(kSupervisorSocket == 3);
    for (int number = 0; number < 4; ++number) {
      posix_spawn_file_actions_adddup2(
          &actions_, pairs[static_cast<std::size_t>(number)]->theirs.get(), number);
    }
    posix_spawnattr_init(&attributes_);
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &all);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

Result<pid_t> StartSupervisor(const Command& command, const std::string& program,
                              const Channels& channels) {
  const auto image = SupervisorFile();
  if (!image) return image.error();
  std::vector<std::string> arguments{"hone-supervisor", std::to_string(command.limit.count()),
                                     fmt::format("{}", fmt::join(command.cpus, ",")),
                                     command.folder.native(), program};
  arguments.insert(arguments.end(), command.arguments.begin(), command.arguments.end());
  std::vector<std::string> variables;
  if (command.environment) {
    for (const auto& [key, value] : *command.environment)
      variables.push_back(fmt::format("{}={}", key, value));
  } else {
    variables = VariablesForPrograms();
  }
  const SpawnPlan plan(channels);
  pid_t pid = 0;
  const int code =
      ::posix_spawn(&pid, PathOfProgram(*image).c_str(), plan.actions(), plan.attributes(),
                    PointersTo(arguments).data(), PointersTo(variables).data());
  if (code != 0) return ErrnoError(command.arguments[0], code);
  return pid;
}

}  // namespace

Error MissingProgram(const Command& command) {
  const std::string& name = command.arguments[0];
  const auto found = Find(name);
  if (!found) return found.error();
  const std::filesystem::path program = command.folder / *found;
  std::error_code ignored;
  return std::filesystem::exists(program, ignored) ? NoInterpreter(name, program)
                                                   : NoSuchProgram(name);
}

Result<StartedProcess> StartProcess(const Command& command) {
  if (auto valid = Validate(command); !valid) return valid.error();
  const auto program = Find(command.arguments[0]);
  if (!program) return program.error();
  auto channels = MakeChannels(!command.input.empty());
  if (!channels) return channels.error();
  const auto supervisor = StartSupervisor(command, *program, *channels);
  if (!supervisor) return supervisor.error();
  for (Pair* pair :
       {&channels->input, &channels->output, &channels->errors, &channels->supervisor}) {
    pair->theirs.Close();
  }
  return StartedProcess{*supervisor, *std::move(channels)};
}

}  // namespace hone
