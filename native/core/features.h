// What this kernel and container give, found by asking for each thing once, never by comparing versions.
// PROCLEASH_DISABLE (names separated by commas) turns single features off, so that each step down can be
// tested.
#pragma once

#include "core/proc.h"

namespace procleash {

struct Features {
  bool pidfd = false;
  bool pidfd_group = false;  // PIDFD_SIGNAL_PROCESS_GROUP
  bool pidfd_info = false;   // PIDFD_GET_INFO
  bool subreaper = false;
  bool clone3 = false;
  bool close_range = false;
  bool children = false;     // /proc/PID/task/TID/children
  bool proc_events = false;  // the process events connector may be tried
  Procfs procfs = Procfs::kMissing;
  // Some of these are off only because descriptors or memory were short when they were asked for.
  bool shortage = false;
};

// `proc` is a descriptor of /proc, or -1. Changes nothing in the calling process.
Features probe_features(int proc, const char* disabled);

// Whether a list like PROCLEASH_DISABLE (null: none) has this name.
bool feature_disabled(const char* names, const char* name);

}  // namespace procleash
