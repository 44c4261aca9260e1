"""Calls functions of a Python file as kernels; runs inside the worker of `tactus bench`.

The program has set PATH_OF_CANDIDATE, OPERATOR, ON_CUDA, and ADDRESS_OF_SLOTS: where the function to
call is expected (8 bytes), and behind it room for a message (4096 bytes).
"""
import ctypes
import importlib.util
import inspect
import os
import sys
import traceback

MESSAGE_BYTES = 4096
UNSUPPORTED = -1
FAILED = -2


class Tensor(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("data", ctypes.c_void_p), ("dtype", ctypes.c_int32),
                ("rank", ctypes.c_int32), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64))]


class Parameter(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_double)]


class Call(ctypes.Structure):
    _fields_ = [("abi_version", ctypes.c_uint32), ("size", ctypes.c_uint32),
                ("operator_name", ctypes.c_char_p), ("inputs", ctypes.POINTER(Tensor)),
                ("input_count", ctypes.c_int32), ("outputs", ctypes.POINTER(Tensor)),
                ("output_count", ctypes.c_int32), ("parameters", ctypes.POINTER(Parameter)),
                ("parameter_count", ctypes.c_int32), ("stream", ctypes.c_void_p),
                ("workspace", ctypes.c_void_p), ("workspace_bytes", ctypes.c_size_t),
                ("threads", ctypes.c_int32), ("device", ctypes.c_int32)]


def say(text):
    """The message that the row shows."""
    raw = text.encode("utf-8", "replace")[:MESSAGE_BYTES - 1] + b"\0"
    ctypes.memmove(ADDRESS_OF_SLOTS + 8, raw, len(raw))


def where(error):
    """The last line of the candidate's file that an error went through."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if os.path.basename(frame.filename) == os.path.basename(PATH_OF_CANDIDATE):
            return f" ({os.path.basename(frame.filename)}:{frame.lineno})"
    return ""


def words(error):
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}{where(error)}"


class OnDevice:
    """Memory of a GPU, as torch takes it over without a copy."""

    def __init__(self, address, size):
        self.__cuda_array_interface__ = {"shape": (size,), "typestr": "|u1", "data": (address, False),
                                         "version": 3, "strides": None}


class Kernel:
    def __init__(self, function):
        import torch
        self.torch = torch
        self.function = function
        signature = inspect.signature(function)
        kinds = [p.kind for p in signature.parameters.values()]
        self.takes_all = inspect.Parameter.VAR_KEYWORD in kinds
        self.names = set(signature.parameters)
        named_kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        self.required = [p.name for p in signature.parameters.values()
                         if p.kind in named_kinds and p.default is inspect.Parameter.empty]
        self.known = {}
        self.types = {1: torch.float64, 2: torch.float32, 3: torch.bfloat16, 4: torch.float16,
                      5: getattr(torch, "float8_e4m3fn", None),
                      6: getattr(torch, "float8_e4m3fnuz", None), 7: torch.int64, 8: torch.int32}
        self.streams = {}
        self.threads = 0

    def tensor(self, given, device):
        torch = self.torch
        kind = self.types[given.dtype]
        if kind is None:
            raise NotImplementedError("this torch has no such type")
        shape = [given.shape[i] for i in range(given.rank)]
        count = 1
        for size in shape:
            count *= size
        size = count * torch.empty(0, dtype=kind).element_size()
        if size == 0:
            return torch.empty(shape, dtype=kind, device=f"cuda:{device}" if ON_CUDA else "cpu")
        if ON_CUDA:
            flat = torch.as_tensor(OnDevice(given.data, size), device=f"cuda:{device}")
        else:
            flat = torch.frombuffer((ctypes.c_uint8 * size).from_address(given.data),
                                    dtype=torch.uint8)
        return flat.view(kind).view(shape)

    def arguments(self, call):
        """Tensors and parameters by name; tensors at the same place are made once."""
        place = call.outputs[0].data if call.output_count else 0
        if place in self.known:
            return self.known[place]
        given, outputs = {}, {}
        for i in range(call.input_count):
            given[call.inputs[i].name.decode()] = self.tensor(call.inputs[i], call.device)
        for i in range(call.output_count):
            name = call.outputs[i].name.decode()
            name = name + "_out" if name in given else name
            outputs[name] = self.tensor(call.outputs[i], call.device)
        for i in range(call.parameter_count):
            value = call.parameters[i].value
            given[call.parameters[i].name.decode()] = int(value) if value.is_integer() else value
        named = dict(given, **outputs)
        unknown = [name for name in self.required if name not in named]
        if unknown:
            raise TypeError(f"there is no tensor or parameter {unknown[0]}; there are "
                            f"{', '.join(named)}")
        if not self.takes_all:
            named = {name: value for name, value in named.items() if name in self.names}
        self.known[place] = (named, outputs)
        return self.known[place]

    def run(self, call):
        named, outputs = self.arguments(call)
        torch = self.torch
        with torch.inference_mode():
            if not ON_CUDA:
                if self.threads != call.threads:
                    self.threads = call.threads
                    torch.set_num_threads(max(1, call.threads))
                return self.finish(self.function(**named), outputs)
            stream = self.streams.get(call.stream)
            if stream is None:
                stream = torch.cuda.ExternalStream(call.stream, device=f"cuda:{call.device}")
                self.streams[call.stream] = stream
            with torch.cuda.stream(stream):
                return self.finish(self.function(**named), outputs)

    def finish(self, result, outputs):
        """A function may fill its outputs, or return them; then they are copied."""
        if result is None:
            return 0
        results = result if isinstance(result, (tuple, list)) else [result]
        for target, value in zip(outputs.values(), results):
            if value is not target:
                target.copy_(value)
        return 0


def load():
    spec = importlib.util.spec_from_file_location("candidate", PATH_OF_CANDIDATE)
    module = importlib.util.module_from_spec(spec)
    sys.modules["candidate"] = module
    sys.path.insert(0, os.path.dirname(os.path.abspath(PATH_OF_CANDIDATE)))
    spec.loader.exec_module(module)
    function = getattr(module, OPERATOR, None)
    return Kernel(function) if callable(function) else None


def start():
    try:
        kernel = load()
    except BaseException as error:  # whatever the file does
        say(words(error))
        return None
    if kernel is None:
        say("")
        return None

    def run(address):
        try:
            return kernel.run(Call.from_address(address))
        except NotImplementedError:
            return UNSUPPORTED
        except BaseException as error:
            say(words(error))
            return FAILED

    callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(run)
    pointer = ctypes.cast(callback, ctypes.c_void_p).value
    ctypes.memmove(ADDRESS_OF_SLOTS, ctypes.byref(ctypes.c_void_p(pointer)), 8)
    return callback  # it must live


KEPT = start()
