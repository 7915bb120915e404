// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu_events.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <utility>
#include <vector>

#include "bench/judge.h"
#include "hone/base/file.h"
#include "hone/base/process/subprocess.h"
#include "hone/base/temp_dir.h"
#include "hone/gpu/cuda_calls.h"
#include "hone/measure/statistics.h"

namespace hone {
namespace {

constexpr int kTimedLaunches = 200;
constexpr int kEventBlock = 256;
constexpr std::size_t kPlaces = 8;
constexpr const char* kEmptyKernel =
    ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry nothing() { ret; }\n";

using Event = void*;

struct EventCalls {
  int (*make)(Event* event, unsigned flags);
  int (*record)(Event event, gpu::CuStream stream);
  int (*await)(Event event);
  int (*between)(float* ms, Event from, Event to);
};

void Must(int error, const char* what) {
  if (error != gpu::kCuSuccess) GiveUp("gpu", fmt::format("{}: error {}", what, error));
}

EventCalls LoadEventCalls() {
  void* const library = gpu::OpenNvidiaLibrary({"libcuda.so.1"});
  EventCalls calls{};
  const std::array<std::pair<const char*, void*>, 4> all{{{"cuEventCreate", &calls.make},
                                                          {"cuEventRecord", &calls.record},
                                                          {"cuEventSynchronize", &calls.await},
                                                          {"cuEventElapsedTime", &calls.between}}};
  for (const auto& [name, place] : all) {
    void* const found = library != nullptr ? ::dlsym(library, name) : nullptr;
    if (found == nullptr) GiveUp("gpu", fmt::format("the driver has no {}", name));
    *static_cast<void**>(place) = found;
  }
  return calls;
}

class EventTimer {
 public:
  EventTimer() {
    if (const char* missing = gpu::LoadCudaCalls(cuda_)) GiveUp("gpu", missing);
    Must(cuda_.init(0), "cuInit");
    gpu::CuDevice device = 0;
    Must(cuda_.device(&device, 0), "cuDeviceGet");
    gpu::CuContext context = nullptr;
    Must(cuda_.make_context(&context, gpu::kCuSpins, device), "cuCtxCreate");
    Must(cuda_.make_stream(&stream_, gpu::kCuOwnStream), "cuStreamCreate");
    Must(events_.make(&begin_, 0), "cuEventCreate");
    Must(events_.make(&end_, 0), "cuEventCreate");
  }

  gpu::CuFunction Find(const void* image, const char* name) {
    gpu::CuModule module = nullptr;
    gpu::CuFunction function = nullptr;
    Must(cuda_.load_module(&module, image), "cuModuleLoadData");
    Must(cuda_.find_function(&function, module, name), name);
    return function;
  }

  gpu::CuAddress Allocate(std::size_t bytes) {
    gpu::CuAddress address = 0;
    Must(cuda_.allocate(&address, bytes), "cuMemAlloc");
    return address;
  }

  // In us. `prepare` is called before each launch.
  double MedianOf(gpu::CuFunction function, unsigned grid, unsigned block, void** arguments,
                  const std::function<void(int)>& prepare = {}) {
    std::vector<double> times;
    for (int i = 0; i < kTimedLaunches; ++i) {
      if (prepare) prepare(i);
      Must(events_.record(begin_, stream_), "cuEventRecord");
      Must(cuda_.launch(function, grid, 1, 1, block, 1, 1, 0, stream_, arguments, nullptr),
           "cuLaunchKernel");
      Must(events_.record(end_, stream_), "cuEventRecord");
      Must(events_.await(end_), "cuEventSynchronize");
      float ms = 0;
      Must(events_.between(&ms, begin_, end_), "cuEventElapsedTime");
      times.push_back(1000.0 * ms);
    }
    return Median(times);
  }

  void Upload(gpu::CuAddress to, const std::vector<float>& from) {
    Must(cuda_.copy_to_device(to, from.data(), sizeof(float) * from.size(), stream_), "cuMemcpy");
    Must(cuda_.await_stream(stream_), "cuStreamSynchronize");
  }

 private:
  gpu::CudaCalls cuda_{};
  const EventCalls events_ = LoadEventCalls();
  gpu::CuStream stream_ = nullptr;
  Event begin_ = nullptr;
  Event end_ = nullptr;
};

}  // namespace

int MeasureByEvents(int count, char** words) {
  if (count != 5) return 2;
  const auto cubin = ReadFile(words[2]);
  if (!cubin) GiveUp("gpu", cubin.error().message);
  std::int64_t n = std::atoll(words[4]);
  EventTimer timer;
  const gpu::CuFunction empty = timer.Find(kEmptyKernel, "nothing");
  const gpu::CuFunction kernel = timer.Find(cubin->data(), words[3]);
  const auto bytes = sizeof(float) * static_cast<std::size_t>(n);
  const gpu::CuAddress places = timer.Allocate(kPlaces * bytes);
  gpu::CuAddress x = places;
  gpu::CuAddress out = timer.Allocate(bytes);
  std::array<void*, 3> arguments{&x, &out, &n};
  const std::vector<float> values(static_cast<std::size_t>(n), 0.5F);
  // As the judge does: inputs that have just come, at another place than before.
  const auto lay = [&](int launch) {
    x = places + bytes * (static_cast<std::size_t>(launch) % kPlaces);
    timer.Upload(x, values);
  };
  const auto grid = static_cast<unsigned>((n + kEventBlock - 1) / kEventBlock);
  timer.MedianOf(kernel, grid, kEventBlock, arguments.data(), lay);  // To warm up.
  const double nothing = timer.MedianOf(empty, 1, 1, nullptr, lay);
  fmt::print("{}\n", timer.MedianOf(kernel, grid, kEventBlock, arguments.data(), lay) - nothing);
  return 0;
}

Result<double> TimeByEvents(const EventOrder& order) {
  const auto folder = TempDir::Make("hone-events");
  if (!folder) return folder.error();
  const auto file = folder->path() / "kernel.cubin";
  if (auto written = WriteFileDurably(file, order.cubin); !written) return written.error();
  Command command;
  command.arguments = {std::filesystem::read_symlink("/proc/self/exe").native(), kEventsWord,
                       file.native(), order.kernel, std::to_string(order.n)};
  const auto result = RunProcess(command);
  if (!result) return result.error();
  const double time = std::atof(result->output.c_str());
  if (time <= 0) return Error{Errc::kUnavailable, result->output + result->errors};
  return time;
}

}  // namespace hone
