# SPDX-License-Identifier: Apache-2.0
"""The process that holds one PyTorch source, inside its sandbox. It knows nothing worth stealing:
it maps the memory that it shares with the judge and makes one call at a time.

The protocol, and why none of this is believed: hone/domains/compute/runner/call_block.h.
What it is handed to load: TorchBackend::Load in hone/domains/compute/backends/torch_backend.cc.
"""
import ctypes
import json
import mmap
import os
import re
import socket
import struct
import sys
import threading
import time
import traceback
import types

SOCKET = 3
LOAD_MAGIC = 0x4C4F4144
BLOCK_VERSION = 5
LOAD_MESSAGE = struct.Struct("<IIQ128s")
BAD_START = 96
NO_SUCH_CLASS = 3

TURN_REST, TURN_ARM, TURN_CALL, TURN_END = range(4)
ANSWER_NONE, ANSWER_READY, ANSWER_DONE, ANSWER_FAILED = range(4)
CALL_KERNEL, CALL_NOTHING, CALL_MAKE_INPUTS = range(3)

MOST_TENSORS = 64
MOST_DIMENSIONS = 8
MOST_GUARDS = 2 * MOST_TENSORS
ERROR_BYTES = 8192
PAGE = 4096
MOST_TOUCHED_BYTES = 8 << 20
SPARSE_BYTES = 1 << 30  # Memory as large as this is not filled beforehand.
CASES = "get_cases"
OWN_FILES = ("hone_candidate.py", "hone_reference.py")
RUNNER_FILE = "torch_runner.py"
LONGEST_MESSAGE = 2000
MOST_LIBRARY_FRAMES = 6
OTHER_GENERATORS = re.compile(r"^\s*(?:import|from)\b.*\b(?:random|numpy)\b", re.MULTILINE)
WEIGHTS_SEED = 20250131  # Reference and candidate draw the same weights.

SYS_FUTEX = {"x86_64": 202, "aarch64": 98, "riscv64": 98}[os.uname().machine]
FUTEX_WAIT, FUTEX_WAKE = 0, 1


class BlockTensor(ctypes.Structure):
    _fields_ = [("offset", ctypes.c_uint64), ("bytes", ctypes.c_uint64),
                ("dtype", ctypes.c_uint32), ("rank", ctypes.c_uint32),
                ("shape", ctypes.c_int64 * MOST_DIMENSIONS)]


class CallBlock(ctypes.Structure):
    """Fields that C aligns to 64 bytes have their padding written out."""
    _fields_ = [("magic", ctypes.c_uint32), ("version", ctypes.c_uint32),
                ("_0", ctypes.c_uint8 * 56),
                ("turn", ctypes.c_uint32), ("_1", ctypes.c_uint8 * 60),
                ("answer", ctypes.c_uint32), ("_2", ctypes.c_uint8 * 60),
                ("judge_sleeps", ctypes.c_uint32), ("_3", ctypes.c_uint8 * 60),
                ("what", ctypes.c_uint32), ("inputs", ctypes.c_uint32),
                ("outputs", ctypes.c_uint32), ("sizes", ctypes.c_uint32),
                ("stack_shift", ctypes.c_uint32),
                ("size", ctypes.c_int64 * 16), ("seed", ctypes.c_uint64),
                ("free_bytes", ctypes.c_uint64), ("_4", ctypes.c_uint8 * 24),
                ("began_ns", ctypes.c_int64), ("ended_ns", ctypes.c_int64),
                ("error_bytes", ctypes.c_uint32), ("error", ctypes.c_char * ERROR_BYTES),
                ("_5", ctypes.c_uint8 * 44),
                ("tensors", BlockTensor * MOST_TENSORS),
                ("guards", ctypes.c_uint32), ("guard_bytes", ctypes.c_uint32),
                ("guard", ctypes.c_uint64 * MOST_GUARDS), ("fault_offset", ctypes.c_uint64),
                ("_6", ctypes.c_uint8 * 48)]


# The entry of an output, by its rank: address, bytes, type, rank, shape.
OUTPUTS = [struct.Struct(f"<QQII{rank}q") for rank in range(MOST_DIMENSIONS + 1)]


def dtype_table(torch):
    """The numbers of tensor.h."""
    return {1: torch.float32, 2: torch.float64, 3: torch.float16, 4: torch.bfloat16,
            5: torch.int8, 6: torch.uint8, 7: torch.int16, 8: torch.int32, 9: torch.int64,
            10: torch.bool}


