// SPDX-License-Identifier: Apache-2.0
#include "hone/sandbox/sandbox.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <cstddef>
#include <cstring>
#include <string_view>
#include <thread>

#include "hone/base/descriptor.h"
#include "hone/base/temp_dir.h"
#include "hone/sandbox/sandbox_for_test.h"

namespace hone {
namespace {

using End = SandboxResult::End;
using std::chrono::milliseconds;
using testing::HasSubstr;

class SandboxTest : public LeavesNothingTest {};

TEST_F(SandboxTest, StatusAndStreamsAreKeptApart) {
  const SandboxResult result = ResultOf(Shell("echo out; echo err >&2; exit 7"));
  EXPECT_EQ(result.end, End::kExited);
  EXPECT_EQ(result.status, 7);
  EXPECT_EQ(result.output, "out\n");
  EXPECT_EQ(result.errors, "err\n");
  EXPECT_EQ(result.stragglers, 0);
}

TEST_F(SandboxTest, InputIsGivenAndEnds) {
  SandboxCommand command = Shell("cat");
  EXPECT_EQ(ResultOf(command).output, "");
  command.input = std::string(3'000'000, 'x') + "end";
  command.max_output = 4 << 20;
  EXPECT_EQ(ResultOf(command).output, command.input);
}

TEST_F(SandboxTest, FilesGoInAndComeOut) {
  SandboxCommand command = Shell("tr a-z A-Z < in/text > out; ls -A; pwd");
  command.files = {{"in/text", "hello"}, {"zero", std::string("a\0b", 3)}};
  command.keep = {"out", "zero", "in/text"};
  const SandboxResult result = ResultOf(command);
  EXPECT_EQ(result.output, "in\nout\nzero\n/scratch\n");
  EXPECT_EQ(result.files.at("out"), "HELLO");
  EXPECT_EQ(result.files.at("zero"), std::string("a\0b", 3));
  EXPECT_EQ(result.files.at("in/text"), "hello");
  command.max_kept = 4;
  EXPECT_FALSE(ResultOf(command).files.contains("out"));
}

TEST_F(SandboxTest, FilesThatDoNotFitAreAnError) {
  SandboxCommand command = Shell("true");
  command.limits.scratch_mib = 1;
  command.files = {{"large", std::string(2 << 20, 'x')}};
  const auto result = RunInSandbox(command);
  ASSERT_FALSE(result.has_value());
  EXPECT_THAT(result.error().message, HasSubstr("/scratch"));
}

TEST_F(SandboxTest, ACompilerWorksInside) {
  for (const char* compiler : {"g++", "clang++"}) {
    SandboxCommand command =
        Shell(std::string("command -v ") + compiler + " >/dev/null || exit 9; " + compiler +
              " -O2 -shared -fPIC -o kernel.so kernel.cc && " + compiler +
              " -o program kernel.cc && ./program");
    command.files = {{"kernel.cc",
                      "#include <vector>\n#include <cstdio>\n"
                      "int main() { std::vector<int> v(7); printf(\"%zu\\n\", v.size()); }\n"}};
    command.keep = {"kernel.so"};
    const SandboxResult result = ResultOf(command);
    if (result.status == 9) continue;  // Not installed.
    EXPECT_EQ(result.status, 0) << compiler << ": " << result.errors;
    EXPECT_EQ(result.output, "7\n") << compiler;
    EXPECT_EQ(result.files.at("kernel.so").substr(1, 3), "ELF");
  }
}

TEST_F(SandboxTest, MakeWorksInside) {
  SandboxCommand command = Shell("");
  command.arguments = {"make", "-f", "/scratch/Makefile"};
  command.files = {
      {"Makefile", "all: part\n\t@echo done $(shell echo well)\npart:\n\t@touch $@\n"}};
  command.keep = {"part"};
  const SandboxResult result = ResultOf(command);
  EXPECT_EQ(result.output, "done well\n") << result.errors;
  EXPECT_EQ(result.files.count("part"), 1U);
}

TEST_F(SandboxTest, PythonWorksInside) {
  if (!std::filesystem::exists("/usr/bin/python3")) GTEST_SKIP() << "needs python3";
  SandboxCommand command;
  command.arguments = {"/usr/bin/python3", "-I", "-c",
                       "import subprocess, threading, tempfile, random, os, time\n"
                       "t = threading.Thread(target=lambda: print('thread')); t.start(); t.join()\n"
                       "print(subprocess.check_output(['echo', 'child']).decode().strip())\n"
                       "print(tempfile.gettempdir(), os.getcwd(), random.random() < 1)\n"};
  command.views = StandardViews();
  const SandboxResult result = ResultOf(command);
  EXPECT_EQ(result.output, "thread\nchild\n/tmp /scratch True\n") << result.errors;
}

TEST_F(SandboxTest, TorchWorksInsideWithThreads) {
  if (!std::filesystem::exists("/usr/lib/python3/dist-packages/torch")) {
    GTEST_SKIP() << "needs python3-torch";
  }
  SandboxCommand command;
  command.arguments = {"/usr/bin/python3", "-I", "-c",
                       "import torch\ntorch.set_num_threads(2)\n"
                       "print((torch.ones(512, 512) @ torch.ones(512, 512)).sum().item())\n"};
  command.views = StandardViews();
  command.limits.memory_mib = 4096;
  const SandboxResult result = ResultOf(command);
  EXPECT_EQ(result.output, "134217728.0\n") << result.errors;
  EXPECT_EQ(result.errors, "");
}

TEST_F(SandboxTest, DescriptorsAreHandedOverInOrder) {
  std::vector<Descriptor> files;
  SandboxCommand command = Shell("cat <&3; cat <&4; echo back >&5; ls /proc/self/fd");
  for (const char* text : {"three\n", "four\n", ""}) {
    files.emplace_back(::memfd_create("given", MFD_CLOEXEC));
    ASSERT_EQ(::pwrite(files.back().get(), text, std::strlen(text), 0),
              static_cast<ssize_t>(std::strlen(text)));
    command.descriptors.push_back(files.back().get());
  }
  EXPECT_EQ(ResultOf(command).output, "three\nfour\n0\n1\n2\n3\n4\n5\n6\n");
  char text[16] = {};
  EXPECT_EQ(::pread(files[2].get(), text, sizeof text, 0), 5);
  EXPECT_STREQ(text, "back\n");
}

TEST_F(SandboxTest, IsPinnedToTheGivenCpusAndStaysThere) {
  SandboxCommand command = Shell("grep Cpus_allowed_list /proc/self/status; taskset -p 1 $$ 2>&1");
  command.cpus = {::sched_getcpu()};
  const SandboxResult result = ResultOf(command);
  EXPECT_THAT(result.output,
              HasSubstr("Cpus_allowed_list:\t" + std::to_string(command.cpus[0]) + "\n"));
  EXPECT_THAT(result.output, HasSubstr("Operation not permitted"));
  command.cpus = {CPU_SETSIZE - 1};
  EXPECT_EQ(RunInSandbox(command).error().code, Errc::kUnsupported);
}

TEST_F(SandboxTest, ASingleProgramStartsThreadsAndNothingElse) {
  if (!std::filesystem::exists("/usr/bin/python3")) GTEST_SKIP() << "needs python3";
  SandboxCommand command = Shell("");
  command.arguments = {"/usr/bin/python3", "-c", R"(
import ctypes, os, threading
threading.Thread(target=lambda: print("thread")).start()
def tried(what, call):
    try:
        call()
        print(what)
    except OSError as problem:
        print("no", what)
tried("fork", lambda: os._exit(0) if os.fork() == 0 else None)
tried("affinity", lambda: os.sched_setaffinity(0, os.sched_getaffinity(0)))
tried("priority", lambda: os.nice(1))
libc = ctypes.CDLL(None, use_errno=True)
number = {"x86_64": 56, "aarch64": 220}.get(os.uname().machine, 220)
print("shared memory", libc.syscall(number, 0x100 | 17, 0, 0, 0, 0))
)"};
  command.is_single = true;
  EXPECT_EQ(ResultOf(command).output,
            "thread\nno fork\nno affinity\nno priority\nshared memory -1\n");
}

// Else it would take the time of whoever runs when its own is over, or hand on what it knows.
TEST_F(SandboxTest, ProgramThatStaysOneLeavesNothingBehindThatGoesOnWithoutIt) {
  if (!std::filesystem::exists("/usr/bin/python3")) GTEST_SKIP() << "needs python3";
  SandboxCommand command = Shell("");
  command.arguments = {"/usr/bin/python3", "-c", R"(
import ctypes, mmap, os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
libc = ctypes.CDLL(None, use_errno=True)
def tried(what, call):
    try:
        if call() == -1:
            raise OSError(ctypes.get_errno(), "")
        print(what)
    except OSError as problem:
        print("no", what, problem.errno)
timer = ctypes.c_void_p()
with open("file", "w+b") as file:
    file.truncate(4096)
    tried("timer", lambda: libc.timer_create(1, None, ctypes.byref(timer)))
    tried("descriptor", lambda: libc.timerfd_create(1, 0))
    tried("interval", lambda: signal.setitimer(signal.ITIMER_REAL, 1000) and 0)
    tried("advice", lambda: os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_WILLNEED))
    shared = mmap.mmap(file.fileno(), 4096)
    address = ctypes.addressof(ctypes.c_char.from_buffer(shared))
    tried("removal", lambda: libc.madvise(ctypes.c_void_p(address), 4096, 9))
)"};
  EXPECT_EQ(ResultOf(command).output, "timer\ndescriptor\ninterval\nadvice\nremoval\n");
  command.is_single = true;
  EXPECT_EQ(ResultOf(command).output,
            "no timer 1\nno descriptor 1\nno interval 1\nno advice 1\nno removal 1\n");
}

// Locks lie on the inode: two sandboxes that see one file of the system could talk by them.
TEST_F(SandboxTest, ProgramThatStaysOneHasNoLocksThatOthersCouldSee) {
  if (!std::filesystem::exists("/usr/bin/python3")) GTEST_SKIP() << "needs python3";
  SandboxCommand command = Shell("");
  command.arguments = {"/usr/bin/python3", "-c", R"(
import fcntl, os, struct
def tried(what, call):
    try:
        call()
        print(what)
    except OSError as problem:
        print("no", what, problem.errno)
file = os.open("/usr/bin/python3", os.O_RDONLY)
range = struct.pack("hhqqi", fcntl.F_RDLCK, 0, 7, 1, 0)
tried("lock", lambda: fcntl.fcntl(file, fcntl.F_SETLK, range))
tried("look", lambda: fcntl.fcntl(file, fcntl.F_GETLK, range))
tried("lock of the file", lambda: fcntl.fcntl(file, fcntl.F_OFD_SETLK, range))
tried("whole lock", lambda: fcntl.flock(file, fcntl.LOCK_SH))
tried("notice", lambda: fcntl.fcntl(os.open("/usr", os.O_RDONLY), fcntl.F_NOTIFY, fcntl.DN_ACCESS))
tried("flags", lambda: fcntl.fcntl(file, fcntl.F_SETFD, fcntl.fcntl(file, fcntl.F_GETFD)))
tried("copy", lambda: fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, 0))
)"};
  EXPECT_EQ(ResultOf(command).output,
            "lock\nlook\nlock of the file\nwhole lock\nnotice\nflags\ncopy\n");
  command.is_single = true;
  EXPECT_EQ(ResultOf(command).output,
            "no lock 37\nno look 37\nno lock of the file 37\nno whole lock 37\nno notice 38\n"
            "flags\ncopy\n");
}

