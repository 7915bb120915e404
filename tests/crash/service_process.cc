// SPDX-License-Identifier: Apache-2.0
// A part of a service that a test may kill: `service_process serve QUEUE ADDRESS PORT`, which
// evaluates nothing, or `service_process work QUEUE ADDRESS NAME`, which evaluates toy tasks.
// Prints a line when it is up.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "hone/base/clock.h"
#include "hone/domains/toy/toy_domain.h"
#include "hone/eval/worker/run_watch.h"
#include "hone/eval/worker/worker_pool.h"
#include "hone/server/api_server.h"
#include "tests/crash/named_queue.h"

namespace hone {
namespace {

using std::chrono::milliseconds;

// Long enough not to be lost while this machine is busy, short enough to be seen running out.
constexpr milliseconds kLease{1'500};

[[noreturn]] void Die(const Error& error) {
  std::cerr << "service_process: " << error.message << '\n';
  std::_Exit(1);
}

void Tell(const std::string& line) { std::cout << line << std::endl; }

void Serve(TaskQueue& queue, const std::string& port) {
  server::ApiSettings settings;
  settings.http.port = static_cast<std::uint16_t>(std::atoi(port.c_str()));
  server::OfferedDomain toy{"toy", "", {}, false, [](const Options&) { return Capabilities{}; }};
  for (const OptionFacts& option : ToyDomainEntry().options) {
    toy.options.push_back({option.name, option.default_value, option.description});
  }
  settings.service.domains = {toy};
  const auto server = server::StartApiServer(queue, SystemClock(), settings);
  if (!server) Die(server.error());
  Tell(std::to_string((*server)->port()));
  while (true) ::pause();
}

void Work(TaskQueue& queue, const std::string& name) {
  WorkerPool::Settings settings;
  settings.workers = 2;
  settings.worker.name = name;
  settings.worker.lease_duration = kLease;
  settings.make_watch = [] { return MakeMachineRunWatch(SystemClock()); };
  DomainTable domains;
  domains.emplace("toy", ToyDomainEntry());
  const WorkerPool pool(queue, SystemClock(), domains, settings);
  Tell("up");
  while (true) ::pause();
}

}  // namespace
}  // namespace hone

int main(int count, char** words) {
  if (count != 5) return 2;
  auto queue = hone::OpenNamedQueue(words[2], words[3]);
  if (!queue) hone::Die(queue.error());
  if (std::string(words[1]) == "serve") hone::Serve(**queue, words[4]);
  if (std::string(words[1]) == "work") hone::Work(**queue, words[4]);
  return 2;
}
