// SPDX-License-Identifier: Apache-2.0
// `hone observe` against a live service, and a watch that goes by what it reads there.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <future>
#include <memory>
#include <string>

#include "hone/base/file.h"
#include "hone/base/process/running_process.h"
#include "hone/testing/host_parameters_lock.h"
#include "tests/e2e/hone_process.h"

namespace hone {
namespace {

using testing::AllOf;
using testing::Gt;
using testing::HasSubstr;
using testing::Lt;

constexpr const char* kParameter = "/proc/sys/vm/vfs_cache_pressure";

// A service that does 1,000 requests a second, nine of ten in less than 0.1 s.
constexpr const char* kService = R"py(
import http.server, time

class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        done = time.monotonic() * 1000
        pages = {
            "/metrics": f"""requests_total {done}
temperature 21.5
request_seconds_bucket{{le="0.1"}} {0.9 * done}
request_seconds_bucket{{le="0.5"}} {done}
request_seconds_bucket{{le="+Inf"}} {done}
""",
            "/status": f"requests so far: {done:.0f}\n",
        }
        page = pages.get(self.path, "").encode()
        self.send_response(200 if page else 404)
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)
    def log_message(self, *ignored): pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
print(server.server_port, flush=True)
server.serve_forever()
)py";

class ObserveE2eTest : public HoneTest {
 protected:
  void SetUp() override {
    if (::access("/usr/bin/python3", X_OK) != 0) GTEST_SKIP() << "needs python3";
    Command command;
    command.arguments = {"/usr/bin/python3", "-c", kService};
    std::promise<std::string> port;
    auto service = RunningProcess::Start(
        command, [&](std::string_view line) { port.set_value(std::string(line)); });
    ASSERT_TRUE(service.has_value()) << service.error().message;
    service_ = *std::move(service);
    url_ = "http://127.0.0.1:" + port.get_future().get();
  }

  std::unique_ptr<RunningProcess> service_;
  std::string url_;
};

TEST_F(ObserveE2eTest, RatesValuesAndQuantilesAreRead) {
  const Json numbers =
      RunJson({"observe", url_ + "/metrics", "rps=rate(requests_total)", "heat=value(temperature)",
               "p99=quantile(0.99, request_seconds)", "--for", "1s", "--every", "200ms"});
  ASSERT_TRUE(numbers.is_object());
  // The machine of a test may be busy, and looks late.
  EXPECT_THAT(numbers["rps"].get<double>(), AllOf(Gt(500), Lt(2000)));
  EXPECT_EQ(numbers["heat"].get<double>(), 21.5);
  EXPECT_THAT(numbers["p99"].get<double>(), AllOf(Gt(0.1), Lt(0.5)));

  const ProcessResult status = Run({"observe", url_ + "/status", "rps=rate(re:so far: (\\d+))",
                                    "--for", "300ms", "--every", "100ms"});
  EXPECT_EQ(status.status, 0) << status.errors;
  EXPECT_THAT(status.output, testing::StartsWith("rps: "));
}

TEST_F(ObserveE2eTest, APageThatIsNotThereIsSaid) {
  const ProcessResult missing = Run({"observe", url_ + "/no-such-page", "x=value(x)"});
  EXPECT_EQ(missing.status, 3);
  EXPECT_THAT(missing.errors, HasSubstr("/no-such-page answers 404"));
  const ProcessResult unknown =
      Run({"observe", url_ + "/metrics", "x=rate(no_such_series)", "--for", "100ms"});
  EXPECT_NE(unknown.status, 0);
  EXPECT_THAT(unknown.errors, HasSubstr("no_such_series"));
}

TEST_F(ObserveE2eTest, AWatchGoesByWhatTheServiceSays) {
  if (::geteuid() != 0) GTEST_SKIP() << "changing the host's parameters needs root";
  const sysctl::HostParametersLock lock;
  const std::string before = ReadFile(kParameter).value_or("");
  const Json workload{
      {"name", "live"},
      {"description", "What a live service says of itself."},
      {"benchmark",
       {"{hone}", "observe", url_ + "/metrics", "rps=rate(requests_total)", "--for", "50ms",
        "--every", "50ms"}},
      {"metrics", {{{"name", "rps"}, {"unit", "1/s"}, {"direction", "higher_is_better"}}}},
      {"parameters", {"vm.vfs_cache_pressure"}}};
  const auto file = Folder() / "live.json";
  ASSERT_TRUE(WriteFileDurably(file, workload.dump()));
  const auto has_level = [this] {
    const auto log = ReadFile(Folder() / "watch.jsonl");
    return log && log->find(R"("kind":"level")") != log->npos;
  };
  Live live = Start({"watch", file.string(), "--yes", "--every", "0s"}, has_level);
  ::kill(live.pid, SIGINT);
  const ProcessResult watch = live.result.get();
  EXPECT_EQ(watch.status, 0) << watch.output << watch.errors;
  EXPECT_THAT(watch.output, HasSubstr(" level typical run: rps="));
  EXPECT_THAT(watch.output, HasSubstr("every event is in "));
  EXPECT_EQ(ReadFile(kParameter).value_or(""), before);
}

}  // namespace
}  // namespace hone
