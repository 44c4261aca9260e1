"""Third set: every class that users are told of, in several doses; one phase only; faster runs; two causes."""
import kernel_names as names
import third_names as more
from simulate import Change
from situations import every, gate, in_phase, when
from third_machine import (METERS, MILD, OWN_COPIES, QUIET, SLOW, cores_at, exact, foreign_copies, late_launches,
                           load_of, low_clock, meters, narrow_link, shared_cores, shared_gpu, slow_cores, slow_disk,
                           swapping, throttled_group, usual)
from third_noise import collections, heavy_tail, moods, together, white
from work import Kernel, decode, prefill

DOSES = (1.07, 1.12, 1.25, 1.5, 3.0)
SLOWER, FASTER, SAME = {"felt": "slower"}, {"felt": "faster"}, {"felt": "same"}
NOT_SURE = {"confidence": "medium low"}         # nothing but a fingerprint
PROGRAM = "unknown kernels_changed workload_changed several"    # one family is slower: no resource did that
COPIES = 64 << 20                               # bytes per step: 1.3 ms of a healthy link


def steps_for(dose):
    """Small doses need many steps."""
    return 160 if dose < 1.2 else 80


def add_devices(case):
    engines = iter(("trtllm", "xla_scan", "onnx", "vlm", "marlin", "deepgemm", "spec", "embed", "denoise", "tiny2") * 3)
    for dose in DOSES:
        for noise in (QUIET, MILD):
            engine, n = next(engines), steps_for(dose)
            case(f"clock x{dose}, {engine}", "cause", "gpu_clock", usual(engine, n, noise), low_clock(dose), **SLOWER)
    engines = iter(("chunked_bare", "sgl", "xla", "trtllm_graph", "recommender_steps", "rwkv", "whisper", "tiny3",
                    "trtllm_nvtx", "xla_graph"))
    for dose in DOSES:
        for noise in (QUIET, MILD):
            engine, n = next(engines), steps_for(dose)
            case(f"kernels x{dose}, no meters, {engine}", "cause", "gpu_slower", usual(engine, n, noise, False),
                 {"mod": every(kernels={"all": dose})}, **SLOWER, **NOT_SURE)
    engines = iter(("marlin", "trtllm", "xla_scan", "chunked", "embed", "onnx", "denoise", "spec"))
    for dose in (1.25, 1.5, 3.0):
        for noise in (QUIET, MILD):
            engine = next(engines)
            case(f"another process on the GPU, x{dose}, {engine}", "cause", "gpu_contention", usual(engine, 80, noise),
                 shared_gpu(dose), **SLOWER)
    for dose in (1.05, 1.1):        # too small to be sure who did it: what is said must only not be something else
        engine = next(engines)
        case(f"another process on the GPU, x{dose}, {engine}", "cause", "gpu_contention gpu_slower unknown none",
             usual(engine, 160, QUIET), shared_gpu(dose), felt="slower same unknown")
    case("memory clock to half, kernels x1.8, deepgemm", "cause", "gpu_clock", usual("deepgemm", 80),
         {"counters": meters(gpu_mem_frequency=1310.0), "mod": every(kernels={"all": 1.8})}, **SLOWER)
    case("hot: clock x1.4 with its reason, temperature 88, trtllm", "cause", "gpu_clock", usual("trtllm", 80),
         {"counters": meters(gpu_sm_frequency=1755 / 1.4, gpu_clock_reasons=32.0, gpu_temp=88.0),
          "mod": every(kernels={"all": 1.4})}, **SLOWER)
    case("kernels x1.3, meters say that nobody else is there, tiny2", "cause", "gpu_slower unknown", usual("tiny2", 80),
         {"mod": every(kernels={"all": 1.3})}, **SLOWER, **NOT_SURE)
    for engine, family in (("marlin", "gemm"), ("deepgemm", "quant"), ("rwkv", "scan"), ("recommender_steps", "elem")):
        case(f"one family ({family}) x2.2, {engine}", "cause", PROGRAM, usual(engine, 80),
             {"mod": every(kernels={family: 2.2})}, **SLOWER)


