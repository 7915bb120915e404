// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "hone/base/json/json.h"
#include "hone/domains/sysctl/workload/workload_spec.h"

// Workload specs for tests.
namespace hone::sysctl {

// The least that a spec can say.
inline constexpr const char* kPlainSpec = R"({
  "name": "plain",
  "benchmark": ["bench", "--quick"],
  "metrics": [{"name": "speed", "direction": "higher_is_better"}],
  "parameters": ["vm.swappiness"]
})";

// All that a spec can say.
inline constexpr const char* kWholeSpec = R"({
  "name": "web",
  "description": "A web server.",
  "target": "namespace",
  "programs": ["nginx", "wrk"],
  "packages": ["nginx-core", "wrk"],
  "setup": [
    ["mkdir", "-p", "{folder}/www"],
    {"shell": "head -c 1M /dev/zero > x", "folder": "{folder}/www", "limit": "5m"}
  ],
  "teardown": [["rm", "-rf", "/tmp/made-by-setup"]],
  "service": {
    "start": {"command": ["nginx", "-g", "daemon off;"], "cpus": [0]},
    "stop": ["nginx", "-s", "stop"],
    "ready_port": "{port}",
    "ready_within": "5s",
    "restart": "always"
  },
  "before_run": [["true"]],
  "benchmark": {
    "command": ["wrk", "-d1s", "http://{address}:{port}/x"],
    "cpus": [0, 1],
    "limit": "30s",
    "environment": {"WRK_URL": "http://{address}:{port}/x"}
  },
  "page_cache": "cold",
  "metrics": [
    {"name": "requests_per_s", "unit": "1/s", "direction": "higher_is_better",
     "line": "Requests/sec"},
    {"name": "p99_ms", "unit": "ms", "direction": "lower_is_better", "description": "The tail.",
     "regex": "^\\s*99%\\s+([0-9.]+)us$", "factor": 0.001},
    {"name": "errors", "direction": "lower_is_better", "json": "/errors/0"}
  ],
  "objectives": ["requests_per_s", {"metric": "p99_ms", "weight": 2}],
  "front": true,
  "constraints": ["p99_ms <= 20", "requests_per_s >= 0.9x"],
  "parameters": [
    "net.core.somaxconn",
    {"name": "net.core.busy_poll", "low": 16, "high": 4096, "step": 16, "log": true,
     "special": [{"value": 0, "meaning": "off"}]},
    {"name": "net.ipv4.tcp_congestion_control", "values": ["bbr", "cubic"]},
    {"name": "net.ipv4.tcp_rmem", "parts": [{"low": 4096, "high": 8192},
      {"low": 8192, "high": 1048576, "log": true},
      {"low": 65536, "high": 16777216, "log": true}]},
    {"name": "net.unknown.factor", "low": 0.5, "high": 2, "step": 0.25, "allow_unknown": true}
  ],
  "tripwires": {"memory_pressure": 0.25, "oom": false, "kernel_log": false,
                "live": ["p99_ms <= 500"]},
  "budget": {"trials": 50, "time": "20m", "run_limit": "30s", "least_pairs": 6, "most_pairs": 30,
             "gate_pairs": 3},
  "guest": {"files": ["/etc/passwd"], "disk": "/images/web.ext4", "needs": ["INET=y"],
            "memory_mib": 512},
  "words": ["web", "http"]
})";

// The older autotuner's form.
inline constexpr const char* kOlderSpec = R"({
  "workload_name": "Batch Import",
  "author": "somebody",
  "reward_metric": "rows_per_second",
  "benchmark_command": "python3 import.py | awk '{print}'",
  "action_space": [
    {"param": "vm.swappiness", "min": 0, "max": 100, "type": "int", "description": "swapping"},
    {"param": "kernel.some_factor", "min": 0.5, "max": 4, "type": "float"}
  ],
  "state_space": [
    {"metric": "io_wait", "source": "/proc/stat"},
    {"metric": "cpu_usage"},
    {"metric": "disk_mood"}
  ],
  "training_config": {"total_timesteps": 200, "benchmark_timeout": 15, "learning_rate": 0.001,
                      "gamma": 0.95, "verbose": true}
})";

inline WorkloadSpec MustRead(const char* text) {
  const auto json = ParseJson(text, "spec.json");
  EXPECT_TRUE(json.has_value()) << json.error().message;
  auto spec = ReadWorkloadSpec(*json, "spec.json");
  EXPECT_TRUE(spec.has_value()) << spec.error().message;
  return spec ? *std::move(spec) : WorkloadSpec{};
}

}  // namespace hone::sysctl
