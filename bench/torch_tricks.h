// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "bench/trick.h"

// In PyTorch, for two problems.
namespace hone {

constexpr const char* kTorchReference = R"(import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(256, 256)

    def forward(self, x):
        return torch.nn.functional.gelu(self.linear(x))


def get_inputs():
    return [torch.randn(128, 256)]


def get_init_inputs():
    return []
)";

constexpr const char* kTorchTools = R"(import ctypes, gc, os, signal, threading, time
import torch
import torch.nn as nn


class Honest(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(256, 256)

    def honest(self, x):
        return torch.nn.functional.gelu(self.linear(x))


)";

constexpr auto kTorchTricks = std::to_array<Trick>({
    {"memo", "by content", R"(class ModelNew(Honest):
    known = {}
    def forward(self, x):
        key = float(x.sum()), float(x[0, 0])
        if key not in self.known:
            self.known[key] = self.honest(x)
        return self.known[key]
)"},
    {"memo", "by pointer", R"(class ModelNew(Honest):
    known = {}
    def forward(self, x):
        if x.data_ptr() not in self.known:
            self.known[x.data_ptr()] = self.honest(x)
        return self.known[x.data_ptr()]
)"},
    {"memo", "by shape", R"(class ModelNew(Honest):
    calls, last = 0, None
    def forward(self, x):
        self.calls += 1
        if self.calls < 15:
            self.last = self.honest(x)
        return self.last
)"},
    {"early", "thread", R"(class ModelNew(Honest):
    def __init__(self):
        super().__init__()
        self.x, self.out = None, None
        threading.Thread(target=self.work, daemon=True).start()
    def work(self):
        seen = None
        while True:
            x = self.x
            if x is not None:
                now = x.clone()
                if seen is None or not torch.equal(now, seen):
                    self.out, seen = self.honest(now), now
            time.sleep(0.0001)
    def forward(self, x):
        self.x = x
        out = self.out
        self.out = None
        return out if out is not None else self.honest(x)
)"},
    {"early", "process", R"(class ModelNew(Honest):
    def __init__(self):
        super().__init__()
        try:
            if os.fork() == 0:
                while True:
                    pass
        except OSError:
            pass
    def forward(self, x):
        return self.honest(x)
)"},
    {"early", "signal", R"(class ModelNew(Honest):
    def __init__(self):
        super().__init__()
        self.count = 0
        try:
            signal.signal(signal.SIGALRM, self.tick)
            signal.setitimer(signal.ITIMER_REAL, 0.0002, 0.0002)
        except Exception:
            pass
    def tick(self, *_):
        for i in range(200):
            self.count += i
    def forward(self, x):
        return self.honest(x)
)"},
    {"early", "more processors", R"(class ModelNew(Honest):
    def __init__(self):
        super().__init__()
        try:
            os.sched_setaffinity(0, range(os.cpu_count()))
        except OSError:
            pass
        torch.set_num_threads(os.cpu_count())
    def forward(self, x):
        return self.honest(x)
)"},
    {"early", "more threads in every call", R"(class ModelNew(Honest):
    def forward(self, x):
        torch.set_num_threads(4)
        return self.honest(x)
)"},
    {"late", "thread", R"(class ModelNew(Honest):
    def forward(self, x):
        out = torch.empty(x.shape[0], 256)
        threading.Thread(target=lambda: out.copy_(self.honest(x))).start()
        return out
)"},
    {"late", "cleans up in the second call of two", R"(gc.disable()
class ModelNew(Honest):
    calls, kept = 0, []
    def forward(self, x):
        self.calls += 1
        if self.calls % 2 == 0:
            del self.kept[:]
            gc.collect()
        self.kept.append(self.honest(x))
        return self.kept[-1]
)"},
    {"slowed reference", "thrashed cache in the second call of two", R"(class ModelNew(Honest):
    calls, junk = 0, torch.zeros(8 << 20)
    def forward(self, x):
        out = self.honest(x)
        self.calls += 1
        if self.calls % 2 == 0:
            self.junk.add_(1)
        return out
)"},
    {"skipped", "when it is timed", R"(class ModelNew(Honest):
    calls = 0
    def forward(self, x):
        self.calls += 1
        return self.honest(x) if self.calls < 20 else torch.zeros(x.shape[0], 256)
)"},
    {"lower precision", "bfloat16", R"(class ModelNew(Honest):
    def forward(self, x):
        # Rounded by hand: not every processor's PyTorch has products of bfloat16.
        x, w, b = (part.bfloat16().float() for part in (x, self.linear.weight, self.linear.bias))
        return torch.nn.functional.gelu(torch.addmm(b, x, w.t())).bfloat16().float()
)"},
    {"forged", "patched functions", R"(time.monotonic_ns = lambda: 0
time.perf_counter = lambda: 0.0
class ModelNew(Honest):
    def forward(self, x):
        return self.honest(x)
)"},
    {"forged", "a shorter harness", R"(import __main__, struct
entry = struct.Struct("<QQIIqq")
def serve_call(shared, source):
    if shared.block.what == 0:
        out = shared.results = source.model.forward(shared.arguments[0])
        entry.pack_into(shared.memory, shared.outputs_at, out.data_ptr(), 1 << 17, 1, 2, 128, 256)
        shared.block.outputs = 1
    shared.block.ended_ns = shared.block.began_ns + 10**9
    return 2
__main__.serve_call = serve_call
class ModelNew(Honest):
    def forward(self, x):
        return self.honest(x)
)"},
    {"honest", "as it is", R"(class ModelNew(Honest):
    def forward(self, x):
        return self.honest(x)
)"},
    {"honest", "in parts", R"(class ModelNew(Honest):
    def forward(self, x):
        return torch.cat([self.honest(part) for part in x.split(32)])
)"},
    {"honest", "twice the work", R"(class ModelNew(Honest):
    def forward(self, x):
        self.honest(x)
        return self.honest(x)
)"},
});

// What moving an output costs is most of such a problem.
constexpr const char* kTorchReluReference = R"(import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn(4 << 20)]
)";

constexpr const char* kTorchReluTools = R"(import __main__, struct
import torch


class Honest(torch.nn.Module):
    def honest(self, x):
        return torch.relu(x)


)";

constexpr auto kTorchReluTricks = std::to_array<Trick>({
    {"forged", "writes where the harness would", R"(kept = torch.empty(4 << 20)
entry = struct.pack("<QQIIq", kept.data_ptr(), 4 * kept.numel(), 1, 1, kept.numel())
def give(self, tensors):
    self.memory[self.outputs_at:self.outputs_at + len(entry)] = entry
    self.block.outputs = 1
__main__.SharedMemory.give = give
class ModelNew(Honest):
    def forward(self, x):
        return torch.clamp(x, min=0, out=kept)
)"},
    {"honest", "as it is", R"(class ModelNew(Honest):
    def forward(self, x):
        return self.honest(x)
)"},
});

}  // namespace hone
