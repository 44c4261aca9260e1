// Normalises two rows with the kernel rms_norm of Tactus.
#include <tactus/operator.h>

#include <cstdio>

// One thread. A program with its own threads gives the work to them.
static void loop(const tactus_call*, int64_t count, void (*work)(void*, int64_t), void* argument) {
  for (int64_t i = 0; i < count; ++i) work(argument, i);
}

int main() {
  alignas(256) float x[8] = {1, 2, 3, 4, 0, 0, 5, 0}, weight[4] = {1, 1, 1, 2}, out[8];
  const int64_t rows[] = {2, 4}, row_strides[] = {4, 1}, hidden[] = {4}, dense[] = {1};
  const tactus_tensor inputs[] = {{"x", x, TACTUS_FP32, 2, rows, row_strides},
                                  {"weight", weight, TACTUS_FP32, 1, hidden, dense}};
  const tactus_tensor outputs[] = {{"out", out, TACTUS_FP32, 2, rows, row_strides}};
  const tactus_parameter eps = {"eps", 1e-6};
  const tactus_call call = {TACTUS_ABI_VERSION,
                            sizeof(tactus_call),
                            "rms_norm",
                            inputs,
                            2,
                            outputs,
                            1,
                            &eps,
                            1,
                            nullptr,
                            nullptr,
                            0,
                            /*threads=*/1,
                            0,
                            loop,
                            nullptr};
  const tactus_library_v1* library = tactus_library();
  for (const tactus_entry* e = library->entries; e != library->entries + library->entry_count; ++e)
    if (strcmp(e->operator_name, "rms_norm") == 0 && e->run(&call) != 0) return 1;
  for (int i = 0; i < 8; ++i) std::printf("%.4f%c", out[i], i % 4 == 3 ? '\n' : ' ');
}
