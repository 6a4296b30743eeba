// Init's life, from the main program's start to the end of everything.
#pragma once

#include "init/options.h"

namespace procleash {

// Gives the exit status of the process.
int run_init(const Options& options);

}  // namespace procleash