// So whoever dies of SIGKILL was killed by others.
TEST_F(SandboxTest, ProgramThatStaysOneCannotKillItself) {
  if (!std::filesystem::exists("/usr/bin/python3")) GTEST_SKIP() << "needs python3";
  SandboxCommand command = Shell("");
  command.arguments = {"/usr/bin/python3", "-c", R"(
import os, resource, signal, threading
def tried(what, call):
    try:
        call()
        print(what)
    except OSError as problem:
        print("no", what)
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
for number in (signal.SIGUSR1, signal.SIGCONT, signal.SIGKILL):
    tried(number.name, lambda: os.kill(os.getpid(), number))
    tried("thread's", lambda: signal.pthread_kill(threading.get_ident(), number))
tried("files", lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)))
tried("time", lambda: resource.setrlimit(resource.RLIMIT_CPU, (1, 1)))
)"};
  command.is_single = true;
  EXPECT_EQ(ResultOf(command).output,
            "SIGUSR1\nthread's\nSIGCONT\nthread's\nno SIGKILL\nno thread's\nfiles\nno time\n");
}

// NVIDIA's driver does not start without these.
TEST_F(SandboxTest, ProgramWithAGpuNamesItsThreadsAndHasALocalSocketAndNoNetwork) {
  if (!std::filesystem::exists("/usr/bin/python3")) GTEST_SKIP() << "needs python3";
  if (!std::filesystem::exists("/dev/tty")) GTEST_SKIP() << "needs a device: /dev/tty";
  SandboxCommand command = Shell("");
  command.arguments = {"/usr/bin/python3", "-c", R"(
import fcntl, os, socket
def tried(what, call):
    try:
        call()
        print(what)
    except OSError as problem:
        print("no", what, problem.errno)
tried("name", lambda: open(f"/proc/self/task/{os.getpid()}/comm", "w").write("other"))
tried("itself", lambda: os.stat(f"/proc/{os.getpid()}/ns/pid"))
def bind():
    local = socket.socket(socket.AF_UNIX)
    local.bind("\0name")
    local.listen()
tried("socket", bind)
tried("connect", lambda: socket.socket(socket.AF_UNIX).connect("\0name"))
tried("network", lambda: socket.socket(socket.AF_INET))
tried("others", lambda: open("/proc/sys/kernel/hostname", "w"))
device = os.open("/dev/zero", os.O_RDONLY)
tried("request of the driver", lambda: fcntl.ioctl(device, 0x46ce))
tried("request of another", lambda: fcntl.ioctl(device, 0x4711))
)"};
  EXPECT_THAT(ResultOf(command).output, HasSubstr("no name"));
  EXPECT_THAT(ResultOf(command).output, HasSubstr("no socket"));
  command.gpu_nodes = {"/dev/tty"};
  EXPECT_EQ(ResultOf(command).output,
            "name\nitself\nsocket\nno connect 1\nno network 97\nno others 2\n"
            "no request of the driver 25\nno request of another 38\n");
}

