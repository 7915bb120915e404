// SPDX-License-Identifier: Apache-2.0
// libcuda.so.1 for tests (README.md). Device memory is host memory; a launch runs at once.
#include <dlfcn.h>
#include <elf.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "hone/gpu/cuda_calls.h"

namespace {

using hone::gpu::CuAccess;
using hone::gpu::CuAddress;
using hone::gpu::CuAllocation;
using hone::gpu::CuHandle;

constexpr int kSuccess = 0;
constexpr int kInvalidValue = 1;
constexpr int kOutOfMemory = 2;
constexpr int kInvalidImage = 200;
constexpr int kNotFound = 500;
constexpr int kIllegalAddress = 700;
constexpr size_t kGranule = 2 << 20;
constexpr int kMaxKernelArguments = 12;
constexpr int kThreadsOfMultiprocessor = 2048;

struct Module {
  void* library;
  std::uint32_t* words[4];  // blockIdx, threadIdx, blockDim, gridDim: three numbers each.
  std::uint32_t* lines;     // What stays in its cache: a variable `persisting_lines`; may be null.
};
std::vector<Module*> modules;

struct Function {
  Module* module;
  void* entry;
  bool holds;  // The GPU (hone/gpu/cuda_hold.cc): to four words it says how that went.
};

int sticky_error = kSuccess;
sigjmp_buf back_from_kernel;
volatile sig_atomic_t is_in_kernel = 0;

void OnFault(int number) {
  if (is_in_kernel != 0) siglongjmp(back_from_kernel, 1);
  signal(number, SIG_DFL);
  raise(number);
}

// NOLINTNEXTLINE(performance-no-int-to-ptr): an address of the simulated GPU is one of ours.
void* At(CuAddress address) { return reinterpret_cast<void*>(address); }

std::uint32_t* WordsNamed(void* library, const char* name) {
  return static_cast<std::uint32_t*>(dlsym(library, name));
}

void CallKernel(void* entry, const std::uint64_t (&a)[kMaxKernelArguments]) {
  using A = std::uint64_t;
  using Kernel = void (*)(A, A, A, A, A, A, A, A, A, A, A, A);
  reinterpret_cast<Kernel>(entry)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10],
                                  a[11]);
}

// A GPU that falls off its bus, for as long as HONE_SIMULATED_LOSS is set.
bool IsLost() { return getenv("HONE_SIMULATED_LOSS") != nullptr; }

// Under compute-sanitizer: where memory ends is known, and what is found is written down.
bool IsLookedAtWith(const char* tool) {
  const char* const now = getenv("HONE_SIMULATED_TOOL");
  return now != nullptr && strcmp(now, tool) == 0;
}

void SayFound(const char* what) {
  FILE* const log = fopen(getenv("HONE_SIMULATED_LOG"), "a");
  if (log == nullptr) return;
  fprintf(log, "========= %s\n", what);
  fclose(log);
}

