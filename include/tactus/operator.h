/* The interface between Tactus and a kernel that it checks and times: plain C, one header.
 *
 * A candidate is a shared library that exports tactus_library(). It lists entries, one per
 * operator and device:
 *
 *     static int rms_norm(const tactus_call* call) {
 *       const tactus_tensor* x = tactus_input(call, "x");
 *       ...
 *       return 0;
 *     }
 *     static const tactus_entry entries[] = {{"rms_norm", TACTUS_CPU, rms_norm, 0}};
 *     static const tactus_library_v1 library = {TACTUS_ABI_VERSION, sizeof(tactus_library_v1),
 *                                               "mine", entries, 1};
 *     TACTUS_EXPORT const tactus_library_v1* tactus_library(void) { return &library; }
 *
 * `tactus bench --new rms_norm` prints a file like that, with the tensors of the operator.
 * docs/operators.md says what each operator computes, with its tensors and parameters.
 */
#ifndef TACTUS_OPERATOR_H
#define TACTUS_OPERATOR_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TACTUS_ABI_VERSION 1

#if defined(_WIN32)
#define TACTUS_VISIBLE __declspec(dllexport)
#else
#define TACTUS_VISIBLE __attribute__((visibility("default")))
#endif
#ifdef __cplusplus
#define TACTUS_EXPORT extern "C" TACTUS_VISIBLE
extern "C" {
#else
#define TACTUS_EXPORT TACTUS_VISIBLE
#endif

/* How a number is stored. Values never change their meaning. */
typedef enum tactus_dtype {
  TACTUS_FP64 = 1,
  TACTUS_FP32 = 2,
  TACTUS_BF16 = 3,
  TACTUS_FP16 = 4,
  TACTUS_FP8_E4M3 = 5,      /* bias 7, up to 448, no infinity */
  TACTUS_FP8_E4M3_FNUZ = 6, /* bias 8, up to 240, no negative zero, NaN is 0x80 */
  TACTUS_INT64 = 7,
  TACTUS_INT32 = 8
} tactus_dtype;

typedef enum tactus_device { TACTUS_CPU = 1, TACTUS_CUDA = 2 } tactus_device;

/* Outputs are tensors that may be written; those that are also inputs (a cache, a state) hold their
 * old values at the call. Memory that is neither output nor workspace must not be written. */
typedef struct tactus_tensor {
  const char* name;
  void* data;    /* on the device of the entry; aligned to 256 bytes */
  int32_t dtype; /* a tactus_dtype */
  int32_t rank;
  const int64_t* shape;
  const int64_t* strides; /* in elements; row-major and dense in this version */
} tactus_tensor;

typedef struct tactus_parameter {
  const char* name;
  double value; /* whole numbers up to 2^53 are exact */
} tactus_parameter;

struct tactus_call;
/* Does work(argument, i) for i from 0 to count - 1 on the threads of the caller, in any order, and
 * returns when all are done. */
typedef void (*tactus_parallel)(const struct tactus_call* call, int64_t count,
                                void (*work)(void* argument, int64_t index), void* argument);

typedef struct tactus_call {
  uint32_t abi_version;
  uint32_t size; /* of this struct, so that fields can be added at the end */
  const char* operator_name;
  const tactus_tensor* inputs;
  int32_t input_count;
  const tactus_tensor* outputs;
  int32_t output_count;
  const tactus_parameter* parameters;
  int32_t parameter_count;
  void* stream;    /* cudaStream_t on CUDA: all work must be put there; null on the CPU */
  void* workspace; /* as many bytes as the entry asked for, not cleared, on the device */
  size_t workspace_bytes;
  int32_t threads; /* on the CPU: threads of `parallel` */
  int32_t device;  /* on CUDA: its ordinal */
  tactus_parallel
      parallel; /* on the CPU; its threads already wait for work, so a call starts none */
  void* pool;   /* belongs to `parallel` */
} tactus_call;

/* run() returns this for a shape that it cannot run: that row is skipped, not failed. */
#define TACTUS_UNSUPPORTED (-1)

typedef struct tactus_entry {
  const char* operator_name;
  int32_t device; /* a tactus_device */
  /* Returns 0, TACTUS_UNSUPPORTED, or its own error number. On CUDA it returns when the work is in
   * the stream, not when it is done. Must not allocate. */
  int (*run)(const tactus_call* call);
  /* Bytes of workspace that a call needs (data pointers are null then); may be null for none. */
  size_t (*workspace_bytes)(const tactus_call* call);
} tactus_entry;

typedef struct tactus_library_v1 {
  uint32_t abi_version;
  uint32_t size;
  const char* name;
  const tactus_entry* entries;
  int32_t entry_count;
} tactus_library_v1;

/* The function that a candidate exports. */
TACTUS_VISIBLE const tactus_library_v1* tactus_library(void);

/* Find tensors and parameters by name; null or the fallback if there is none. */
static inline const tactus_tensor* tactus_find(const tactus_tensor* tensors, int32_t count,
                                               const char* name) {
  for (int32_t i = 0; i < count; ++i) {
    if (strcmp(tensors[i].name, name) == 0) return &tensors[i];
  }
  return NULL;
}
static inline const tactus_tensor* tactus_input(const tactus_call* call, const char* name) {
  return tactus_find(call->inputs, call->input_count, name);
}
static inline const tactus_tensor* tactus_output(const tactus_call* call, const char* name) {
  return tactus_find(call->outputs, call->output_count, name);
}
static inline double tactus_value(const tactus_call* call, const char* name, double fallback) {
  for (int32_t i = 0; i < call->parameter_count; ++i) {
    if (strcmp(call->parameters[i].name, name) == 0) return call->parameters[i].value;
  }
  return fallback;
}

#ifdef __cplusplus
}
#endif
#endif