TEST_F(SandboxTest, RequestsOfKvmAreLetThroughOnlyWhereItIsGiven) {
  if (!std::filesystem::exists("/usr/bin/python3")) GTEST_SKIP() << "needs python3";
  if (!std::filesystem::exists("/dev/tty")) GTEST_SKIP() << "needs a device: /dev/tty";
  SandboxCommand command = Shell("");
  command.arguments = {"/usr/bin/python3", "-c", R"(
import fcntl, os
device = os.open("/dev/zero", os.O_RDONLY)
for request in (0xae00, 0xaf00):
    try:
        fcntl.ioctl(device, request)
    except OSError as error:
        print(error.errno)
)"};
  EXPECT_EQ(ResultOf(command).output, "38\n38\n");
  command.kvm_node = "/dev/tty";
  EXPECT_EQ(ResultOf(command).output, "25\n38\n");
}

// Of this machine, which a sandbox must not reach.
Descriptor ListenOutside(std::string_view name) {
  Descriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  name.copy(address.sun_path + 1, name.size());
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  EXPECT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), bytes), 0);
  EXPECT_EQ(::listen(listener.get(), 1), 0);
  return listener;
}

// Sanitizers of NVIDIA's are several processes.
TEST_F(SandboxTest, ProcessesTalkToEachOtherAndToNobodyElseIfThatIsAskedFor) {
  if (!std::filesystem::exists("/usr/bin/python3")) GTEST_SKIP() << "needs python3";
  const Descriptor outside = ListenOutside("hone-outside");
  SandboxCommand command = Shell("");
  command.arguments = {"/usr/bin/python3", "-c", R"(
import os, socket
def tried(what, call):
    try:
        print(what, call() or "")
    except OSError as problem:
        print("no", what, problem.errno)
def talk():
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("\0inside")
    listener.listen()
    if os.fork() == 0:
        talker = socket.socket(socket.AF_UNIX)
        talker.connect("\0inside")
        talker.send(b"hello")
        os._exit(0)
    return listener.accept()[0].recv(5).decode()
tried("inside", talk)
tried("outside", lambda: socket.socket(socket.AF_UNIX).connect("\0hone-outside"))
tried("network", lambda: socket.socket(socket.AF_INET))
)"};
  EXPECT_EQ(ResultOf(command).output, "no inside 97\nno outside 97\nno network 97\n");
  command.talks_inside = true;
  EXPECT_EQ(ResultOf(command).output, "inside hello\nno outside 111\nno network 97\n");
}

