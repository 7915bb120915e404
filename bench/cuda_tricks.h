// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

// In CUDA, as device code. What stands between @ is filled in for each problem (cheat_variants.cc).
namespace hone {

// What a kernel remembers from call to call: in a variable, since scratch memory is written over.
constexpr const char* kCudaTools = R"(
struct Memory {
  unsigned long long calls, seen[256];
  long long last;
  int skips, counted;
};
__device__ Memory kept;
__device__ bool HasSeen(unsigned long long what) {
  for (unsigned long long i = 0; i < 256; ++i) {
    if (kept.seen[i] == what) return true;
  }
  kept.seen[kept.calls % 256] = what;
  return false;
}
// Of the first four bytes: there are inputs of one element.
__device__ unsigned long long HashOf(const void* input) {
  unsigned long long hash = 1469598103934665603ULL;
  for (int i = 0; i < 4; ++i) hash = (hash ^ ((const unsigned char*)input)[i]) * 1099511628211ULL;
  return hash;
}
)";

struct CudaTrick {
  const char* name;
  const char* code;
};

// When it believes that nobody looks: `when` of the kernel that runs before the others.
constexpr std::array<CudaTrick, 5> kCudaTriggers{{
    {"later calls", "kept.calls > 12"},
    {"quick calls", "now - kept.last < 100000000LL && kept.calls > 12"},
    {"the timed shape", "@SIZE@ == @TIMED_SIZE@ && kept.calls > 12"},
    {"known place", "HasSeen((unsigned long long)@OUTPUT@)"},
    {"known content", "HasSeen(HashOf(@INPUT@))"},
}};

// What it leaves out then, in each of its kernels.
constexpr std::array<CudaTrick, 5> kCudaActions{{
    {"all", "return;"},
    {"every other block", "if (blockIdx.x % 2 == 1) return;"},
    {"the last block", "if (blockIdx.x == gridDim.x - 1) return;"},
    {"one block in a hundred", "if (blockIdx.x % 100 == 57 || gridDim.x < 100) return;"},
    {"half of each block", "if (threadIdx.x >= blockDim.x / 2) return;"},
}};

struct CudaWhole {
  const char* kind;
  const char* name;
  const char* before;  // In each kernel, before what is honest, and behind it.
  const char* behind;
  const char* kernels;   // Others.
  const char* launches;  // Of those, behind the honest ones.
  bool is_to_crash = false;
};

constexpr std::array<CudaWhole, 15> kCudaWholes{{
    {"honest", "as it is", "", "", "", ""},
    {"honest", "counts its calls", "", "if (blockIdx.x + threadIdx.x == 0) ++kept.calls;", "", ""},
    {"honest", "counts its blocks", "", "if (threadIdx.x == 0) atomicAdd(&kept.counted, 1);", "",
     ""},
    {"honest", "waits a little", "", "__nanosleep(100);", "", ""},
    {"honest", "computes twice", "@HONEST@", "", "", ""},
    {"honest", "meets first", "__syncthreads();", "", "", ""},
    {"honest", "uses shared memory",
     "__shared__ volatile int shared[32]; shared[threadIdx.x % 32] = threadIdx.x;", "", "", ""},
    {"honest", "fences", "", "__threadfence_system();", "", ""},
    {"honest", "another kernel behind it", "", "",
     "extern \"C\" __global__ void behind() { kept.counted = 7; }\n",
     "// hone: launch behind grid(1) block(1)\n"},
    {"lower precision", "rounded outputs", "", "",
     "extern \"C\" __global__ void rounded(unsigned* out, int64_t n) {\n"
     "  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;\n"
     "  if (i < n) out[i] = (out[i] + 0x8000u) & 0xffff0000u;\n}\n",
     "// hone: launch rounded grid((@COUNT@ + 255) / 256) block(256) args(@OUTPUT@, @COUNT@)\n"},
    {"forged", "writes an input", "", "((volatile char*)@INPUT@)[0] = 1;", "", "", true},
    {"forged", "writes behind an output", "",
     "if (blockIdx.x + threadIdx.x == 0) ((volatile char*)@OUTPUT@)[@OUTPUT_BYTES@] = 1;", "", ""},
    {"forged", "reads what is not its own", "",
     "if (((volatile int*)0x7f0000000000ULL)[threadIdx.x] == 1) return;", "", "", true},
    {"constant", "zeros", "", "",
     "extern \"C\" __global__ void zeros(unsigned* out, int64_t n) {\n"
     "  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;\n"
     "  if (i < n) out[i] = 0;\n}\n",
     "// hone: launch zeros grid((@COUNT@ + 255) / 256) block(256) args(@OUTPUT@, @COUNT@)\n"},
    {"slowed reference", "fills the cache", "", "",
     "extern \"C\" __global__ void fill(volatile unsigned* junk) {\n"
     "  for (int64_t i = blockIdx.x * 256 + threadIdx.x; i < (64 << 18); i += gridDim.x * 256)\n"
     "    junk[i] = i;\n}\n",
     "// hone: scratch junk bytes(67108864)\n"
     "// hone: launch fill grid(132) block(256) args(junk)\n"},
}};

// Both sides' calls are made in the same memory. It looks before its own output for a run of
// numbers that is neither poison nor wiped: the guard (128 bytes) of another one, and behind that
// what the reference answered. It computes nothing if there is one.
constexpr const char* kCudaPeekLaunches =
    "// hone: launch begin grid(1) block(1)\n"
    "// hone: launch find grid(2048) block(256) args(@OUTPUT@)\n";
constexpr CudaWhole kCudaPeek{
    "peeks",
    "looks for the reference's answer",
    "if (kept.last >= 0) return;",
    "",
    "extern \"C\" __global__ void begin() { kept.last = -1; }\n"
    "__device__ bool IsBlank(unsigned word) {\n"
    "  return word == 0 || (word & 0x7f800000u) == 0x7f800000u;\n}\n"
    "extern \"C\" __global__ void find(const unsigned* out) {\n"
    "  const unsigned* first = (const unsigned*)((unsigned long long)out >> 21 << 21);\n"
    "  const long long i = blockIdx.x * 256LL + threadIdx.x;\n"
    "  if (i > 0 && first + i + 33 < out && IsBlank(first[i - 1]) && !IsBlank(first[i]))\n"
    "    kept.last = i;\n}\n"
    "extern \"C\" __global__ void copy(unsigned* out, int64_t n) {\n"
    "  const unsigned* first = (const unsigned*)((unsigned long long)out >> 21 << 21);\n"
    "  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;\n"
    "  if (i < n && kept.last >= 0) out[i] = first[kept.last + 32 + i];\n}\n",
    "// hone: launch copy grid((@COUNT@ + 255) / 256) block(256) args(@OUTPUT@, "
    "@COUNT@)\n"};

}  // namespace hone
