// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/process/serve_judge.h"

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "hone/base/freed_memory.h"
#include "hone/base/json/json_frames.h"
#include "hone/domains/compute/compute_domain.h"
#include "hone/domains/compute/process/judge_messages.h"
#include "hone/domains/compute/process/judge_process.h"

namespace hone::compute {
namespace {

constexpr std::chrono::seconds kLeaveWithin{5};
constexpr std::size_t kMaxFreeBytes = 16 << 20;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCanLimitMemory = false;  // Their own tables are larger than any limit.
#else
constexpr bool kCanLimitMemory = true;
#endif

constexpr std::size_t kMaxStackBytes = 8 << 20;

// The stacks of threads are as large as that of the first one may be, which is the user's choice
// and counts as memory.
void LimitStacks() {
  pthread_attr_t attributes;
  if (::pthread_getattr_default_np(&attributes) != 0) return;
  std::size_t bytes = 0;
  if (::pthread_attr_getstacksize(&attributes, &bytes) == 0 && bytes > kMaxStackBytes) {
    ::pthread_attr_setstacksize(&attributes, kMaxStackBytes);
    ::pthread_setattr_default_np(&attributes);
  }
  ::pthread_attr_destroy(&attributes);
}

// The limit is on what is ours alone: memory that is shared with runners is bounded by the problem.
// It is soft, so that sandboxes can set their own. Where memory fails, nothing is unwound or tidied
// up: that would need memory.
void LimitMemory(std::int64_t mib) {
  const int adjust = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (adjust >= 0) {  // Where the machine itself runs out, better this process than the server.
    [[maybe_unused]] const ssize_t written = ::write(adjust, "500", 3);
    ::close(adjust);
  }
  const rlimit core{1, 1};  // None at all; and a sandbox asks for the same.
  ::setrlimit(RLIMIT_CORE, &core);
  rlimit data{};
  if (kCanLimitMemory && ::getrlimit(RLIMIT_DATA, &data) == 0) {
    data.rlim_cur = std::min<rlim_t>(static_cast<rlim_t>(mib) << 20, data.rlim_max);
    ::setrlimit(RLIMIT_DATA, &data);
  }
  std::set_new_handler([] { ::_exit(kJudgeOutOfMemory); });
  LimitStacks();
}

// Requests as they come, read by a thread of its own so that "stop" and the worker's end are heard
// while one is worked on.
class Requests {
 public:
  explicit Requests(int socket) : socket_(socket), reader_([this] { Read(); }) {}

  // Nothing: the worker is gone.
  std::optional<JudgeRequest> Next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_over_ || !waiting_.empty(); });
    if (is_over_) return std::nullopt;
    JudgeRequest request = std::move(waiting_.front());
    waiting_.pop_front();
    current_ = request.number;
    stop_ = std::stop_source();
    if (stopped_ == current_) stop_.request_stop();  // "Stop" came before its request was taken.
    return request;
  }

  std::stop_token StopOfCurrent() {
    const std::lock_guard lock(mutex_);
    return stop_.get_token();
  }

 private:
  void Read() {
    while (true) {
      const auto json = ReceiveFrame(socket_);
      const auto request = json ? ReadJudgeRequest(*json) : Result<JudgeRequest>(json.error());
      if (!request) return Leave();
      Hear(*request);
    }
  }

  void Hear(const JudgeRequest& request) {
    const std::lock_guard lock(mutex_);
    if (request.what != JudgeRequest::What::kStop) {
      waiting_.push_back(request);
      changed_.notify_all();
      return;
    }
    stopped_ = request.number;
    if (stopped_ == current_) stop_.request_stop();
  }

  void Leave() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
      stop_.request_stop();
      changed_.notify_all();
    }
    std::this_thread::sleep_for(kLeaveWithin);
    ::_exit(0);
  }

  const int socket_;
  std::mutex mutex_;  // Guards what follows.
  std::condition_variable changed_;
  std::deque<JudgeRequest> waiting_;
  std::uint64_t current_ = 0;
  std::uint64_t stopped_ = 0;  // The last request that was to be stopped.
  std::stop_source stop_;
  bool is_over_ = false;
  std::thread reader_;  // Never joined: the process ends with it.
};

class JudgeServer {
 public:
  JudgeServer(int socket, DomainEntry entry)
      : socket_(socket), entry_(std::move(entry)), requests_(*new Requests(socket)) {}

  void Serve() {
    while (const auto request = requests_.Next()) {
      JudgeAnswer answer;
      answer.number = request->number;
      try {
        answer.result = Handle(*request);
      } catch (const std::exception& problem) {
        answer.result = Error{Errc::kUnavailable, std::string("the judge: ") + problem.what()};
      }
      if (!SendFrame(socket_, ToJson(answer))) return;
    }
  }

 private:
  Result<RunResult> Handle(const JudgeRequest& request) {
    using What = JudgeRequest::What;
    if (request.what == What::kOpen) return Open(request.options);
    if (request.what == What::kClose) return Close();
    if (!session_) return Error{Errc::kUnavailable, "the judge: there is no session"};
    const std::stop_token stop = requests_.StopOfCurrent();
    if (request.what == What::kPrepare) return session_->Prepare(request.candidate, stop);
    RunOrder order{request.arm,      request.candidate, request.seed,
                   request.position, request.limit,     stop};
    order.cpus = request.cpus;
    return session_->Run(order);
  }

  Result<RunResult> Open(const Options& options) {
    auto domain = entry_.make(options);
    if (!domain) return domain.error();
    auto session = (*domain)->Open();
    if (!session) return session.error();
    domain_ = std::move(*domain);
    session_ = std::move(*session);
    return RunResult{};
  }

  RunResult Close() {
    session_.reset();
    domain_.reset();
    if (::mallinfo2().fordblks > kMaxFreeBytes) ::malloc_trim(0);
    return {};
  }

  const int socket_;
  const DomainEntry entry_;
  Requests& requests_;  // Lives as long as the process.
  std::unique_ptr<Domain> domain_;
  std::unique_ptr<Session> session_;  // Of domain_, so destroyed before it.
};

}  // namespace

std::optional<int> ServeJudgeIfAsked(const std::vector<std::string>& arguments) {
  if (arguments.size() != 3 || arguments[0] != kJudgeWord) return std::nullopt;
  LimitMemory(std::atoll(arguments[2].c_str()));
  KeepFreedMemory();
  ::fcntl(kLinkSocket, F_SETFD, FD_CLOEXEC);
  {
    JudgeServer server(kLinkSocket, ComputeDomainEntry({arguments[1], {}}));
    server.Serve();
  }
  ::_exit(0);  // Past the reader, which still waits.
}

}  // namespace hone::compute