class SharedMemory:
    """The call block and the arrays behind it."""

    def __init__(self, descriptor, size, torch):
        self.torch = torch
        self.dtypes = dtype_table(torch)
        self.dtype_numbers = {dtype: number for number, dtype in self.dtypes.items()}
        populate = mmap.MAP_POPULATE if size < SPARSE_BYTES else 0
        self.memory = mmap.mmap(descriptor, size, mmap.MAP_SHARED | populate)
        self.block = CallBlock.from_buffer(self.memory)
        self.turn = ctypes.c_uint32.from_buffer(self.memory, CallBlock.turn.offset)
        self.answer_word = ctypes.c_uint32.from_buffer(self.memory, CallBlock.answer.offset)
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.lock = threading.Lock()
        self.lock.acquire()
        self.arguments, self.numbers = [], []
        self.outputs_at, self.free_bytes = 0, 0
        self.results = None

    def fence(self):
        """What is before it and what is after it, the judge sees in this order too. Python has no
        other name for that; ARM does not keep the order by itself."""
        self.lock.release()
        self.lock.acquire()

    def await_turn(self, seen):
        while self.turn.value == seen:
            self.libc.syscall(SYS_FUTEX, ctypes.byref(self.turn), FUTEX_WAIT, seen, None, None, 0)
        turn = self.turn.value
        self.fence()
        return turn

    def answer(self, call, what):
        self.fence()
        self.answer_word.value = (call << 2 | what) & 0xFFFFFFFF
        self.fence()
        if self.block.judge_sleeps:
            self.libc.syscall(SYS_FUTEX, ctypes.byref(self.answer_word), FUTEX_WAKE, 1, None,
                              None, 0)

    def fail(self, text):
        data = text.encode("utf-8", "replace")[:ERROR_BYTES]
        ctypes.memmove(ctypes.addressof(self.block) + CallBlock.error.offset, data, len(data))
        self.block.error_bytes = len(data)

    def prepare(self):
        """Before the clock runs: what has to be made for a call, whatever its values will be. They
        are not there yet. The last call's results are let go of."""
        block = self.block
        self.results = None
        self.arguments, self.numbers = [], []
        for i in range(block.inputs):
            self.arguments.append(self.array(block.tensors[i]))
        self.outputs_at = CallBlock.tensors.offset + block.inputs * ctypes.sizeof(BlockTensor)
        self.free_bytes = block.free_bytes

    def array(self, entry):
        """A tensor over the shared memory; a 0-dimensional f64 or i64 is a Python number, and is
        read when it is there."""
        dtype = self.dtypes[entry.dtype]
        shape = list(entry.shape[:entry.rank])
        count = 1
        for extent in shape:
            count *= extent
        if count == 0:
            return self.torch.empty(shape, dtype=dtype)
        if entry.bytes <= MOST_TOUCHED_BYTES:  # A source could do it, and would be faster for it.
            _ = self.memory[entry.offset:entry.offset + entry.bytes:PAGE]
        if not shape and dtype in (self.torch.float64, self.torch.int64):
            kind = ctypes.c_double if dtype is self.torch.float64 else ctypes.c_int64
            self.numbers.append((len(self.arguments), kind.from_buffer(self.memory, entry.offset)))
            return None
        flat = self.torch.frombuffer(self.memory, dtype=dtype, count=count, offset=entry.offset)
        return flat.view(shape)

    def inputs(self):
        for i, number in self.numbers:
            self.arguments[i] = number.value
        return self.arguments

    def give(self, tensors):
        """Says where the tensors lie, dense and in order; the judge copies them when all of this
        process sleeps. Inside the clock, and a source could replace it: so it is short."""
        room = MOST_TENSORS - len(self.arguments)
        if len(tensors) > room:
            raise ValueError(f"{len(tensors)} outputs are too many: {room} fit")
        self.results = []
        at, left = self.outputs_at, self.free_bytes
        for i, tensor in enumerate(tensors):
            size = tensor.numel() * tensor.element_size()
            if size > left:
                raise MemoryError(f"output {i} of shape {list(tensor.shape)} needs {size} bytes; "
                                  f"{left} are left for outputs")
            self.results.append(tensor.resolve_neg().contiguous())
            self.describe(at, self.results[-1], size)
            at += ctypes.sizeof(BlockTensor)
            left -= size
        self.block.outputs = len(tensors)

    def describe(self, at, tensor, size):
        number, rank = self.dtype_numbers.get(tensor.dtype), tensor.dim()
        if number is None:
            raise TypeError(f"an output of type {tensor.dtype} is not supported")
        if rank > MOST_DIMENSIONS:
            raise ValueError(f"an output has {rank} dimensions; at most {MOST_DIMENSIONS}")
        if not tensor.is_cpu:
            raise TypeError(f"an output on the device {tensor.device} cannot be compared")
        OUTPUTS[rank].pack_into(self.memory, at, tensor.data_ptr(), size, number, rank,
                                *tensor.shape)