def add_small(case):
    """A step of 1.04 to 1.05: `none` is right as well, another name is not."""
    small = {"felt": "slower same unknown"}
    nothing = usual("", steps=load_of("", 300), noise=QUIET)
    case("clock x1.05, trtllm_nvtx", "cause", "gpu_clock none unknown", {**nothing, "engine": "trtllm_nvtx"},
         low_clock(1.05), **small)
    case("kernels x1.05, no meters, xla_scan", "cause", "gpu_slower none unknown",
         {**nothing, "engine": "xla_scan", "counters": None}, {"mod": every(kernels={"all": 1.05})}, **small)
    case("cores x1.05 slower, marlin", "cause", "cpu_frequency host_slower none unknown",
         {**nothing, "engine": "marlin", "host_us": SLOW}, slow_cores(1.05), **small)
    case("host x1.05, no meters, deepgemm", "cause", "host_slower none unknown",
         {**nothing, "engine": "deepgemm", "host_us": SLOW, "counters": None}, {"mod": every(host=1.05)}, **small)


def add_hosts(case):
    engines = iter(("onnx", "trtllm_nvtx", "xla_scan", "marlin", "deepgemm", "chunked_bare", "spec", "rwkv", "vlm",
                    "sgl"))
    for dose in DOSES:
        for noise in (QUIET, MILD):
            engine, n = next(engines), steps_for(dose)
            case(f"cores x{dose} slower, {engine}", "cause", "cpu_frequency",
                 usual(engine, steps=load_of("", n), noise=noise, host_us=SLOW), slow_cores(dose), **SLOWER)
    engines = iter(("xla", "deepgemm", "onnx", "sgl", "whisper", "marlin"))
    for dose in (1.25, 1.5, 3.0):
        for noise in (QUIET, MILD):
            engine = next(engines)
            case(f"other processes on the cores, x{dose}, {engine}", "cause", "cpu_contention",
                 usual(engine, steps=load_of("", 80), noise=noise, host_us=SLOW), shared_cores(dose), recorded=True,
                 **SLOWER)
    engines = iter(("trtllm", "marlin", "recommender", "denoise", "xla_scan", "onnx", "tiny3"))
    for dose in (*DOSES, 1.2, 2.0):
        engine = next(engines)
        case(f"host x{dose}, no meters, {engine}", "cause", "host_slower",
             usual(engine, steps=load_of("", steps_for(dose)), counters=False, host_us=SLOW), {"mod": every(host=dose)},
             **SLOWER, **NOT_SURE)
    for dose, engine in ((1.3, "marlin"), (1.8, "xla_scan")):
        case(f"quota of the container used up, x{dose}, {engine}", "cause", "cpu_contention",
             usual(engine, steps=load_of("", 160), host_us=SLOW), throttled_group(dose), recorded=True, **SLOWER)
    for dose, engine in ((1.25, "deepgemm"), (1.5, "onnx"), (3.0, "sgl")):
        case(f"swapping x{dose}, {engine}", "cause", "host_memory",
             usual(engine, steps=load_of("", 80), host_us=SLOW), swapping(dose), **SLOWER)
    for pause, engine in ((700, "trtllm_nvtx"), (1500, "marlin"), (4000, "xla_scan")):
        case(f"disk: {pause} us per step, {engine}", "cause", "disk", usual(engine, steps=load_of("", 90)),
             slow_disk(pause, 4500), **SLOWER)


def add_links_and_waits(case):
    for factor, engine in ((2, "trtllm"), (4, "marlin")):
        case(f"link has {16 // factor} lanes, {engine}", "cause", "pcie",
             usual(engine, 80, step_copy=COPIES) | {"counters": meters(gpu_pcie_receive=OWN_COPIES)},
             narrow_link(factor), **SLOWER)
    for factor, engine in ((1.5, "onnx"), (2.5, "deepgemm")):
        case(f"others copy over the link, copies x{factor}, {engine}", "cause", "pcie",
             usual(engine, 80, step_copy=COPIES) | {"counters": meters(gpu_pcie_receive=OWN_COPIES)},
             foreign_copies(factor), **SLOWER)
    for factor, engine in ((1.6, "embed"), (1.8, "xla_scan"), (3.0, "recommender_steps")):
        case(f"copies x{factor}, no meters, {engine}", "cause", "pcie",
             usual(engine, 100, counters=False, step_copy=COPIES), {"mod": every(copy=factor)}, **SLOWER, **NOT_SURE)
    for dose, engine in ((1.12, "deepgemm"), (1.25, "trtllm_nvtx"), (1.5, "xla_scan"), (3.0, "marlin")):
        case(f"one wait more per step, x{dose}, {engine}", "cause", "sync_added",
             usual(engine, steps=load_of("", steps_for(dose))), {"mod": every(waits=1, wait_us=4500 * (dose - 1))},
             **SLOWER)
    case("twelve waits per step that empty the queue, onnx", "cause", "sync_added",
         usual("onnx", steps=load_of("", 80), host_us=90.0), {"mod": every(waits=12, wait_us=40)}, **SLOWER)


