// What libFuzzer calls. PROCLEASH_FUZZ_TARGET names the target: one program for all of them is built once.
#include <stdio.h>
#include <stdlib.h>

#include "targets.h"

namespace {
const procleash::Target* target = nullptr;
}

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  target = procleash::find_target(getenv("PROCLEASH_FUZZ_TARGET"));
  if (target != nullptr) return 0;
  fputs("PROCLEASH_FUZZ_TARGET names no target\n", stderr);
  exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  target->run(procleash::Span<const char>{reinterpret_cast<const char*>(data), size});
  return 0;
}
