#include "sources/nsys/database_fixture.h"

namespace tactus::nsys {
namespace {

std::string global(std::int64_t pid, std::int64_t tid) {
  return TestDatabase::global(pid, tid);
}

TEST(NsysDatabase, names_cuda_calls_without_the_version_they_were_made_for) {
  TestDatabase database;
  database.texts({"cudaLaunchKernel_v7000", "cuMemAlloc_v2", "cudnnFind_v", "cublasGemm", "label"});
  database.calls();
  const std::string columns = "start, end, eventClass, globalTid, nameId, returnValue";
  const std::string at = global(4711, 4712);
  database.insert("CUPTI_ACTIVITY_KIND_RUNTIME", columns, "1, 2, 0," + at + ", 1, 0");
  database.insert("CUPTI_ACTIVITY_KIND_RUNTIME", columns, "2, 3, 1," + at + ", 2, 700");
  database.insert("CUPTI_ACTIVITY_KIND_RUNTIME", columns, "3, 4, 28," + at + ", 3, 0");
  database.insert("CUPTI_ACTIVITY_KIND_RUNTIME", columns, "4, 5, 29," + at + ", 4, 0");
  database.insert("CUPTI_ACTIVITY_KIND_RUNTIME", columns, "5, 6, 13," + at + ", 5, 0");
  database.insert("CUPTI_ACTIVITY_KIND_RUNTIME", columns, "6, 7, 99," + at + ", 6, 0");
  database.run(
      "CREATE TABLE ENUM_NSYS_EVENT_CLASS (id INTEGER, name TEXT, label TEXT);"
      "INSERT INTO ENUM_NSYS_EVENT_CLASS VALUES (13, 'EGL', 'CUDA EGL driver')");
  const tactus::Run run = import(database.path());
  ASSERT_EQ(run.slices.size(), 6U);
  const char* const expected[][2] = {{"cudaLaunchKernel", "cuda_runtime"},
                                     {"cuMemAlloc_v2", "cuda_driver"},
                                     {"cudnnFind_v", "cudnn"},
                                     {"cublasGemm", "cublas"},
                                     {"label", "CUDA EGL driver"},
                                     {"unknown call", "cuda_runtime"}};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(name(run, run.slices, i), expected[i][0]);
    EXPECT_EQ(category(run, run.slices, i), expected[i][1]);
  }
  EXPECT_EQ(arg(run, run.slices, 0, "return value"), "-");
  EXPECT_EQ(arg(run, run.slices, 1, "return value"), "700");
  EXPECT_EQ(process(run, run.slices, 0).pid, (Ident{4711, false}));
  EXPECT_EQ(thread(run, run.slices, 0).tid, (Ident{4712, false}));
  EXPECT_FALSE(track(run, run.slices, 0).on_device);
}

TEST(NsysDatabase, gives_calls_the_stack_they_were_made_from) {
  TestDatabase database;
  database.texts({"cudaMalloc_v3020", "main", "train", "allocate"});
  database.calls();
  const std::string columns = "start, end, eventClass, globalTid, nameId, callchainId";
  for (const std::string chain : {"10", "11", "12", "NULL"}) {
    database.insert("CUPTI_ACTIVITY_KIND_RUNTIME", columns,
                    "1, 2, 0," + global(1, 1) + ", 1," + chain);
  }
  // Depth 0 is the innermost call; the rows of chain 11 lie in another order.
  database.run(
      "CREATE TABLE CUDA_CALLCHAINS (id INTEGER, symbol INTEGER, module INTEGER,"
      " unresolved INTEGER, originalIP INTEGER, stackDepth INTEGER);"
      "INSERT INTO CUDA_CALLCHAINS VALUES (10, 4, 0, NULL, 1, 0), (10, 3, 0, NULL, 2, 1),"
      " (10, 2, 0, 0, 3, 2), (11, 2, 0, NULL, 3, 1), (11, 99, 0, 1, 48879, 0)");
  const tactus::Run run = import(database.path());
  ASSERT_EQ(run.slices.size(), 4U);
  EXPECT_EQ(stack(run, run.slices, 0), (std::vector<std::string>{"allocate", "train", "main"}));
  EXPECT_EQ(stack(run, run.slices, 1), (std::vector<std::string>{"0xbeef", "main"}));
  EXPECT_EQ(arg(run, run.slices, 2, "@sf"), "-");
  EXPECT_EQ(arg(run, run.slices, 3, "@sf"), "-");
  EXPECT_EQ(run.stacks.rows, 4U) << "main is one frame";
}

TEST(NsysDatabase, reads_calls_into_the_operating_system_and_the_profilers_own) {
  TestDatabase database;
  database.texts({"pthread_cond_wait", "main", "CUPTI buffer request"});
  database.run(
      "CREATE TABLE OSRT_API (start INTEGER, end INTEGER, eventClass INTEGER,"
      " globalTid INTEGER, nameId INTEGER, returnValue INTEGER, callchainId INTEGER);"
      "CREATE TABLE OSRT_CALLCHAINS (id INTEGER, symbol INTEGER, originalIP INTEGER,"
      " stackDepth INTEGER, PRIMARY KEY (id, stackDepth));"
      "CREATE TABLE PROFILER_OVERHEAD (start INTEGER, end INTEGER, globalTid INTEGER,"
      " nameId INTEGER, returnValue INTEGER);"
      "INSERT INTO OSRT_API VALUES (1, 9, 27, 79037464577, 1, 0, 3);"
      "INSERT INTO OSRT_CALLCHAINS VALUES (3, 2, 0, 0);"
      "INSERT INTO PROFILER_OVERHEAD VALUES (4, 5, NULL, 3, 0)");
  const tactus::Run run = import(database.path());
  ASSERT_EQ(run.slices.size(), 2U);
  EXPECT_EQ(name(run, run.slices, 0), "pthread_cond_wait");
  EXPECT_EQ(category(run, run.slices, 0), "os_runtime");
  EXPECT_EQ(stack(run, run.slices, 0), (std::vector<std::string>{"main"}));
  EXPECT_EQ(name(run, run.slices, 1), "CUPTI buffer request");
  EXPECT_EQ(category(run, run.slices, 1), "overhead");
  EXPECT_EQ(text(run, process(run, run.slices, 1).pid.value), "unknown");
}

TEST(NsysDatabase, reads_nvtx_ranges_and_marks) {
  TestDatabase database;
  database.texts({"from the texts"});
  database.run(
      "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT,"
      " textId INTEGER, globalTid INTEGER, domainId INTEGER, doubleValue REAL);"
      "INSERT INTO NVTX_EVENTS VALUES"
      " (0, NULL, 75, 'NCCL', NULL, 79037464577, 3, NULL),"
      " (10, 90, 59, 'step', NULL, 79037464577, 0, NULL),"
      " (20, 30, 60, NULL, 1, 79037464577, 3, 0.25),"
      " (40, NULL, 59, NULL, NULL, 79037464577, 0, NULL),"
      " (50, NULL, 34, 'epoch', NULL, 79037464577, 3, NULL),"
      " (60, NULL, 39, 'loader', NULL, 79037464577, NULL, NULL),"
      " (70, NULL, 71, 'imported', NULL, 79037464577, 0, NULL)");
  const tactus::Run run = import(database.path());
  ASSERT_EQ(run.slices.size(), 3U);
  EXPECT_EQ(category(run, run.slices, 0), "nvtx");
  EXPECT_EQ(name(run, run.slices, 0), "step");
  EXPECT_EQ(arg(run, run.slices, 0, "domain"), "-");
  EXPECT_EQ(name(run, run.slices, 1), "from the texts");
  EXPECT_EQ(arg(run, run.slices, 1, "domain"), "NCCL");
  EXPECT_EQ(arg(run, run.slices, 1, "doubleValue"), "0.25");
  EXPECT_EQ(name(run, run.slices, 2), "(no text)");
  EXPECT_EQ(run.slices.flags()[1], 0);
  EXPECT_EQ(run.slices.flags()[2], kOpenEnd);
  EXPECT_EQ(run.slices.dur()[2], 50) << "until the last thing that was seen";
  ASSERT_EQ(run.instants.size(), 1U);
  EXPECT_EQ(name(run, run.instants, 0), "epoch");
  EXPECT_EQ(category(run, run.instants, 0), "nvtx");
  EXPECT_EQ(arg(run, run.instants, 0, "domain"), "NCCL");
  EXPECT_EQ(text(run, thread(run, run.slices, 0).name.value), "loader");
  EXPECT_EQ(run.dropped, (Tally{{"nsys_nvtx_event_of_other_type", 1}}));
}

TEST(NsysDatabase, ends_open_ranges_with_the_capture) {
  TestDatabase database;
  database.run(
      "CREATE TABLE ANALYSIS_DETAILS (globalVid INTEGER, duration INTEGER);"
      "INSERT INTO ANALYSIS_DETAILS VALUES (0, 1000);"
      "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT);"
      "INSERT INTO NVTX_EVENTS VALUES (10, NULL, 59, 'serve')");
  const tactus::Run run = import(database.path());
  ASSERT_EQ(run.slices.size(), 1U);
  EXPECT_EQ(run.slices.dur()[0], 990);
}

TEST(NsysDatabase, reads_scheduling_and_samples_of_threads) {
  TestDatabase database;
  database.texts({"main", "spin"});
  database.run(
      "CREATE TABLE SCHED_EVENTS (start INTEGER, cpu INTEGER, isSchedIn INTEGER,"
      " globalTid INTEGER);"
      "INSERT INTO SCHED_EVENTS VALUES (5, 3, 1, 79037464577), (9, 3, 0, 79037464577);"
      "CREATE TABLE COMPOSITE_EVENTS (id INTEGER PRIMARY KEY, start INTEGER, cpu INTEGER,"
      " globalTid INTEGER, cpuCycles INTEGER);"
      "INSERT INTO COMPOSITE_EVENTS VALUES (1, 7, 3, 79037464577, 1000);"
      "CREATE TABLE SAMPLING_CALLCHAINS (id INTEGER, symbol INTEGER, stackDepth INTEGER);"
      "INSERT INTO SAMPLING_CALLCHAINS VALUES (1, 2, 0), (1, 1, 1)");
  const tactus::Run run = import(database.path());
  ASSERT_EQ(run.instants.size(), 3U);
  EXPECT_EQ(name(run, run.instants, 0), "sched in");
  EXPECT_EQ(name(run, run.instants, 1), "sched out");
  EXPECT_EQ(category(run, run.instants, 0), "sched");
  EXPECT_EQ(arg(run, run.instants, 0, "cpu"), "3");
  EXPECT_EQ(name(run, run.instants, 2), "sample");
  EXPECT_EQ(category(run, run.instants, 2), "cpu_sample");
  EXPECT_EQ(arg(run, run.instants, 2, "cycles"), "1000");
  EXPECT_EQ(stack(run, run.instants, 2), (std::vector<std::string>{"spin", "main"}));
}

TEST(NsysDatabase, names_the_processes_and_threads_that_have_events) {
  TestDatabase database;
  database.texts({"kernel", "cudaFree", "worker"});
  database.kernels();
  database.calls();
  database.add_kernel(1, 2);
  database.insert("CUPTI_ACTIVITY_KIND_RUNTIME", "start, end, globalTid, nameId",
                  "1, 2," + global(4711, 4712) + ", 2");
  database.run(
      "CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);"
      "INSERT INTO PROCESSES VALUES (" +
      global(1, 0) + ", 1, 'systemd'), (" + global(4711, 0) +
      ", 4711, 'python3');"
      "CREATE TABLE ThreadNames (nameId INTEGER, priority INTEGER, globalTid INTEGER);"
      "INSERT INTO ThreadNames VALUES (3, 10, " +
      global(4711, 4712) + "), (3, 10, " + global(4711, 5000) +
      ");"
      "CREATE TABLE TARGET_INFO_SYSTEM_ENV (name TEXT, value TEXT);"
      "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('Hostname', 'node17')");
  const tactus::Run run = import(database.path());
  ASSERT_EQ(run.processes.size(), 2U);  // the device and its process
  for (const Process& process : run.processes) {
    EXPECT_EQ(text(run, process.name.value), "python3");
    EXPECT_EQ(text(run, run.hosts[process.host.value].name.value), "node17");
  }
  EXPECT_EQ(run.threads.size(), 2U);
  EXPECT_EQ(text(run, thread(run, run.slices, 1).name.value), "worker");
  EXPECT_EQ(text(run, thread(run, run.slices, 0).name.value), "stream 7");
}

}  // namespace
}  // namespace tactus::nsys