def flatten(torch, value, found):
    """All tensors of a nested result, in order; Python numbers become 0-dimensional tensors."""
    if isinstance(value, torch.Tensor):
        found.append(value)
    elif isinstance(value, (bool, int, float)):
        kind = torch.float64 if isinstance(value, float) else torch.int64
        found.append(torch.tensor(value, dtype=kind))
    elif isinstance(value, dict):
        for key in value:
            flatten(torch, value[key], found)
    elif isinstance(value, (list, tuple)):
        for part in value:
            flatten(torch, part, found)
    elif value is not None:
        raise TypeError(f"a result of type {type(value).__name__} cannot be compared: expected "
                        "tensors, numbers, or lists, tuples and dicts of them")
    return found


def make_module(name, source):
    """Runs a source as a module of its own. Its file exists, because decorators read it."""
    path = os.path.join(os.getcwd(), f"{name}.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(source)
    module = types.ModuleType(name)
    module.__file__ = path
    sys.modules[name] = module
    exec(compile(source, path, "exec"), module.__dict__)
    return module


def find(module, name, whose):
    if not hasattr(module, name):
        raise AttributeError(f"{whose} defines no {name}")
    return getattr(module, name)


def arguments_of(inputs):
    """get_init_inputs gives a list, or [[…], {…}] with arguments by name."""
    if (len(inputs) == 2 and isinstance(inputs[0], (list, tuple)) and isinstance(inputs[1], dict)):
        return list(inputs[0]), dict(inputs[1])
    return list(inputs), {}


class Source:
    """The one source of this process, as something to call."""

    def __init__(self, document, torch):
        self.torch = torch
        self.cases = None
        self.is_high = document["precision"] == "high"
        text = document["reference"] or document["source"]  # The same text on both sides.
        self.draws_otherwise = OTHER_GENERATORS.search(text) is not None
        self.threads = max(1, int(document["threads"]))
        torch.set_num_interop_threads(self.threads)  # Once for ever: another call of it is an error.
        torch.set_num_threads(self.threads)
        reference = make_module("hone_reference", document["reference"]) \
            if document["reference"] else None
        if not document["model"]:  # Nothing to hold: only empty calls are made.
            return
        is_reference = document["role"] == "reference"
        self.module = reference if is_reference else make_module("hone_candidate",
                                                                 document["source"])
        if document["model"] == CASES:
            self.cases = find(self.module, CASES, "the source of the cases")
            return
        positional, named = [], {}
        maker = getattr(reference if reference is not None else self.module, "get_init_inputs", None)
        if maker is not None:
            self.seed(WEIGHTS_SEED)
            positional, named = arguments_of(maker())
        kind = find(self.module, document["model"],
                    "the reference" if is_reference else "the candidate")
        self.seed(WEIGHTS_SEED)
        self.model = kind(*positional, **named)
        if self.is_high:
            self.model = self.model.double()

    def arm(self):
        """Before "ready", by nobody's clock and on both sides alike: the policy's threads, whatever a
        source has set, and a seed for generators that seed_draws does not know to be used."""
        self.torch.set_num_threads(self.threads)
        self.seed(WEIGHTS_SEED + 1)

    def seed(self, seed):
        self.torch.manual_seed(seed % (1 << 63))
        self.seed_others(seed)

    def seed_others(self, seed):
        import random
        random.seed(seed)
        numpy = sys.modules.get("numpy")
        if numpy is not None:
            numpy.random.seed(seed % (1 << 32))

    def seed_draws(self, seed):
        """What is drawn in this call cannot have been drawn before it. It stands inside the clock,
        and so it is short: no other devices, and other generators only where they are used."""
        self.torch.default_generator.manual_seed(seed % (1 << 63))
        if self.draws_otherwise:
            self.seed_others(seed)

    def run(self, inputs):
        if not self.is_high:
            return flatten(self.torch, self.model(*inputs), [])
        # Also what the model makes on its way: a state of zeros must fit its weights.
        usual = self.torch.get_default_dtype()
        self.torch.set_default_dtype(self.torch.float64)
        try:
            return flatten(self.torch, self.model(*map(self.widened, inputs)), [])
        finally:
            self.torch.set_default_dtype(usual)

    def widened(self, value):
        is_floating = isinstance(value, self.torch.Tensor) and value.is_floating_point()
        return value.double() if is_floating else value

    def make_inputs(self, seed):
        if self.cases is not None:
            return self.make_case(seed)
        self.seed(seed)
        made = find(self.module, "get_inputs", "the reference")()
        return flatten(self.torch, list(made), [])

    def make_case(self, number):
        """How many cases there are, how this one divides, how close is close; then its tensors."""
        self.seed(WEIGHTS_SEED)
        cases = list(self.cases())
        if not cases:
            raise ValueError(f"{CASES} gives no case")
        case = cases[number]
        inputs = flatten(self.torch, case.get("inputs", case.get("input")), [])
        outputs = flatten(self.torch, case.get("outputs", case.get("output")), [])
        header = [len(cases), len(inputs), len(outputs),
                  case.get("rtol", -1), case.get("atol", -1)]
        return [self.torch.tensor(header, dtype=self.torch.float64), *inputs, *outputs]


def failure_text():
    """The exception that is being handled: what it says, then where in the source, then where in the
    libraries that it calls. The frames of this file are nobody's business."""
    _, problem, trace = sys.exc_info()
    said = "".join(traceback.format_exception_only(problem))[:LONGEST_MESSAGE].rstrip()
    frames = traceback.extract_tb(trace)
    own = [frame for frame in frames if os.path.basename(frame.filename) in OWN_FILES]
    others = [frame for frame in frames
              if frame not in own and os.path.basename(frame.filename) != RUNNER_FILE]
    lines = [said + "\n", *traceback.format_list(own)]
    if others:
        lines += ["In libraries:\n", *traceback.format_list(others[-MOST_LIBRARY_FRAMES:])]
    reason = problem.__cause__ or problem.__context__
    if reason is not None:
        cause = "".join(traceback.format_exception_only(reason))[:LONGEST_MESSAGE]
        lines.append("It came from: " + cause)
    return "".join(lines)


def serve_call(shared, source):
    block = shared.block
    began = time.monotonic_ns()
    try:
        if block.what == CALL_KERNEL:
            source.seed_draws(block.seed)
            shared.give(source.run(shared.inputs()))
        elif block.what == CALL_MAKE_INPUTS:
            shared.give(source.make_inputs(block.seed))
        is_done = True
    except BaseException:  # Whatever it is, SystemExit too, the judge is told.
        shared.fail(failure_text())
        is_done = False
    block.began_ns, block.ended_ns = began, time.monotonic_ns()
    return ANSWER_DONE if is_done else ANSWER_FAILED


def serve(shared, source):
    seen = TURN_REST
    while True:
        seen = shared.await_turn(seen)
        call, what = seen >> 2, seen & 3
        if what == TURN_ARM:
            source.arm()
            shared.prepare()
            shared.answer(call, ANSWER_READY)
        elif what == TURN_CALL:
            shared.answer(call, serve_call(shared, source))
        elif what == TURN_END:
            os._exit(0)


def receive():
    """The judge's message with the shared memory and the document, or None."""
    judge = socket.socket(fileno=SOCKET)
    judge.send(b"r")
    data, descriptors, _, _ = socket.recv_fds(judge, LOAD_MESSAGE.size, 2)
    if len(data) != LOAD_MESSAGE.size or len(descriptors) != 2:
        return None
    magic, version, size, _ = LOAD_MESSAGE.unpack(data)
    is_ours = magic == LOAD_MAGIC and version == BLOCK_VERSION
    return (judge, size, descriptors) if is_ours else None


def main():
    import torch
    torch.set_grad_enabled(False)
    message = receive()
    if message is None:
        return 0
    judge, size, (memory, document) = message
    shared = SharedMemory(memory, size, torch)
    os.close(memory)
    judge.send(b"r")
    judge.close()
    try:
        os.lseek(document, 0, os.SEEK_SET)
        with os.fdopen(document, encoding="utf-8") as file:
            source = Source(json.load(file), torch)
    except BaseException:
        shared.fail(failure_text())
        shared.answer(0, ANSWER_FAILED)
        return 0
    shared.answer(0, ANSWER_DONE)
    serve(shared, source)
    return 0


def check(path, model):
    """Whether the source parses and defines the class; runs nothing of it."""
    import ast
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        tree = ast.parse(text, path)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        sys.stderr.write("".join(traceback.format_exception_only(problem)))
        return 1
    names = {node.name for node in ast.walk(tree)
             if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    for node in ast.walk(tree):  # `ModelNew = Fast`, `from x import ModelNew`
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name)
    return 0 if model in names else NO_SUCH_CLASS


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "check":
        sys.exit(check(sys.argv[2], sys.argv[3]))
    sys.exit(main() if len(sys.argv) == 1 else BAD_START)