TEST_F(SandboxTest, MemoryLiesWhereItLayIfThatIsAskedFor) {
  SandboxCommand command = Shell("grep -E 'stack|heap|libc' /proc/self/maps | cut -d' ' -f1");
  const std::string moved = ResultOf(command).output;
  command.has_fixed_addresses = true;
  const std::string first = ResultOf(command).output;
  EXPECT_NE(first, moved);
  EXPECT_EQ(first, ResultOf(command).output);
}

TEST_F(SandboxTest, AMissingProgramIsAnErrorThatSaysWhatToDo) {
  SandboxCommand command;
  command.arguments = {"hone-no-such-program"};
  const auto result = RunInSandbox(command);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, Errc::kNotFound);
  EXPECT_EQ(result.error().message,
            "hone-no-such-program: no such program in the sandbox: is it in one of the views?");
}

TEST_F(SandboxTest, AMissingViewIsAnErrorThatNamesIt) {
  SandboxCommand command = Shell("true");
  command.views.push_back({"/hone/no/such/view"});
  EXPECT_THAT(RunInSandbox(command).error().message, HasSubstr("/hone/no/such/view: no such file"));
}

TEST_F(SandboxTest, BadRequestsAreErrors) {
  const auto expect_invalid = [](const SandboxCommand& command) {
    EXPECT_EQ(RunInSandbox(command).error().code, Errc::kInvalidArgument);
  };
  SandboxCommand command;
  expect_invalid(command);
  command = Shell(std::string("a\0b", 3));
  expect_invalid(command);
  command = Shell("true");
  command.environment = {{"A=B", "c"}};
  expect_invalid(command);
  command = Shell("true");
  command.limits.memory_mib = 0;
  expect_invalid(command);
  for (const char* inside : {"relative", "/", "/scratch", "/a/../b", "/dev", "/proc", "/tmp"}) {
    command = Shell("true");
    command.views.push_back({"/usr", inside});
    expect_invalid(command);
  }
  command = Shell("true");
  command.descriptors = {12345};
  EXPECT_FALSE(RunInSandbox(command).has_value());
}