def add_programs(case):
    for engine, old, new, factor, title in (
            ("trtllm", more.TRT_MMHA, more.TRT_XQA, 6.0, "masked attention for XQA"),
            ("marlin", more.MARLIN, more.MACHETE, 1.3, "Marlin for Machete"),
            ("rwkv", more.RECURRENT, "fused_recurrent_rwkv7_fwd_kernel", 2.5, "recurrent kernel"),
            ("vlm", names.FLASH_HOPPER, names.FLASH_PACKED, 5.0, "FlashAttention 3 for 2"),
            ("trtllm_graph", more.TRT_GEMM % 32, more.TRT_GEMM_OTHER, 1.5, "product in a graph")):
        case(f"{title}, x{factor}, {engine}", "cause", "kernels_changed", usual(engine, 80), {"mod": every(
            rename={old: new}, each_kernel=lambda kernel, new=new, factor=factor: factor if kernel.name == new else 1)},
            **SLOWER)
    case("Machete for Marlin, x0.6", "faster", "kernels_changed", usual("marlin", 80), {"mod": every(
        rename={more.MARLIN: more.MACHETE}, each_kernel=lambda kernel: 0.6 if kernel.name == more.MACHETE else 1)},
        **FASTER)
    extra = (Kernel("elem", "triton_poi_fused_clone_9", 90.0, (), (512, 1, 1), "cuLaunchKernel"),) * 8
    case("eight copies of activations more per step, deepgemm", "cause", "kernels_changed", usual("deepgemm", 80),
         {"mod": every(add=extra)}, **SLOWER)
    case("drafts switched off: the small model is gone", "faster", "kernels_changed workload_changed several",
         usual("spec", 80, steps=[decode(24)] * 80), {"engine": "vlm"}, felt="faster")
    case("4-bit weights instead of 16 bits", "faster", "kernels_changed", usual("vlm", steps=[decode(32)] * 80),
         {"engine": "marlin"}, **FASTER)


def add_phases(case):
    for engine, dose in (("vlm", 1.12), ("sgl", 1.25), ("vlm", 1.5), ("sgl", 3.0)):
        case(f"prefill x{dose} alone, {engine}", "phase", "gpu_slower unknown", usual(engine, 200, QUIET, False),
             {"mod": in_phase("prefill", kernels={"all": dose})}, gate(), exit="1", phase="prefill", **SLOWER)
        case(f"decode x{dose} alone, {engine}", "phase", "gpu_slower unknown", usual(engine, 120, QUIET, False),
             {"mod": in_phase("decode", kernels={"all": dose})}, phase="decode", **SLOWER)
    case("prefill x1.5 alone, trtllm", "phase", "gpu_slower unknown", usual("trtllm", 120, counters=False),
         {"mod": in_phase("prefill", kernels={"all": 1.5})}, phase="prefill mixed unknown None", **SLOWER)
    case("the picture encoder x8, the language model equal", "phase", PROGRAM, usual("vlm", 160), {"mod": in_phase(
        "prefill", each_kernel=lambda kernel: 8 if kernel.name in (names.FMHA, more.PATCHES) else 1)}, phase="prefill",
        **SLOWER)
    case("the sound encoder x2, decode equal", "phase", "gpu_slower unknown several kernels_changed",
         usual("whisper", 200), {"mod": in_phase("prefill", kernels={"all": 2.0})}, phase="prefill unknown None",
         **SLOWER)
    case("steps with chunks x1.4, decode equal", "phase", "gpu_slower unknown", usual("chunked", 160),
         {"mod": in_phase("mixed", kernels={"all": 1.4})}, phase="mixed prefill", **SLOWER)
    clock = {"counters": meters(gpu_sm_frequency=1755 / 1.3, gpu_clock_reasons=4.0)}
    case("clock x1.3: prefill follows, decode reads memory", "phase", "gpu_clock", usual("sgl", 200, QUIET), {**clock,
         "mod": lambda index, step, rank: Change(kernels={"all": 1.3 if step.phase == "prefill" else 1.02})},
         phase="prefill", **SLOWER)
    case("cores x2: decode waits for the host, prefill does not", "phase", "cpu_frequency",
         usual("sgl", 160, host_us=SLOW), slow_cores(2.0), phase="decode", **SLOWER)
    case("another process on the GPU x1.6, both phases", "phase", "gpu_contention", usual("vlm", 120), shared_gpu(1.6),
         **SLOWER)
    case("--phase decode, prefill x2", "phase", "none", usual("sgl", 160, QUIET),
         {"mod": in_phase("prefill", kernels={"all": 2.0})}, ("--phase", "decode"), in_phase="decode", **SAME)
    split = {"prefill": {"engine": "sgl", "steps": [prefill(1024, 1)] * 40},
             "decode": {"engine": "sgl", "steps": [decode(48, 900)] * 140}}
    apart = usual("sgl", 10, QUIET, False, roles=split)
    slow = every(kernels={"all": 1.6})
    case("prefill and decode servers, nothing changed", "phase", "none unknown", apart, {}, felt="same unknown")
    for role in split:
        case(f"prefill and decode servers: {role} x1.6", "phase", "gpu_slower straggler unknown", apart,
             {"roles": {**split, role: {**split[role], "mod": slow}}}, phase=f"{role} unknown None", **SLOWER)


