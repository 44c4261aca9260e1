#include "sources/nsys/database_fixture.h"

namespace tactus::nsys {
namespace {

std::string global(std::int64_t pid, std::int64_t tid) {
  return TestDatabase::global(pid, tid);
}

TEST(NsysDatabase, puts_a_kernel_on_the_stream_of_its_device) {
  TestDatabase database;
  database.texts({"void gemm<float>(int)", "gemm", "_Z4gemmIfEvi"});
  database.kernels();
  database.insert("CUPTI_ACTIVITY_KIND_KERNEL",
                  "start, end, deviceId, contextId, streamId, correlationId, globalPid,"
                  "demangledName, shortName, mangledName, launchType, registersPerThread, gridX,"
                  "gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory, dynamicSharedMemory,"
                  "gridId, graphNodeId, graphId",
                  "1000, 1500, 2, 1, 7, 42," + global(4711, 0) +
                      ", 1, 2, 3, 1, 32, 4, 1, 1, 256, 2, 1, 100, 28, 9, 0, NULL");
  const tactus::Run run = import(database.path());
  ASSERT_EQ(run.slices.size(), 1U);
  const EventTable& slices = run.slices;
  EXPECT_EQ(name(run, slices, 0), "void gemm<float>(int)");
  EXPECT_EQ(category(run, slices, 0), "kernel");
  EXPECT_EQ(slices.dur()[0], 500);

  EXPECT_EQ(process(run, slices, 0).pid, (Ident{2, false}));
  EXPECT_EQ(text(run, process(run, slices, 0).labels.value), "GPU 2");
  EXPECT_EQ(thread(run, slices, 0).tid, (Ident{7, false}));
  EXPECT_TRUE(track(run, slices, 0).on_device);
  EXPECT_EQ(track(run, slices, 0).device_index, 2);
  EXPECT_EQ(track(run, slices, 0).stream, 7);

  EXPECT_EQ(arg(run, slices, 0, "device"), "2");
  EXPECT_EQ(arg(run, slices, 0, "context"), "1");
  EXPECT_EQ(arg(run, slices, 0, "stream"), "7");
  EXPECT_EQ(arg(run, slices, 0, "correlation"), "42");
  EXPECT_EQ(arg(run, slices, 0, "registers per thread"), "32");
  EXPECT_EQ(arg(run, slices, 0, "shared memory"), "128");
  EXPECT_EQ(arg(run, slices, 0, "grid"), "[4,1,1]");
  EXPECT_EQ(arg(run, slices, 0, "block"), "[256,2,1]");
  EXPECT_EQ(run.arg(slices, 0, "grid")->type, ValueType::kJson);
  EXPECT_EQ(arg(run, slices, 0, "mangled"), "_Z4gemmIfEvi");
  EXPECT_EQ(arg(run, slices, 0, "launchType"), "1");
  EXPECT_EQ(arg(run, slices, 0, "gridId"), "9");
  EXPECT_EQ(arg(run, slices, 0, "graph node id"), "-");
  EXPECT_EQ(arg(run, slices, 0, "graph id"), "-");
  EXPECT_TRUE(run.dropped.empty());
  EXPECT_TRUE(run.repaired.empty());
}

TEST(NsysDatabase, links_a_kernel_to_the_call_that_launched_it) {
  TestDatabase database;
  database.texts({"kernel", "cudaLaunchKernel_v7000"});
  database.kernels();
  database.calls();
  database.add_kernel(300, 400, 8);
  database.add_kernel(100, 200, 7);
  for (const std::string start : {"10, 20", "30, 40"}) {
    const std::string correlation = start == "10, 20" ? "7" : "8";
    database.insert("CUPTI_ACTIVITY_KIND_RUNTIME",
                    "start, end, eventClass, globalTid, correlationId, nameId",
                    start + ", 0," + global(4711, 4712) + "," + correlation + ", 2");
  }
  const tactus::Run run = import(database.path());
  ASSERT_EQ(run.slices.size(), 4U);  // kernels sorted by start, then calls
  ASSERT_EQ(run.links.rows, 2U);
  for (const std::size_t kernel : {0UL, 1UL}) {
    EXPECT_EQ(run.links.kind()[kernel], static_cast<std::int64_t>(LinkKind::kLaunch));
    EXPECT_EQ(run.links.to()[kernel], static_cast<std::int64_t>(kernel));
    EXPECT_EQ(run.links.from()[kernel], static_cast<std::int64_t>(kernel) + 2);
  }
}

TEST(NsysDatabase, keeps_the_graph_that_a_kernel_belongs_to) {
  TestDatabase database;
  database.texts({"kernel"});
  database.kernels();
  database.insert("CUPTI_ACTIVITY_KIND_KERNEL",
                  "start, end, deviceId, streamId, demangledName, graphNodeId, graphId",
                  "1, 2, 0, 7, 1, 12884901889, 5");
  const tactus::Run run = import(database.path());
  ASSERT_EQ(run.slices.size(), 1U);
  EXPECT_EQ(arg(run, run.slices, 0, "graph node id"), "12884901889");
  EXPECT_EQ(arg(run, run.slices, 0, "graph id"), "5");
}

TEST(NsysDatabase, falls_back_to_the_short_name_of_a_kernel) {
  TestDatabase database;
  database.texts({"gemm"});
  database.kernels();
  database.insert("CUPTI_ACTIVITY_KIND_KERNEL", "start, end, demangledName, shortName",
                  "1, 2, NULL, 1");
  database.insert("CUPTI_ACTIVITY_KIND_KERNEL", "start, end, demangledName, shortName",
                  "3, 4, 99, NULL");
  const tactus::Run run = import(database.path());
  ASSERT_EQ(run.slices.size(), 2U);
  EXPECT_EQ(name(run, run.slices, 0), "gemm");
  EXPECT_EQ(name(run, run.slices, 1), "unknown kernel");
  EXPECT_EQ(run.repaired, (Tally{{"missing_name", 1}}));
}

void add_copies(TestDatabase& database) {
  database.run(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER,"
      " contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,"
      " bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES"
      " (10, 20, 0, 1, 7, 5, 79037464576, 4096, 1, 1, 2),"
      " (30, 40, 0, 1, 7, 6, 79037464576, 64, 2, 2, 0),"
      " (50, 60, 0, 1, 7, 7, 79037464576, 64, 12, NULL, NULL)");
}

TEST(NsysDatabase, names_copies_as_kineto_does) {
  TestDatabase database;
  add_copies(database);
  const tactus::Run run = import(database.path());
  ASSERT_EQ(run.slices.size(), 3U);
  EXPECT_EQ(name(run, run.slices, 0), "Memcpy HtoD (Pinned -> Device)");
  EXPECT_EQ(name(run, run.slices, 1), "Memcpy DtoH (Device -> Pageable)");
  EXPECT_EQ(name(run, run.slices, 2), "Memcpy Unified DtoH (Unknown -> Unknown)");
  EXPECT_EQ(category(run, run.slices, 0), "gpu_memcpy");
  EXPECT_EQ(arg(run, run.slices, 0, "bytes"), "4096");
  EXPECT_EQ(arg(run, run.slices, 0, "correlation"), "5");
}

TEST(NsysDatabase, names_copies_with_the_labels_of_the_database) {
  TestDatabase database;
  add_copies(database);
  // As if a later version had changed the numbers.
  database.run(
      "CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id INTEGER, name TEXT, label TEXT);"
      "INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES (1, 'X', 'Peer-to-Peer'),"
      " (12, 'Y', 'Unified Host-to-Device');"
      "CREATE TABLE ENUM_CUDA_MEM_KIND (id INTEGER, name TEXT, label TEXT);"
      "INSERT INTO ENUM_CUDA_MEM_KIND VALUES (1, 'X', 'Managed'), (2, 'Y', 'Device')");
  const tactus::Run run = import(database.path());
  ASSERT_EQ(run.slices.size(), 3U);
  EXPECT_EQ(name(run, run.slices, 0), "Memcpy PtoP (Managed -> Device)");
  EXPECT_EQ(name(run, run.slices, 1), "Memcpy DtoH (Device -> Pageable)");
  EXPECT_EQ(name(run, run.slices, 2), "Memcpy Unified HtoD (Unknown -> Unknown)");
}

TEST(NsysDatabase, reads_memsets) {
  TestDatabase database;
  database.run(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, deviceId INTEGER,"
      " contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,"
      " value INTEGER, bytes INTEGER, memKind INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (1, 2, 0, 1, 7, 5, 0, 255, 4096, 2)");
  const tactus::Run run = import(database.path());
  ASSERT_EQ(run.slices.size(), 1U);
  EXPECT_EQ(name(run, run.slices, 0), "Memset (Device)");
  EXPECT_EQ(category(run, run.slices, 0), "gpu_memset");
  EXPECT_EQ(arg(run, run.slices, 0, "bytes"), "4096");
  EXPECT_EQ(arg(run, run.slices, 0, "value"), "255");
}

TEST(NsysDatabase, puts_synchronisation_without_a_stream_on_a_track_of_its_own) {
  TestDatabase database;
  database.run(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER,"
      " deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER,"
      " globalPid INTEGER, syncType INTEGER, eventId INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES"
      " (1, 2, 0, 1, 4294967295, 5, 0, 4, 4294967295), (3, 4, 0, 1, 7, 6, 0, 3, 4294967295),"
      " (5, 6, 0, 1, 7, 7, 0, 2, 12), (7, 8, 0, 1, 4294967295, 8, 0, 1, 13)");
  const tactus::Run run = import(database.path());
  ASSERT_EQ(run.slices.size(), 4U);
  EXPECT_EQ(name(run, run.slices, 0), "Context Sync");
  EXPECT_EQ(name(run, run.slices, 1), "Stream Sync");
  EXPECT_EQ(name(run, run.slices, 2), "Stream Wait Event");
  EXPECT_EQ(name(run, run.slices, 3), "Event Sync");
  EXPECT_EQ(category(run, run.slices, 0), "cuda_sync");
  EXPECT_TRUE(thread(run, run.slices, 0).tid.is_text);
  EXPECT_EQ(text(run, thread(run, run.slices, 0).tid.value), "no stream");
  EXPECT_EQ(arg(run, run.slices, 0, "stream"), "-");
  EXPECT_FALSE(track(run, run.slices, 0).stream);
  EXPECT_TRUE(track(run, run.slices, 0).on_device);
  EXPECT_EQ(arg(run, run.slices, 1, "stream"), "7");
  EXPECT_EQ(arg(run, run.slices, 2, "eventId"), "12");
}

TEST(NsysDatabase, says_when_kernels_of_graphs_were_not_recorded) {
  TestDatabase database;
  database.run(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER,"
      " deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER,"
      " globalPid INTEGER, graphId INTEGER, graphExecId INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (1, 9, 0, 1, 7, 5, 0, 3, 4)");
  const tactus::Run run = import(database.path());
  ASSERT_EQ(run.slices.size(), 1U);
  EXPECT_EQ(name(run, run.slices, 0), "CUDA graph 3");
  EXPECT_EQ(category(run, run.slices, 0), "cuda_graph");
  EXPECT_TRUE(track(run, run.slices, 0).on_device);
  ASSERT_EQ(run.warnings.size(), 1U);
  EXPECT_NE(run.warnings[0].find("--cuda-graph-trace=node"), std::string::npos);
}

TEST(NsysDatabase, keeps_the_device_work_of_several_processes_apart) {
  TestDatabase database;
  database.texts({"kernel", "cudaLaunchKernel_v7000"});
  database.kernels();
  database.calls();
  // Both processes count their correlation ids from 1, and both launch at about the same time.
  for (const std::int64_t pid : {4711, 4800}) {
    const std::string offset = pid == 4711 ? "0" : "1";
    database.insert("CUPTI_ACTIVITY_KIND_KERNEL",
                    "start, end, deviceId, streamId, correlationId, globalPid, demangledName",
                    "100 + " + offset + ", 200, 0, 7, 1," + global(pid, 0) + ", 1");
    database.insert("CUPTI_ACTIVITY_KIND_RUNTIME",
                    "start, end, eventClass, globalTid, correlationId, nameId",
                    "10 + " + offset + ", 50, 0," + global(pid, pid) + ", 1, 2");
  }
  const tactus::Run run = import(database.path());
  ASSERT_EQ(run.slices.size(), 4U);
  EXPECT_EQ(text(run, process(run, run.slices, 0).pid.value), "GPU 0 (4711)");
  EXPECT_EQ(text(run, process(run, run.slices, 1).pid.value), "GPU 0 (4800)");
  EXPECT_EQ(track(run, run.slices, 1).device_index, 0);
  ASSERT_EQ(run.links.rows, 2U);
  for (const std::size_t link : {0UL, 1UL}) {
    EXPECT_EQ(run.links.from()[link], run.links.to()[link] + 2) << "launched by the other process";
  }
}

TEST(NsysDatabase, gives_devices_the_number_that_events_call_them_by) {
  TestDatabase database;
  database.run(
      "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, totalMemory INTEGER,"
      " smCount INTEGER, cuDevice INTEGER, computeMajor INTEGER, computeMinor INTEGER);"
      "INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H200', 150, 132, 1, 9, 0),"
      " (1, 'NVIDIA A100', 80, 108, 0, 8, NULL)");
  database.texts({});
  const tactus::Run run = import(database.path());
  ASSERT_EQ(run.devices.size(), 2U);
  EXPECT_EQ(run.devices[0].index, 0);
  EXPECT_EQ(text(run, run.devices[0].name.value), "NVIDIA A100");
  EXPECT_EQ(text(run, run.devices[1].name.value), "NVIDIA H200");
  ASSERT_EQ(run.sources[0].metadata.size(), 1U);
  EXPECT_EQ(text(run, run.sources[0].metadata[0].key.value), "deviceProperties");
  EXPECT_EQ(text(run, run.sources[0].metadata[0].json.value),
            R"([{"id":0,"name":"NVIDIA A100","totalGlobalMem":80,"computeMajor":8,"numSms":108},)"
            R"({"id":1,"name":"NVIDIA H200","totalGlobalMem":150,"computeMajor":9,)"
            R"("computeMinor":0,"numSms":132}])");
}

TEST(NsysDatabase, numbers_devices_by_id_where_they_share_a_cuda_number) {
  TestDatabase database;
  database.run(
      "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, cuDevice INTEGER);"
      "INSERT INTO TARGET_INFO_GPU VALUES (0, 'a', 0), (1, 'b', 0)");
  database.texts({});
  const tactus::Run run = import(database.path());
  ASSERT_EQ(run.devices.size(), 2U);
  EXPECT_EQ(run.devices[0].index, 0);
  EXPECT_EQ(run.devices[1].index, 1);
}

TEST(NsysDatabase, reads_the_metrics_of_a_device_as_counters) {
  TestDatabase database;
  database.run(
      "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, cuDevice INTEGER, pwGpuId INTEGER);"
      "INSERT INTO TARGET_INFO_GPU VALUES (0, 'a', 1, 0), (1, 'b', 0, 1);"
      "CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER, sourceId INTEGER, typeName TEXT,"
      " metricId INTEGER, metricName TEXT);"
      "INSERT INTO TARGET_INFO_GPU_METRICS VALUES"
      " (281543696187392, 1, 'H200', 4, 'SMs Active [Throughput %]');"
      "CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId INTEGER, metricId INTEGER,"
      " value INTEGER);"
      "INSERT INTO GPU_METRICS VALUES (100, 281543696187392, 4, 55),"
      " (200, 281543696187392, 4, 12.5), (200, 281543696187393, 9, 1),"
      " (300, 281543696187392, 4, NULL), (400, 281543696187392, 4, 9e999)");
  const tactus::Run run = import(database.path());
  ASSERT_EQ(run.counters.rows, 3U);
  const auto series = [&](std::size_t row) -> const CounterSeries& {
    return run.series[static_cast<std::size_t>(run.counters.series()[row])];
  };
  EXPECT_EQ(text(run, series(0).name.value), "SMs Active [Throughput %]");
  EXPECT_EQ(text(run, series(0).place.value), "GPU 1");  // metrics number devices otherwise
  EXPECT_EQ(text(run, series(2).name.value), "metric 9");
  EXPECT_EQ(text(run, series(2).place.value), "GPU 0");
  EXPECT_EQ(Decimal::to_text(run.counters.value()[0], run.strings), "55");
  EXPECT_EQ(Decimal::to_text(run.counters.value()[1], run.strings), "12.5");
  EXPECT_EQ(run.dropped, (Tally{{"counter_without_number", 2}}));
}

TEST(NsysDatabase, marks_allocations_of_device_memory) {
  TestDatabase database;
  database.run(
      "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER, globalPid INTEGER,"
      " deviceId INTEGER, bytes INTEGER, address INTEGER, memoryOperationType INTEGER);"
      "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (1, 79037464576, 0, 512, 4096, 0),"
      " (2, 79037464576, 0, 512, 4096, 1)");
  const tactus::Run run = import(database.path());
  ASSERT_EQ(run.instants.size(), 2U);
  EXPECT_EQ(name(run, run.instants, 0), "alloc");
  EXPECT_EQ(name(run, run.instants, 1), "free");
  EXPECT_EQ(category(run, run.instants, 0), "memory");
  EXPECT_EQ(arg(run, run.instants, 0, "bytes"), "512");
  EXPECT_EQ(arg(run, run.instants, 0, "address"), "4096");
  EXPECT_EQ(arg(run, run.instants, 0, "device"), "0");
  EXPECT_EQ(process(run, run.instants, 0).os_pid, 4711);
}

}  // namespace
}  // namespace tactus::nsys
