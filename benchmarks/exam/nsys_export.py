"""Writes simulated events as `nsys export --type sqlite` does: kernels, copies, calls and ranges, without shapes."""
import os
import sqlite3

TABLES = {
    "StringIds": "id INTEGER PRIMARY KEY, value TEXT",
    "CUPTI_ACTIVITY_KIND_KERNEL": (
        "start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, "
        "globalPid INTEGER, demangledName INTEGER, shortName INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, "
        "blockX INTEGER, blockY INTEGER, blockZ INTEGER"),
    "CUPTI_ACTIVITY_KIND_MEMCPY": (
        "start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, "
        "globalPid INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER"),
    "CUPTI_ACTIVITY_KIND_RUNTIME": (
        "start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER, "
        "returnValue INTEGER, callchainId INTEGER"),
    "NVTX_EVENTS": "start INTEGER, end INTEGER, eventType INTEGER, textId INTEGER, text TEXT, globalTid INTEGER",
    "TARGET_INFO_SESSION_START_TIME": "utcEpochNs INTEGER, utcTime TEXT, localTime TEXT",
    "TARGET_INFO_GPU": "vmId INTEGER, id INTEGER, name TEXT, busLocation TEXT, smCount INTEGER"}
RUNTIME_CALL, PUSH_POP_RANGE, PINNED, PAGEABLE, DEVICE = 0, 59, 1, 0, 2     # numbers of the export


class Strings:
    def __init__(self):
        self.ids = {}

    def __getitem__(self, text):
        return self.ids.setdefault(text, len(self.ids) + 1)


def write_export(path, events, origin_ns, shift_us=0.0):
    if os.path.exists(path):
        os.remove(path)
    rows, strings = {table: [] for table in TABLES}, Strings()
    for event in sorted(events, key=lambda found: found["ts"]):
        start = round((event["ts"] + shift_us) * 1000)
        end, args = start + round(event["dur"] * 1000), event["args"]
        process = event["pid"] << 24
        device = (start, end, 0, 1, event["tid"], args.get("correlation"), 4000 << 24)
        if event["cat"] == "kernel":
            name = strings[event["name"]]
            rows["CUPTI_ACTIVITY_KIND_KERNEL"].append((*device, name, name, *args["grid"], *args["block"]))
        elif event["cat"] == "gpu_memcpy":
            to_device = "HtoD" in event["name"]
            kinds = (1, PINNED, DEVICE) if to_device else (2, DEVICE, PAGEABLE)
            rows["CUPTI_ACTIVITY_KIND_MEMCPY"].append((*device, args["bytes"], *kinds))
        elif event["cat"] in ("cuda_runtime", "cuda_driver"):
            rows["CUPTI_ACTIVITY_KIND_RUNTIME"].append(
                (start, end, RUNTIME_CALL, process | event["tid"], args["correlation"],
                 strings[f"{event['name']}_v7000"], 0, None))
        elif event["cat"] == "user_annotation":
            rows["NVTX_EVENTS"].append((start, end, PUSH_POP_RANGE, None, event["name"], process | event["tid"]))
    rows["StringIds"] = [(number, text) for text, number in strings.ids.items()]
    rows["TARGET_INFO_SESSION_START_TIME"] = [(origin_ns, "", "")]
    rows["TARGET_INFO_GPU"] = [(0, 0, "NVIDIA H100 80GB HBM3", "0000:18:00.0", 132)]
    with sqlite3.connect(path) as database:
        for table, columns in TABLES.items():
            database.execute(f"CREATE TABLE {table}({columns})")
            marks = ",".join("?" * (columns.count(",") + 1))
            database.executemany(f"INSERT INTO {table} VALUES({marks})", rows[table])
    database.close()
