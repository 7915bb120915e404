// SPDX-License-Identifier: Apache-2.0
// `hone serve` under load, clients in this process. Prints one JSON object; bench/service reads it.
//
// usage: service_benchmark QUEUE(memory|sqlite|redis URL) PART(queue|toy|compute|waiters|memory) N
#include <arpa/inet.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "hone/base/clock.h"
#include "hone/base/descriptor.h"
#include "hone/base/file.h"
#include "hone/base/json/json.h"
#include "hone/base/json/records.h"
#include "hone/base/machine_text.h"
#include "hone/base/redis/redis_address.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/toy/toy_domain.h"
#include "hone/eval/queue/memory_queue.h"
#include "hone/eval/redis/redis_queue.h"
#include "hone/eval/sqlite/sqlite_queue.h"

namespace hone {
namespace {

using Seconds = std::chrono::duration<double>;
using std::chrono::milliseconds;

constexpr char kKernel[] = R"(
extern "C" void kernel(const float* a, const float* b, float* out, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) out[i * n + j] = 0;
    for (int64_t l = 0; l < k; ++l)
      for (int64_t j = 0; j < n; ++j) out[i * n + j] += a[i * k + l] * b[l * n + j];
  }
})";

[[noreturn]] void Die(const std::string& why) {
  std::cerr << "service_benchmark: " << why << '\n';
  std::_Exit(1);
}

template <typename T>
T Must(Result<T> result) {
  if (!result) Die(result.error().message);
  return std::move(*result);
}

double Now() { return Seconds(SystemClock().Now().time_since_epoch()).count(); }

std::string QueueName() { return fmt::format("bench-{}", ::getpid()); }

std::unique_ptr<TaskQueue> OpenQueue(const std::string& kind, const std::filesystem::path& folder) {
  if (kind == "memory") return MakeMemoryQueue(SystemClock());
  if (kind == "sqlite") return Must(MakeSqliteQueue(folder / "service.db", SystemClock()));
  RedisSettings settings;
  settings.address = Must(ParseRedisUrl(kind));
  settings.name = QueueName();
  return Must(MakeRedisQueue(settings, SystemClock()));
}

// The real program, with a store in `folder`.
struct ServerProcess {
  ServerProcess(const std::string& kind, const std::filesystem::path& folder, bool has_workers) {
    std::vector<std::string> words = {
        HONE_BINARY, "serve",  "--json", "--quiet", "--port",           "0",         "--rate",
        "0",         "--keep", "1s",     "--store", folder / "hone.db", "--no-token"};
    if (!has_workers) words.emplace_back("--no-workers");
    if (kind == "memory" || kind == "sqlite") {
      words.insert(words.end(), {"--queue", kind});
    } else {
      words.insert(words.end(), {"--redis", kind, "--redis-name", QueueName()});
    }
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) Die("pipe");
    pid = ::fork();
    if (pid == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGTERM);
      ::dup2(ends[1], STDOUT_FILENO);
      std::vector<char*> arguments;
      arguments.reserve(words.size() + 1);
      for (std::string& word : words) arguments.push_back(word.data());
      arguments.push_back(nullptr);
      ::execv(arguments[0], arguments.data());
      std::_Exit(127);
    }
    ::close(ends[1]);
    port = ReadPort(ends[0]);
    ::close(ends[0]);
  }
  ~ServerProcess() {
    ::kill(pid, SIGTERM);
    ::waitpid(pid, nullptr, 0);
  }
  std::int64_t Status(const char* key) const {
    const auto text = ReadFile(fmt::format("/proc/{}/status", pid)).value_or("");
    return static_cast<std::int64_t>(
        ParseFirstNumber(FindField(text, key).value_or("")).value_or(0));
  }

  pid_t pid = 0;
  std::uint16_t port = 0;

 private:
  // From the line of JSON with which it begins.
  static std::uint16_t ReadPort(int pipe) {
    std::string line;
    for (char c = 0; ::read(pipe, &c, 1) == 1 && c != '\n';) line += c;
    const auto json = ParseJson(line, "hone serve");
    if (!json) Die("the server did not start: " + line);
    const std::string url = (*json)["url"];
    return static_cast<std::uint16_t>(std::atoi(url.c_str() + url.rfind(':') + 1));
  }
};

