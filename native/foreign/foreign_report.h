// What is told to JavaScript of a tree that we did not start, as payloads of the keeper's own messages.
#pragma once

#include "foreign/foreign_stop.h"

namespace procleash {

// What a settlement takes at most.
constexpr size_t kMaxSettlement = 64 + 2 * kMaxNamed * kMaxEntry;

// The payload of kSettled. Members that the last picture showed alive are looked at once more.
void pack_settlement(Packer* out, const ForeignStop& stop, const ForeignTree& t);

struct Report {
  char* bytes = nullptr;  // malloc'ed
  size_t size = 0;
};

// The same, and the payload of kProcesses: all that is marked as kin in the picture.
Report report_settled(const ForeignStop& stop, const ForeignTree& t);
Report report_processes(int proc, const Snapshot& snapshot, const Process& root);

}  // namespace procleash
