// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/backends/cpp_backend.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

#include "hone/base/carried_program.h"
#include "hone/base/errno_error.h"
#include "hone/base/file.h"
#include "hone/core/rng.h"
#include "hone/domains/compute/backends/build_cache.h"
#include "hone/domains/compute/backends/cpp_compiler.h"
#include "hone/domains/compute/backends/library_symbols.h"
#include "hone/domains/compute/backends/policy_check.h"
#include "hone/domains/compute/runner/channel_runner.h"
#include "hone/domains/compute/runner/load_message.h"
#include "hone/domains/compute/runner/runner_image.h"
#include "hone/sandbox/sandbox_spares.h"

namespace hone::compute {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kRunnerInside = "/hone/runner";
constexpr std::uint32_t kArmedSpins = 4'000'000;  // A tenth of a second, roughly.
constexpr int kSpares = 2;
constexpr std::chrono::hours kRunnerLife{1};

// The runner's program as a file that a sandbox can show. Everybody may read it.
Result<fs::path> UnpackRunner(const fs::path& cache) {
  const std::string_view image = RunnerImage();
  const fs::path file = cache / fmt::format("runner-{:016x}", DigestOf(image));
  const auto there = ReadFile(file, image.size());
  if (!there || *there != image) {
    if (auto made = MakeFolder(cache); !made) return made.error();
    if (auto written = WriteFileDurably(file, image); !written) return written.error();
  }
  if (::chmod(file.c_str(), 0755) != 0) return ErrnoError(file.native(), errno);
  return file;
}

SandboxCommand RunnerCommand(const fs::path& runner, const Policy& policy) {
  SandboxCommand command;
  command.arguments = {kRunnerInside};
  command.environment = {{"LC_ALL", "C.UTF-8"}};
  command.views = StandardViews();
  command.views.push_back({runner, kRunnerInside, false});
  command.limits.memory_mib = policy.memory_mib;
  command.limits.scratch_mib = 16;
  command.limits.file_mib = 16;
  command.limits.processes = policy.threads;
  command.limits.open_files = 64;
  command.limits.wall = kRunnerLife;
  command.most_output = 64 << 10;
  return command;
}

Result<void> SendLoad(int socket, const LoadMessage& message, std::array<int, 2> descriptors) {
  iovec part{const_cast<LoadMessage*>(&message), sizeof(message)};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(descriptors))> control{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  cmsghdr* const rights = CMSG_FIRSTHDR(&header);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(descriptors));
  std::memcpy(CMSG_DATA(rights), descriptors.data(), sizeof(descriptors));
  if (::sendmsg(socket, &header, MSG_NOSIGNAL) < 0) return ErrnoError("runner", errno);
  return {};
}

