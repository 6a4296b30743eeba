// A tree that is hard to stop, for the self-test of `procleash doctor`. It needs no shell, no python and no
// setsid(1), which a container may lack.
#pragma once

namespace procleash {

// Becomes the tree's leader and never comes back by itself. Each member writes its role and a newline to
// descriptor 1, and keeps the arguments that this process was started with. Those that nobody stops end
// themselves after a minute, but for the stopped one.
[[noreturn]] void run_specimen();

}  // namespace procleash