// One keep-alive connection.
class Client {
 public:
  explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      Die("connect");
    }
  }

  void Send(const std::string& method, const std::string& target, const std::string& body) const {
    const std::string text =
        fmt::format("{} {} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{}", method,
                    target, body.size(), body);
    if (::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(text.size())) {
      Die("send");
    }
  }

  std::string Receive() {
    std::string text;
    std::array<char, 16384> buffer{};
    while (true) {
      const auto head = text.find("\r\n\r\n");
      const auto length = text.find("content-length: ");
      if (head != text.npos && length != text.npos) {
        const std::size_t size = std::strtoul(text.c_str() + length + 16, nullptr, 10);
        if (text.size() >= head + 4 + size) return text;
      }
      const auto got = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
      if (got <= 0) Die("recv: " + text.substr(0, 200));
      text.append(buffer.data(), static_cast<std::size_t>(got));
    }
  }

 private:
  Descriptor socket_;
};

Json ToyBody() {
  const auto domain = Must(MakeDomain({{"toy", ToyDomainEntry()}}, "toy", {}));
  return {{"domain", "toy"},
          {"options", {{"noise", "0"}}},
          {"candidate", {{"assignment", ToJson(domain->Baseline().assignment)}}}};
}

// Checked and timed as thoroughly as by default.
Json ComputeBody() {
  return {{"domain", "compute"},
          {"options", {{"problem", "matmul_small"}}},
          {"candidate", {{"source", kKernel}}}};
}

struct Load {
  double per_second = 0;
  double p50_ms = 0;
  double p99_ms = 0;
};

