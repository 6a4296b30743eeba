// The command line. Letters that tini and dumb-init have mean here what they mean there.
#pragma once

#include "core/clock.h"
#include "init/line.h"
#include "init/signal_names.h"

namespace procleash {

struct Options {
  bool group = false;                       // -g
  bool single_child = false;                // -c
  bool subreaper = false;                   // -s
  bool warn_of_reaped = false;              // -w
  int verbosity = 0;                        // -v
  int parent_death_signal = 0;              // -p
  Nanos budget = 8 * kSecond;               // below Docker's 10 s and Kubernetes' 30 s
  bool success[256] = {};                   // -e: exit statuses that become 0
  uint8_t rewritten[kLastSignal + 1] = {};  // -r: what a received signal becomes; 0 drops it
  char** command = nullptr;

  Options() {
    for (int number = 0; number <= kLastSignal; number++) rewritten[number] = static_cast<uint8_t>(number);
  }
};

enum class Parsed { kCommand, kHelp, kVersion, kWrong };

// For kWrong, `problem` says why.
Parsed parse_options(int argc, char** argv, Options* options, Line* problem);

extern const char kHelp[];

}  // namespace procleash
