#pragma once

#include "standin/work.h"

namespace standin {

/// What STANDIN_COST and STANDIN_SLOWER say about a kernel of that name.
void set_cost(Function& function);

}  // namespace standin