def add_faster(case):
    for dose, engine in ((1.12, "trtllm"), (1.5, "xla_scan"), (3.0, "embed")):
        case(f"clock is back, x{dose}, {engine}", "faster", "gpu_clock",
             {**usual(engine, steps_for(dose)), **low_clock(dose)}, {"counters": METERS, "mod": None}, **FASTER)
    case("the other process left the GPU, onnx", "faster", "gpu_contention", {**usual("onnx", 80), **shared_gpu(1.6)},
         {"counters": METERS, "mod": None}, **FASTER)
    case("the cores are back, sgl", "faster", "cpu_frequency", {
        **usual("sgl", steps=load_of("", 80), host_us=SLOW), **slow_cores(1.5)}, {"counters": METERS, "mod": None},
        **FASTER)
    case("the other processes left the cores, marlin", "faster", "cpu_contention", {
        **usual("marlin", steps=load_of("", 80), host_us=SLOW), **shared_cores(1.7)}, {"counters": METERS, "mod": None},
        recorded=True, **FASTER)
    case("all kernels x0.8, no meters, rwkv", "faster", "gpu_slower unknown", usual("rwkv", 80, counters=False),
         {"mod": every(kernels={"all": 0.8})}, gate(), exit="0", **FASTER)
    case("a wait less per step, deepgemm", "faster", "sync_added", {
        **usual("deepgemm", 80), "mod": every(waits=1, wait_us=1800)}, {"mod": None}, **FASTER)


