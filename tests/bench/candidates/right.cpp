#include "candidate.h"

RMS_NORM_CANDIDATE(candidate::rms_norm)
