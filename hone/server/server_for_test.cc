// SPDX-License-Identifier: Apache-2.0
#include "hone/server/server_for_test.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "hone/base/clock.h"
#include "hone/core/check.h"
#include "hone/core/letter_case.h"
#include "hone/domains/toy/toy_domain.h"
#include "hone/eval/queue/memory_queue.h"
#include "hone/server/http/http_framing.h"
#include "hone/testing/wait_until.h"

namespace hone::server {
namespace {

Descriptor Connect(std::uint16_t port) {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int done = ::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
  if (done != 0) socket.Close();
  return socket;
}

bool IsReadable(int socket, std::chrono::milliseconds limit) {
  pollfd one{socket, POLLIN, 0};
  return ::poll(&one, 1, static_cast<int>(limit.count())) > 0;
}

// Takes whole chunks off the front of `text`; nullopt if the last one is not there yet.
std::optional<std::string> Unchunk(std::string& text) {
  std::string body;
  std::size_t at = 0;
  while (true) {
    const auto line = text.find("\r\n", at);
    if (line == text.npos) return std::nullopt;
    const std::size_t size = std::strtoul(text.c_str() + at, nullptr, 16);
    if (text.size() < line + 2 + size + 2) return std::nullopt;
    body += text.substr(line + 2, size);
    at = line + 2 + size + 2;
    if (size == 0) break;
  }
  text.erase(0, at);
  return body;
}

DomainTable TableNamed(const std::string& name, FakeScript& script) {
  DomainTable table = FakeDomainTable(script);
  DomainEntry entry = table.at("fake");
  entry.name = name;
  entry.options = {{"problem_text", "", ""}, {"problem", "", ""}, {"trials", "5", ""},
                   {"samples", "100", ""},   {"warmup", "3", ""}, {"flavour", "plain", ""}};
  return {{name, std::move(entry)}};
}

constexpr const char* kToy = "toy";
constexpr const char* kHosted = "hosted";
constexpr const char* kOwner = "ops";

void OfferToy(ServiceSettings& service) {
  OfferedDomain toy{kToy, "for tests", {}, false, [](const Options&) { return Capabilities{}; }};
  for (const OptionFacts& option : ToyDomainEntry().options) {
    toy.options.push_back({option.name, option.default_value, option.description});
  }
  service.domains.push_back(toy);
  toy.name = kHosted;
  toy.needs_admin = true;
  service.domains.push_back(toy);
}

Result<std::unique_ptr<Domain>> MakeOffered(FakeScript& script, const std::string& name,
                                            const Options& options) {
  if (name == kToy || name == kHosted) return ToyDomainEntry().make(options);
  return std::make_unique<FakeDomain>(script);
}

}  // namespace

Json Reply::AsJson() const { return ParseJson(body, "reply").value_or(Json()); }

std::string Reply::Header(std::string_view name) const {
  const std::string lower = LowerCase(head);
  const auto place = lower.find(fmt::format("\r\n{}: ", name));
  if (place == lower.npos) return "";
  const auto begin = place + 2 + name.size() + 2;
  return head.substr(begin, head.find("\r\n", begin) - begin);
}

TestClient::TestClient(std::uint16_t port) : socket_(Connect(port)) {}

bool TestClient::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void TestClient::StopSending() { ::shutdown(socket_.get(), SHUT_WR); }

std::string TestClient::ReceiveSome(std::chrono::milliseconds limit) {
  if (!received_.empty()) return std::exchange(received_, "");
  std::array<char, 65536> buffer{};
  if (!IsReadable(socket_.get(), limit)) return "";
  const auto got = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
  return got > 0 ? std::string(buffer.data(), static_cast<std::size_t>(got)) : "";
}

bool TestClient::IsClosed(std::chrono::milliseconds limit) {
  const auto end = SystemClock().Now() + limit;
  std::array<char, 4096> buffer{};
  while (SystemClock().Now() < end) {
    if (!IsReadable(socket_.get(), std::chrono::milliseconds{100})) continue;
    if (::recv(socket_.get(), buffer.data(), buffer.size(), 0) <= 0) return true;
  }
  return false;
}

Reply TestClient::Receive(std::chrono::milliseconds limit) {
  const auto end = SystemClock().Now() + limit;
  std::string text = std::exchange(received_, "");
  while (SystemClock().Now() < end) {
    const auto head_end = text.find("\r\n\r\n");
    if (head_end != text.npos) {
      Reply reply;
      reply.head = text.substr(0, head_end + 2);
      reply.status = std::atoi(text.c_str() + 9);
      std::string rest = text.substr(head_end + 4);
      if (reply.Header("transfer-encoding") == "chunked") {
        if (auto body = Unchunk(rest)) {
          reply.body = std::move(*body);
          received_ = rest;
          return reply;
        }
      } else {
        const std::size_t length =
            std::strtoul(reply.Header("content-length").c_str(), nullptr, 10);
        if (rest.size() >= length) {
          reply.body = rest.substr(0, length);
          received_ = rest.substr(length);
          return reply;
        }
      }
    }
    const std::string more = ReceiveSome(limit);
    if (more.empty()) return {};
    text += more;
  }
  return {};
}

std::string RequestText(const std::string& method, const std::string& target,
                        const std::string& body, const std::string& more_headers) {
  std::string text =
      fmt::format("{} {} HTTP/1.1\r\nHost: localhost\r\n{}", method, target, more_headers);
  if (!body.empty()) {
    text += fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n", body.size());
  }
  return text + "\r\n" + body;
}

Json EvaluationBody(const std::string& id) {
  return {{"task_id", id},
          {"kernel_code", "class ModelNew: pass  # long enough"},
          {"reference_code", "class Model: pass  # long enough"},
          {"backend", "torch"},
          {"timeout", 60}};
}

std::vector<SentEvent> EventsIn(const std::string& text) {
  std::vector<SentEvent> events;
  SentEvent event;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("id: ")) event.id = line.substr(4);
    if (line.starts_with("event: ")) event.kind = line.substr(7);
    if (line.starts_with("data: ")) event.data = line.substr(6);
    if (line.empty() && !event.kind.empty()) events.push_back(std::exchange(event, {}));
  }
  return events;
}

