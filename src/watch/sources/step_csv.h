#pragma once

#include "base/result.h"
#include "sources/bytes/input_bytes.h"
#include "watch/step.h"

namespace tactus::watch {

/// Reads a CSV of steps, one stream per `job_name`, in either layout of the published files:
///
///   job_name,start_ts,duration_us,batch_size,avg_input_length,...,avg_output_length,...   (vLLM)
///   duration_us,compute_batch_size,compute_avg_input_length,...,compute_forward_mode,...  (SGLang)
///
/// start_ts is in us since the epoch. A column `prompt_tokens` says how many tokens of prompts a
/// step computed; without it, steps of the first layout that computed some are recognised by how
/// the batch changes (`label_hidden_prompts`) and their tokens are unknown. An error if columns are
/// missing or no row can be used; rows that cannot be used are counted.
Result<StepTable> read_step_csv(InputBytes& bytes);
Result<StepTable> read_step_csv(const std::string& path);

/// vLLM's batch counts only requests that already produced a token; a prompt that is computed in
/// the same step does not show. Such a step is mixed if the batch shrank, if fewer tokens were
/// produced than one per request, or if the next step has more requests; of the first step it is
/// unknown. `produced` is the number of tokens that the requests of each step had produced before.
void label_hidden_prompts(std::vector<Step>& steps, const std::vector<double>& produced);

/// Removes steps that are shorter than a tenth of the median: calls that had nothing to do.
std::uint64_t drop_empty_calls(std::vector<Step>& steps);

}  // namespace tactus::watch
