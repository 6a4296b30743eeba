// Entry of procleash-init.
#include <fcntl.h>
#include <unistd.h>

#include "init/init.h"
#include "init/line.h"
#include "init/options.h"

#ifndef PROCLEASH_VERSION
#error "PROCLEASH_VERSION comes from package.json, by the build"
#endif

namespace {

void print(const char* text) {
  ssize_t ignored = write(1, text, strlen(text));
  (void)ignored;
}

// A descriptor of ours must not land where the main program expects its standard ones.
void fill_standard_descriptors() {
  int fd = 0;
  do {
    fd = open("/dev/null", O_RDWR);
  } while (fd >= 0 && fd < 3);
  if (fd >= 3) close(fd);
}

}  // namespace

int main(int argc, char** argv) {
  fill_standard_descriptors();
  procleash::Options options;
  procleash::Line problem = procleash::message();
  switch (procleash::parse_options(argc, argv, &options, &problem)) {
    case procleash::Parsed::kHelp:
      print(procleash::kHelp);
      return 0;
    case procleash::Parsed::kVersion:
      print("procleash-init " PROCLEASH_VERSION "\n");
      return 0;
    case procleash::Parsed::kWrong:
      (problem << ". Try --help").write_to(2);
      return 125;
    case procleash::Parsed::kCommand:
      break;
  }
  return procleash::run_init(options);
}
