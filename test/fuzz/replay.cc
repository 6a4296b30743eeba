// Runs targets with the inputs of files: TARGET FILE... [-- TARGET FILE...]... Says how many it ran. A fault
// ends it by the sanitizer's word or by a trap.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "targets.h"

namespace {

// A fault on purpose, to see that one ends the run.
const procleash::Target kFaulty = {"past-the-end", [](procleash::Span<const char> input) {
                                     volatile char seen = input.data[input.size];
                                     (void)seen;
                                   }};

const procleash::Target* target_of(const char* name) {
  return strcmp(name, kFaulty.name) == 0 ? &kFaulty : procleash::find_target(name);
}

void run_file(const procleash::Target& target, const char* path) {
  FILE* file = fopen(path, "rb");
  if (file == nullptr || fseek(file, 0, SEEK_END) != 0) {
    perror(path);
    exit(2);
  }
  const auto size = static_cast<size_t>(ftell(file));
  rewind(file);
  // Of exactly that size, so that a read past the end is seen.
  auto* bytes = static_cast<char*>(malloc(size > 0 ? size : 1));
  if (bytes == nullptr || fread(bytes, 1, size, file) != size) exit(2);
  fclose(file);
  // Named before, so that a fault is known by its last line.
  printf("%s %s\n", target.name, path);
  fflush(stdout);
  target.run(procleash::Span<const char>{bytes, size});
  free(bytes);
}

}  // namespace

int main(int argc, char** argv) {
  int count = 0;
  const procleash::Target* target = nullptr;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--") == 0) {
      target = nullptr;
    } else if (target == nullptr) {
      target = target_of(argv[i]);
      if (target == nullptr) return 2;
    } else {
      run_file(*target, argv[i]);
      count++;
    }
  }
  printf("%d inputs\n", count);
  return 0;
}
