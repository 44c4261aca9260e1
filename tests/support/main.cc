// Tests of `tactus bench` start this program anew as a worker.
#include <gtest/gtest.h>

#include "bench/worker/worker_main.h"

int main(int argc, char** argv) {
  tactus::serve_if_worker(argc, argv);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
