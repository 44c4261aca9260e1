"""Launches by the driver without a GPU (tests/standin): for trying scripts where there is none."""
import ctypes


class Driver:
    """A context with one stream. Kernels only take time."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.context, self.module, self.stream = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        self.kernels = {}
        self.call("cuInit", 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), 0)
        self.call("cuCtxSetCurrent", self.context)
        self.call("cuModuleLoadData", ctypes.byref(self.module), b"scripted")
        self.call("cuStreamCreate", ctypes.byref(self.stream), 1)

    def call(self, name, *arguments):
        result = getattr(self.cuda, name)(*arguments)
        if result != 0:
            raise RuntimeError(f"{name} failed: {result}")

    def launch(self, microseconds):
        if microseconds not in self.kernels:
            kernel = ctypes.c_void_p()
            self.call("cuModuleGetFunction", ctypes.byref(kernel), self.module, b"sleep_us_%d_k" % microseconds)
            self.kernels[microseconds] = kernel
        self.call("cuLaunchKernel", self.kernels[microseconds], 1, 1, 1, 32, 1, 1, 0, self.stream, None, None)

    def graph(self, kernels, microseconds):
        """A function that launches them all at once."""
        graph, executable = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuStreamBeginCapture_v2", self.stream, 0)
        for _ in range(kernels):
            self.launch(microseconds)
        self.call("cuStreamEndCapture", self.stream, ctypes.byref(graph))
        self.call("cuGraphInstantiateWithFlags", ctypes.byref(executable), graph, ctypes.c_ulonglong(0))
        return lambda: self.call("cuGraphLaunch", executable, self.stream)

    def wait(self):
        self.call("cuStreamSynchronize", self.stream)