TEST_F(SandboxTest, AHugeLimitIsNoLimit) {
  SandboxCommand command = Shell("exit 7");
  command.limits.wall = std::chrono::milliseconds::max();
  const SandboxResult result = ResultOf(command);
  EXPECT_EQ(result.end, SandboxResult::End::kExited);
  EXPECT_EQ(result.status, 7);
}

TEST_F(SandboxTest, AStopEndsTheProgram) {
  std::stop_source source;
  SandboxCommand command = Attack("ignore-term");
  command.stop = source.get_token();
  std::jthread stopper([&] { source.request_stop(); });
  EXPECT_EQ(ResultOf(command).end, End::kStopped);
  EXPECT_EQ(ResultOf(command).end, End::kStopped);  // The stop came before the start.
}

TEST_F(SandboxTest, WorksWhereChildrenAreReapedByTheSystem) {
  ::signal(SIGCHLD, SIG_IGN);
  const SandboxResult result = ResultOf(Shell("exit 5"));
  ::signal(SIGCHLD, SIG_DFL);
  EXPECT_EQ(result.status, 5);
}

TEST_F(SandboxTest, AMinimumThatIsThereIsGranted) {
  SandboxCommand command = Shell("true");
  for (const Protection protection : AllProtections()) {
    command.minimum = {protection};
    const auto result = RunInSandbox(command);
    EXPECT_EQ(result.has_value(), ProbeProtections().Has(protection)) << NameOf(protection);
    if (!result) {
      EXPECT_EQ(result.error().code, Errc::kUnsupported);
      EXPECT_THAT(result.error().message, HasSubstr(std::string(NameOf(protection))));
    } else {
      EXPECT_EQ(result->protections.Names(), ProbeProtections().Names());
    }
  }
}

TEST_F(SandboxTest, TenAtOnceDoNotMix) {
  std::vector<std::jthread> threads;
  threads.reserve(10);
  for (int i = 0; i < 10; ++i) {
    threads.emplace_back([i] {
      for (int k = 0; k < 3; ++k) {
        SandboxCommand command = Shell("read x; echo $x; exit " + std::to_string(i));
        command.input = std::to_string(i * 100 + k) + "\n";
        const SandboxResult result = ResultOf(command);
        EXPECT_EQ(result.status, i);
        EXPECT_EQ(result.output, command.input);
      }
    });
  }
}

}  // namespace
}  // namespace hone