// Waits for the message that the memory is mapped; the kernel says who sent it.
Result<pid_t> AwaitMapped(int socket) {
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred))> control{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  const timeval patience{30, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  if (::recvmsg(socket, &header, MSG_CMSG_CLOEXEC) != 1) {
    return Error{Errc::kUnavailable, "runner: it ended before it was handed a kernel"};
  }
  const cmsghdr* const sender = CMSG_FIRSTHDR(&header);
  if (sender == nullptr || sender->cmsg_type != SCM_CREDENTIALS) return pid_t{0};
  ucred who{};
  std::memcpy(&who, CMSG_DATA(sender), sizeof(who));
  return who.pid;
}

class CppBackend final : public Backend {
 public:
  CppBackend(CppCompiler compiler, const fs::path& cache, fs::path runner)
      : compiler_(std::move(compiler)), builds_(cache / "builds"), runner_(std::move(runner)) {
    facts_ = {"cpp", "C and C++, built by " + compiler_.Names(), {{"cpp"}, 0}, true, ""};
    if (!compiler_.is_there()) facts_.missing = "there is no g++ and no clang++: install g++";
  }

  const BackendFacts& Facts() const override { return facts_; }

  Result<void> Check(const Problem& problem) const override {
    if (!facts_.missing.empty()) return Error{Errc::kUnsupported, facts_.missing};
    return compiler_.Check(problem);
  }

  Result<Build> Compile(const BuildOrder& order) override {
    const auto began = Clock::now();
    const std::string key = compiler_.KeyOf(order);
    auto kept = builds_.Find(key);
    Build build;
    build.is_cached = kept != nullptr;
    if (!kept) {
      auto compiled = compiler_.Compile(order);
      if (!compiled) return compiled.error();
      if (!*compiled) {
        build.outcome = order.stop.stop_requested() ? Outcome::kTimedOut : Outcome::kBuildFailed;
        build.reason =
            fmt::format("the compiler was still running after {} ms", order.limit.count());
        return build;
      }
      kept = builds_.Keep(key, std::move(**compiled));
    }
    build.output = kept->output;
    Judge(order, key, *kept, build);
    build.time = Clock::now() - began;
    return build;
  }

  Result<Loaded> Load(const LoadOrder& order) override {
    auto spare = TakeSpare(order);
    if (!spare) return spare.error();
    auto channel = CallChannel::Make(order.arena_bytes);
    if (!channel) return channel.error();
    const auto library = UnpackProgram("hone-kernel", order.artefact->bytes);
    if (!library) return library.error();
    const int socket = spare->ours.at(0).get();
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes));
    LoadMessage message{kLoadMagic, CanSpin() ? kArmedSpins : 0, channel->bytes(), {}};
    order.problem.entry_point.copy(message.entry_point, sizeof(message.entry_point) - 1);
    auto sent = SendLoad(socket, message, {channel->descriptor(), library->get()});
    if (!sent) return sent.error();
    const auto pid = AwaitMapped(socket);
    if (!pid) return pid.error();
    auto runner =
        std::make_unique<ChannelRunner>(std::move(spare->sandbox), std::move(*channel), *pid);
    runner->Pin(order.cpus);
    Loaded loaded;
    loaded.fault = runner->AwaitLoaded(order.limit, order.stop);
    if (!loaded.fault) loaded.runner = std::move(runner);
    return loaded;
  }

 private:
  // What the compiler said, or what its library shows.
  static void Judge(const BuildOrder& order, const std::string& key, const KeptBuild& kept,
                    Build& build) {
    const auto refuse = [&](Outcome outcome, std::string reason) {
      build.outcome = outcome;
      build.reason = std::move(reason);
    };
    if (!kept.is_built) return refuse(Outcome::kBuildFailed, "the source does not compile");
    const auto symbols = ReadLibrarySymbols(kept.library);
    if (!symbols) return refuse(Outcome::kBuildFailed, symbols.error().message);
    if (!symbols->exports.contains(order.problem.entry_point)) {
      return refuse(Outcome::kBuildFailed,
                    fmt::format("the source does not define the entry point: extern \"C\" {}",
                                SignatureOf(order.problem)));
    }
    if (order.role == Role::kCandidate) {
      if (const auto breach = BreachOf(order.problem.policy, *symbols)) {
        return refuse(Outcome::kCheated, *breach);
      }
    }
    auto artefact = std::make_shared<Artefact>();
    artefact->id = fmt::format("{:016x}-{:016x}", DigestOf(key), DigestOf(kept.library));
    artefact->bytes = kept.library;
    build.artefact = std::move(artefact);
  }

  Result<Spare> TakeSpare(const LoadOrder& order) {
    const Policy& policy = order.problem.policy;
    const Policy usual;
    if (policy.threads != usual.threads || policy.memory_mib != usual.memory_mib) {
      return TalkingSpare(RunnerCommand(runner_, policy))(order.stop);
    }
    std::call_once(made_spares_, [&] {
      spares_ = SandboxSpares::Make(kSpares, TalkingSpare(RunnerCommand(runner_, usual)));
    });
    return spares_->Take(order.stop);
  }

  BackendFacts facts_;
  const CppCompiler compiler_;
  BuildCache builds_;
  const fs::path runner_;
  std::once_flag made_spares_;
  std::unique_ptr<SandboxSpares> spares_;
};

Result<std::unique_ptr<Backend>> MakeCppBackend(const fs::path& cache) {
  auto runner = UnpackRunner(cache);
  if (!runner) return runner.error();
  return std::make_unique<CppBackend>(CppCompiler::Find(), cache, std::move(*runner));
}

}  // namespace

BackendEntry CppBackendEntry() {
  return {"cpp", "C and C++ with a declared entry point", MakeCppBackend};
}

}  // namespace hone::compute