// Each connection submits, waits for the verdict, and submits the next one.
Load Run(std::uint16_t port, const Json& body, std::size_t count, std::size_t connections,
         const std::string& name) {
  std::vector<std::vector<double>> times(connections);
  std::vector<std::thread> threads;
  const double begin = Now();
  for (std::size_t c = 0; c < connections; ++c) {
    threads.emplace_back([&, c] {
      Client client(port);
      Json mine = body;
      for (std::size_t k = c; k < count; k += connections) {
        mine["id"] = fmt::format("{}-{}", name, k);
        const std::string text = Dump(mine);
        const double start = Now();
        client.Send("POST", "/v1/tasks?wait_s=60", text);
        const std::string reply = client.Receive();
        times[c].push_back(1000 * (Now() - start));
        if (reply.find("\"outcome\":\"accepted\"") == reply.npos) Die(reply.substr(0, 2000));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const double seconds = Now() - begin;
  std::vector<double> all;
  for (const auto& some : times) all.insert(all.end(), some.begin(), some.end());
  std::sort(all.begin(), all.end());
  return {static_cast<double>(all.size()) / seconds, all[all.size() / 2],
          all[all.size() * 99 / 100]};
}

Json JsonOf(const Load& load) {
  return {{"per_second", load.per_second}, {"p50_ms", load.p50_ms}, {"p99_ms", load.p99_ms}};
}

// Many at once, as behind a server: each thread pushes, takes one (its own or another's), settles.
Json MeasureQueue(const std::string& kind, const std::filesystem::path& folder, std::size_t count) {
  constexpr int kThreads = 16;
  const auto queue = OpenQueue(kind, folder);
  std::atomic<std::size_t> next = 0;
  const double begin = Now();
  {
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&] {
        Task task;
        task.domain = "toy";
        task.order = {Arm::kCandidate};
        for (std::size_t k = next++; k < count; k = next++) {
          task.id = fmt::format("q-{}", k);
          if (!queue->Push(task)) Die("push");
          const auto claim =
              Must(queue->Take({"bench", {}}, milliseconds{30'000}, milliseconds{30'000}));
          Evaluation evaluation;
          if (claim) evaluation.task = claim->task.id;
          if (!claim || !queue->Settle(claim->lease, evaluation)) Die("settle");
        }
      });
    }
  }
  return {{"operations_per_second", 3 * static_cast<double>(count) / (Now() - begin)}};
}

Json MeasureLoad(const std::string& kind, const std::filesystem::path& folder, const Json& body,
                 std::size_t count) {
  const ServerProcess server(kind, folder, true);
  Run(server.port, body, 4, 1, "warm");
  return {{"one", JsonOf(Run(server.port, body, count / 2, 1, "one"))},
          {"eight", JsonOf(Run(server.port, body, count, 8, "eight"))}};
}

Json MeasureWaiters(const std::string& kind, const std::filesystem::path& folder,
                    std::size_t count) {
  const ServerProcess server(kind, folder, false);
  Client control(server.port);
  Json body = ToyBody();
  body["id"] = "waited-for";
  control.Send("POST", "/v1/tasks", Dump(body));
  control.Receive();
  const auto threads = server.Status("Threads:");
  std::vector<std::unique_ptr<Client>> clients;
  for (std::size_t k = 0; k < count; ++k) {
    clients.push_back(std::make_unique<Client>(server.port));
    clients.back()->Send("GET", "/v1/tasks/waited-for/wait?timeout_s=100", "");
  }
  std::string metrics;
  const std::string wanted = fmt::format("hone_waiting_clients {}\n", count);
  while (metrics.find(wanted) == metrics.npos) {
    control.Send("GET", "/metrics?format=prometheus", "");
    metrics = control.Receive();
  }
  const auto threads_then = server.Status("Threads:");
  const auto resident = server.Status("VmRSS:");
  const double begin = Now();
  control.Send("DELETE", "/v1/tasks/waited-for", "");
  control.Receive();
  for (auto& client : clients) client->Receive();
  return {{"clients", count},
          {"threads_before", threads},
          {"threads", threads_then},
          {"resident_kib", resident},
          {"all_woken_ms", 1000 * (Now() - begin)}};
}

Json MeasureMemory(const std::string& kind, const std::filesystem::path& folder,
                   std::size_t count) {
  constexpr std::size_t kLooks = 5;
  constexpr std::size_t kKept = 6'000;  // More than are settled in the second that they are kept.
  const ServerProcess server(kind, folder, true);
  const Json body = ToyBody();
  const std::size_t part = count / kLooks;
  Run(server.port, body, std::max<std::size_t>(part / 2, kKept), 8, "warm");
  std::vector<std::int64_t> resident;
  double seconds = 0;
  for (std::size_t look = 0; look < kLooks; ++look) {
    const Load load = Run(server.port, body, part, 8, fmt::format("look-{}", look));
    seconds += static_cast<double>(part) / load.per_second;
    resident.push_back(server.Status("VmRSS:"));
  }
  return {{"tasks", count},
          {"resident_kib", resident},
          {"per_second", static_cast<double>(count) / seconds}};
}

Json Measure(const std::string& kind, const std::string& part, std::size_t count) {
  const auto folder = Must(TempDir::Make("hone-bench"));
  if (part == "queue") return MeasureQueue(kind, folder.path(), count);
  if (part == "toy") return MeasureLoad(kind, folder.path(), ToyBody(), count);
  if (part == "compute") return MeasureLoad(kind, folder.path(), ComputeBody(), count);
  if (part == "waiters") return MeasureWaiters(kind, folder.path(), count);
  if (part == "memory") return MeasureMemory(kind, folder.path(), count);
  Die("unknown part " + part);
}

}  // namespace
}  // namespace hone

int main(int count, char** words) {
  if (count != 4) {
    std::cerr << "usage: service_benchmark QUEUE PART N\n";
    return 2;
  }
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  const auto number = static_cast<std::size_t>(std::atoll(words[3]));
  std::cout << hone::Dump(hone::Measure(words[1], words[2], number)) << '\n';
  return 0;
}