def add_several(case):
    """A large and a small one: the large one, or both together."""
    clock = low_clock(1.5)
    half_link = {("pcie_link_width", "GPU 0"): exact("pcie_link_width", 8.0)}
    case("clock x1.5 and a wait of 250 us", "several", "gpu_clock several", usual("trtllm", 80), {
        **clock, "mod": every(kernels={"all": 1.5}, waits=1, wait_us=250)}, **SLOWER)
    case("clock x1.4, the host x1.5 beside it", "several", "gpu_clock several", usual("xla_scan", 80), {
        "counters": cores_at(3400 / 1.5, gpu_sm_frequency=1755 / 1.4), "mod": every(kernels={"all": 1.4}, host=1.5)},
        **SLOWER)
    case("cores x2, batch 32 to 35", "several", "cpu_frequency several",
         usual("marlin", steps=[decode(32)] * 80, host_us=SLOW), {**slow_cores(2.0), "steps": [decode(35)] * 80},
         **SLOWER)
    case("another process x1.8, links at half", "several", "gpu_contention several",
         usual("deepgemm", 80, step_copy=16 << 20),
         {"counters": {**shared_gpu(1.8)["counters"], **half_link},
          "mod": every(kernels={"all": 1.8}, copy=2.0)}, **SLOWER)
    case("attention replaced x5, clock x1.03", "several", "kernels_changed several", usual("vlm", steps=[
        decode(40, 900)] * 80), {"counters": meters(gpu_sm_frequency=1704.0), "mod": every(
            rename={names.FLASH_HOPPER: names.FLASH_PACKED}, kernels={"all": 1.03}, each_kernel=lambda kernel: (
                5 if kernel.name == names.FLASH_PACKED else 1))}, **SLOWER)
    case("disk 2 ms per step and clock x1.1", "several", "disk several", usual("marlin", 90), {
        "counters": {**slow_disk(2000, 4500)["counters"], ("gpu_sm_frequency", "GPU 0"): 1755 / 1.1},
        "mod": every(kernels={"all": 1.1}, pause=2000)}, **SLOWER)
    case("batch 24 to 40 and kernels x1.3", "several", "workload_changed gpu_slower several unknown",
         usual("chunked", steps=[decode(24)] * 80, counters=False),
         {"steps": [decode(40)] * 80, "mod": every(kernels={"all": 1.3})}, **SLOWER)
    case("swapping x1.6 while others use the cores a little", "several", "host_memory several", usual(
        "onnx", steps=load_of("", 80), host_us=SLOW), {
            "counters": {**swapping(1.6)["counters"], ("host_cpu_usage", "Host"): 38.0,
                         ("host_cpu_foreign", "Host"): 27.0},
            "mod": every(host=1.6)}, **SLOWER)
    case("faster kernels hide slow cores: x0.7 and x1.15", "several", "gpu_slower unknown several", usual("sgl", 80),
         {"counters": cores_at(3400 / 1.15), "mod": every(kernels={"all": 0.7}, host=1.15)}, **FASTER)
    case("other processes x1.6 on cores, clock x1.15 hidden", "several", "cpu_contention several", usual(
        "deepgemm", steps=load_of("", 80), host_us=SLOW), {
            "counters": {**shared_cores(1.6)["counters"], ("gpu_sm_frequency", "GPU 0"): 1755 / 1.15},
            "mod": every(host=1.6 / 1.06, each_launch=late_launches, kernels={"all": 1.15})}, recorded=True, **SLOWER)
    case("some steps stall 20 ms, clock x1.2", "several", "gpu_clock several",
         usual("trtllm_nvtx", steps=load_of("", 120)), {"counters": meters(gpu_sm_frequency=1755 / 1.2),
         "mod": lambda index, step, rank: Change(
             kernels={"all": 1.2}, pause=20000 if index % 30 == 11 else 0)}, felt="slower", recorded=True)


def add_real_noise(case):
    """Large changes in recordings of moody machines: no answer is honest, a wrong one is not."""
    strong = together(moods(300, 0.04), heavy_tail())
    for dose, engine in ((1.5, "marlin"), (3.0, "trtllm"), (1.5, "xla_scan"), (2.0, "tiny2")):
        case(f"clock x{dose}, strong moods and tails, {engine}", "noisy", "gpu_clock unknown",
             usual(engine, 200, strong), low_clock(dose), recorded=True, felt="slower unknown")
    for dose, engine in ((1.5, "deepgemm"), (2.0, "onnx")):
        case(f"cores x{dose}, strong moods and tails, {engine}", "noisy", "cpu_frequency unknown", usual(
            engine, steps=load_of("", 200), noise=strong, host_us=SLOW), slow_cores(dose), recorded=True,
            felt="slower unknown")
    case("clock x1.25, garbage collection every 40 steps", "noisy", "gpu_clock", usual(
        "chunked_bare", 200, together(collections(), white(0.01))), low_clock(1.25), recorded=True, **SLOWER)
    case("clock x1.25, 40 and 260 steps", "noisy", "gpu_clock", usual("deepgemm", 40), {
        **low_clock(1.25), "steps": load_of("deepgemm", 260)}, **SLOWER)
    case("kernels x1.5 after 100 of 160 steps", "noisy", "gpu_slower unknown several", usual(
        "trtllm_nvtx", steps=load_of("", 160), counters=False), {"mod": when(lambda i: i >= 100,
        kernels={"all": 1.5})}, shape="jump",
        felt="slower unknown", recorded=True)
    case("garbage collection only in the second run", "noisy", "unknown host_slower several",
         usual("marlin", 200, QUIET), {"mod": when(lambda i: i % 25 == 7, pause=9000)}, shape="some",
         felt="slower same unknown", recorded=True)
    case("kernels drift to x1.35", "noisy", "gpu_slower unknown several", usual(
        "sgl", steps=load_of("", 160), counters=False), {"mod": lambda index, step,
        rank: Change(kernels={"all": 1 + 0.35 * index / 159})}, shape="drift",
         felt="slower unknown", recorded=True)


def add_causes(case):
    for add in (add_devices, add_small, add_hosts, add_links_and_waits, add_programs, add_phases, add_faster,
                add_several, add_real_noise):
        add(case)