TestStream::TestStream(std::uint16_t port, const std::string& target,
                       const std::string& more_headers)
    : client_(port) {
  client_.Send(RequestText("GET", target, "", more_headers));
}

SentEvent TestStream::Next() {
  const auto end = std::chrono::steady_clock::now() + TestClient::kLimit;
  while (std::chrono::steady_clock::now() < end) {
    const auto events = EventsIn(text_);
    if (events.size() > taken_) return events[taken_++];
    const std::string more = client_.ReceiveSome();
    if (more.empty()) return {};
    text_ += more;
  }
  return {};
}

RunningApi::RunningApi(Choice choice) : queue_(MakeMemoryQueue(SystemClock())) {
  script_.run = [](const RunOrder&) -> Result<RunResult> {
    RunResult result;
    result.sample.metrics = {{"time", {2, 0, 1}},
                             {"reference_time", {6, 0, 1}},
                             {"speedup", {3, 0, 1}},
                             {"score", {1, 0, 1}}};
    return result;
  };
  WorkerPool::Settings settings;
  settings.workers = choice.workers;
  settings.worker.name = "test";
  settings.worker.has = {{"torch", "cpp"}, 1024};
  settings.make_watch = [] { return std::make_unique<FakeWatch>(); };
  DomainTable table = TableNamed(choice.domain, script_);
  if (choice.has_toy) table.emplace(kToy, ToyDomainEntry());
  if (choice.has_toy) settings.worker.serves.insert(kOwner);
  if (choice.workers > 0) {
    pool_ = std::make_unique<WorkerPool>(*queue_, SystemClock(), std::move(table), settings);
  }
  WaitUntil([&] { return pool_ == nullptr || queue_->Workers()->size() >= choice.workers; },
            "the workers show themselves");
  choice.api.http.port = 0;
  choice.api.service.version = "test";
  OfferedDomain domain{choice.domain, "for tests", {}, false, [](const Options&) {
                         return Capabilities{{"torch"}, 0};
                       }};
  domain.deviations = [](const Options& options) -> std::vector<std::string> {
    const auto trials = options.find("trials");
    const bool is_eased = trials != options.end() && trials->second == "1";
    if (!options.contains("problem") || !is_eased) return {};
    return {"trials=1 (5 or more is standard)"};
  };
  for (const char* name : {"problem_text", "problem", "trials", "samples", "warmup", "flavour"}) {
    domain.options.push_back({name, "", ""});
  }
  OfferedDomain dangerous = domain;
  dangerous.name = "dangerous";
  dangerous.needs_admin = true;
  choice.api.service.domains = {domain, dangerous};
  if (choice.has_toy) OfferToy(choice.api.service);
  if (!choice.api.environments) choice.api.environments.emplace();
  choice.api.environments->serves = {kOwner};
  choice.api.environments->make = [this](const std::string& name, const Options& options) {
    return MakeOffered(script_, name, options);
  };
  auto server = StartApiServer(*queue_, SystemClock(), std::move(choice.api));
  HONE_CHECK(server);
  server_ = std::move(*server);
}

RunningApi::~RunningApi() {
  server_.reset();
  pool_.reset();
}

Reply RunningApi::Ask(const std::string& method, const std::string& target, const std::string& body,
                      const std::string& more_headers) const {
  TestClient client(port());
  client.Send(RequestText(method, target, body, more_headers));
  return client.Receive();
}

Result<RunResult> Endless(const RunOrder& order) {
  WaitForStop(order.stop);
  return Error{Errc::kUnavailable, "stopped"};
}

}  // namespace hone::server