// Its last byte lies before a page that nobody may touch.
void* AllocateBeforeAWall(size_t bytes) {
  constexpr size_t kPage = 65536;
  const size_t pages = (bytes + kPage - 1) / kPage * kPage;
  char* const at = static_cast<char*>(
      mmap(nullptr, pages + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (at == MAP_FAILED) return MAP_FAILED;
  mprotect(at + pages, kPage, PROT_NONE);
  return at + pages - bytes;
}

// Nobody else's kernels run at any time but while they are launched: it is taken and over at once.
void Hold(void** arguments) {
  std::uint64_t words = 0;
  std::uint64_t number = 0;
  memcpy(&words, arguments[0], sizeof(words));
  memcpy(&number, arguments[1], sizeof(number));
  auto* const at = static_cast<std::uint64_t*>(At(words));
  at[0] = number;
  at[2] = 0;
  at[3] = number;
}

template <typename Body>
void ForEach(const unsigned (&extent)[3], std::uint32_t* words, const Body& body) {
  for (words[2] = 0; words[2] < extent[2]; ++words[2]) {
    for (words[1] = 0; words[1] < extent[1]; ++words[1]) {
      for (words[0] = 0; words[0] < extent[0]; ++words[0]) body();
    }
  }
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names are NVIDIA's.
extern "C" {

int cuInit(unsigned) {
  struct sigaction action {};
  action.sa_handler = OnFault;
  action.sa_flags = SA_NODEFER;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
  return kSuccess;
}

int cuGetErrorName(int error, const char** name) {
  static const std::map<int, const char*> names = {{kInvalidValue, "CUDA_ERROR_INVALID_VALUE"},
                                                   {kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
                                                   {kInvalidImage, "CUDA_ERROR_INVALID_IMAGE"},
                                                   {kNotFound, "CUDA_ERROR_NOT_FOUND"},
                                                   {kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS"}};
  const auto found = names.find(error);
  *name = found == names.end() ? nullptr : found->second;
  return found == names.end() ? kInvalidValue : kSuccess;
}

int cuDeviceGetCount(int* count) {
  *count = 1;
  return kSuccess;
}

int cuDeviceGet(int* device, int ordinal) {
  *device = 0;
  return ordinal == 0 ? kSuccess : kInvalidValue;
}

int cuDeviceGetName(char* name, int bytes, int) {
  snprintf(name, static_cast<size_t>(bytes), "Simulated GPU");
  return kSuccess;
}

int cuDeviceGetUuid(unsigned char uuid[16], int) {
  memset(uuid, 7, 16);
  return kSuccess;
}

int cuDeviceTotalMem_v2(size_t* bytes, int) {
  *bytes = size_t{1} << 30;
  return kSuccess;
}

int cuDeviceGetAttribute(int* value, int attribute, int) {
  static const std::map<int, int> values = {
      {hone::gpu::kCuClockKhz, 1000000},
      {hone::gpu::kCuMultiprocessors, 4},
      {hone::gpu::kCuL2Bytes, 1 << 20},
      {hone::gpu::kCuMajor, 9},
      {hone::gpu::kCuThreadsOfMultiprocessor, kThreadsOfMultiprocessor},
      {hone::gpu::kCuMinor, 0},
      {hone::gpu::kCuSharesByDescriptor, 1}};
  const auto found = values.find(attribute);
  *value = found == values.end() ? 0 : found->second;
  return kSuccess;
}

int cuCtxCreate_v2(void** context, unsigned, int) {
  *context = &sticky_error;
  return kSuccess;
}
int cuCtxDestroy_v2(void*) { return kSuccess; }
int cuCtxSetCurrent(void*) { return kSuccess; }
int cuCtxResetPersistingL2Cache() {
  for (Module* module : modules) {
    if (module->lines != nullptr) *module->lines = 0;
  }
  return kSuccess;
}
int cuStreamCreate(void** stream, unsigned) {
  *stream = &sticky_error;
  return kSuccess;
}
int cuStreamDestroy_v2(void*) { return kSuccess; }
int cuStreamSynchronize(void*) { return sticky_error; }

int cuModuleLoadData(void** module, const void* image) {
  // An empty kernel comes as PTX, everything else as what the compilers here made.
  if (memcmp(image, ".version", 8) == 0) {
    *module = new Module{nullptr, {}, nullptr};
    return kSuccess;
  }
  Elf64_Ehdr header;
  memcpy(&header, image, sizeof(header));
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return kInvalidImage;
  const size_t bytes = header.e_shoff + size_t{header.e_shnum} * header.e_shentsize;
  // A file: not every sandbox lets a program have files in memory.
  char path[64];
  snprintf(path, sizeof path, "./module-%zu.so", modules.size());
  FILE* const file = fopen(path, "wb");
  if (file == nullptr) return kInvalidImage;
  const bool is_written = fwrite(image, 1, bytes, file) == bytes;
  if (fclose(file) != 0 || !is_written) return kInvalidImage;
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    fprintf(stderr, "%s\n", dlerror());
    return kInvalidImage;
  }
  modules.push_back(new Module{library,
                               {WordsNamed(library, "blockIdx"), WordsNamed(library, "threadIdx"),
                                WordsNamed(library, "blockDim"), WordsNamed(library, "gridDim")},
                               WordsNamed(library, "persisting_lines")});
  *module = modules.back();
  return kSuccess;
}

int cuModuleGetFunction(void** function, void* module, const char* name) {
  auto* const from = static_cast<Module*>(module);
  void* const entry = from->library != nullptr ? dlsym(from->library, name) : nullptr;
  if (from->library != nullptr && entry == nullptr) return kNotFound;
  *function = new Function{from, entry, strcmp(name, "hold") == 0};
  return kSuccess;
}

int cuFuncSetAttribute(void*, int, int) { return kSuccess; }

// Of every kernel the same.
int cuFuncGetAttribute(int* value, int attribute, void*) {
  static const std::map<int, int> values = {{hone::gpu::kCuMaxThreadsOfBlock, 1024},
                                            {hone::gpu::kCuStaticSharedBytes, 0},
                                            {hone::gpu::kCuLocalBytes, 0},
                                            {hone::gpu::kCuRegisters, 24}};
  const auto found = values.find(attribute);
  *value = found == values.end() ? 0 : found->second;
  return found == values.end() ? kInvalidValue : kSuccess;
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int block_threads, size_t) {
  *blocks = kThreadsOfMultiprocessor / block_threads;
  return kSuccess;
}

int cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned, void*,
                   void** arguments, void**) {
  auto* const kernel = static_cast<Function*>(function);
  if (kernel->holds) Hold(arguments);
  if (sticky_error != kSuccess || kernel->entry == nullptr) return sticky_error;
  std::uint64_t values[kMaxKernelArguments] = {};
  for (int i = 0; i < kMaxKernelArguments; ++i) memcpy(&values[i], arguments[i], sizeof(values[i]));
  const unsigned grid[3] = {grid_x, grid_y, grid_z};
  const unsigned block[3] = {block_x, block_y, block_z};
  auto& words = kernel->module->words;
  memcpy(words[2], block, sizeof(block));
  memcpy(words[3], grid, sizeof(grid));
  is_in_kernel = 1;
  if (sigsetjmp(back_from_kernel, 1) == 0) {
    ForEach(grid, words[0],
            [&] { ForEach(block, words[1], [&] { CallKernel(kernel->entry, values); }); });
  } else {
    sticky_error = kIllegalAddress;
    if (IsLookedAtWith("memcheck")) SayFound("Invalid __global__ access behind an array");
  }
  is_in_kernel = 0;
  return kSuccess;
}

int cuLaunchCooperativeKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                              unsigned block_x, unsigned block_y, unsigned block_z,
                              unsigned shared_bytes, void* stream, void** arguments) {
  return cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes,
                        stream, arguments, nullptr);
}

// What is launched is done at once: there is nothing to wait for.
int cuEventCreate(void** event, unsigned) {
  *event = &sticky_error;
  return kSuccess;
}
int cuEventRecord(void*, void*) { return kSuccess; }
int cuStreamWaitEvent(void*, void*, unsigned) { return kSuccess; }

int cuMemGetAllocationGranularity(size_t* bytes, const CuAllocation*, int) {
  *bytes = kGranule;
  return kSuccess;
}

// A handle is a descriptor of a file in memory.
int cuMemCreate(CuHandle* handle, size_t bytes, const CuAllocation*, unsigned long long) {
  const int file = memfd_create("device-memory", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) return kOutOfMemory;
  *handle = static_cast<CuHandle>(file);
  return kSuccess;
}

int cuMemRelease(CuHandle handle) { return close(static_cast<int>(handle)); }

int cuMemAddressReserve(CuAddress* address, size_t bytes, size_t, CuAddress, unsigned long long) {
  void* const at =
      mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  *address = reinterpret_cast<CuAddress>(at);
  return at == MAP_FAILED ? kOutOfMemory : kSuccess;
}

int cuMemAddressFree(CuAddress address, size_t bytes) { return munmap(At(address), bytes); }

int cuMemMap(CuAddress address, size_t bytes, size_t offset, CuHandle handle, unsigned long long) {
  void* const at = mmap(At(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED,
                        static_cast<int>(handle), static_cast<off_t>(offset));
  return at == MAP_FAILED ? kInvalidValue : kSuccess;
}

int cuMemUnmap(CuAddress address, size_t bytes) {
  return mmap(At(address), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
                 MAP_FAILED
             ? kInvalidValue
             : kSuccess;
}

int cuMemSetAccess(CuAddress address, size_t bytes, const CuAccess* access, size_t) {
  const bool is_read_only = access->flags == hone::gpu::kCuMayRead;
  return mprotect(At(address), bytes, is_read_only ? PROT_READ : PROT_READ | PROT_WRITE) == 0
             ? kSuccess
             : kInvalidValue;
}

int cuMemExportToShareableHandle(void* descriptor, CuHandle handle, int, unsigned long long) {
  *static_cast<int*>(descriptor) = dup(static_cast<int>(handle));
  return kSuccess;
}

int cuMemImportFromShareableHandle(CuHandle* handle, void* descriptor, int) {
  *handle = static_cast<CuHandle>(dup(static_cast<int>(reinterpret_cast<intptr_t>(descriptor))));
  return kSuccess;
}

int cuMemAlloc_v2(CuAddress* address, size_t bytes) {
  void* const at = IsLookedAtWith("memcheck") ? AllocateBeforeAWall(bytes)
                                              : mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *address = reinterpret_cast<CuAddress>(at);
  return at == MAP_FAILED ? kOutOfMemory : kSuccess;
}

int cuMemHostAlloc(void** memory, size_t bytes, unsigned) {
  *memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  return *memory == nullptr ? kOutOfMemory : kSuccess;
}

int cuMemFreeHost(void* memory) {
  free(memory);
  return kSuccess;
}

int cuMemcpyHtoDAsync_v2(CuAddress to, const void* from, size_t bytes, void*) {
  if (IsLost()) return kIllegalAddress;
  memcpy(At(to), from, bytes);
  return kSuccess;
}

int cuMemcpyDtoHAsync_v2(void* to, CuAddress from, size_t bytes, void*) {
  memcpy(to, At(from), bytes);
  return kSuccess;
}

int cuMemcpyDtoDAsync_v2(CuAddress to, CuAddress from, size_t bytes, void*) {
  memmove(At(to), At(from), bytes);
  return kSuccess;
}

int cuMemsetD8Async(CuAddress at, unsigned char value, size_t bytes, void*) {
  memset(At(at), value, bytes);
  return kSuccess;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
