// What is told to JavaScript of a tree that we did not start, as payloads of the keeper's own messages.
#pragma once

#include "addon/foreign_stop.h"

namespace procleash {

struct Report {
  char* bytes = nullptr;  // malloc'ed
  size_t size = 0;
};

// The payload of kSettled. Members that the last picture showed alive are looked at once more.
Report report_settled(const ForeignStop& stop, const ForeignTree& t);

// The payload of kProcesses: all that is marked as kin in the picture.
Report report_processes(int proc, const Snapshot& snapshot, const Process& root);

}  // namespace procleash
