// The words of a watcher, as frames on its lease.
#pragma once

#include "foreign/foreign_report.h"
#include "foreign/recorder.h"
#include "supervisor/lease.h"

namespace procleash {

void say_recording(Lease* lease, Recording recording, uint64_t start);
// Its status belongs to its own parent: not told.
void say_watched_exited(Lease* lease);
// All living members, each looked at anew.
void say_recorded(Lease* lease, uint32_t request, ForeignTree* t);
void say_watch_settled(Lease* lease, const ForeignStop& stop, const ForeignTree& t);

}  // namespace procleash
