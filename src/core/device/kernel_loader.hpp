/* CUDA loads the code of a kernel when it is first launched, and a first solve launches more than a hundred: that takes longer than the solve. A program that
   has loaded the plugin usually assembles a matrix first; meanwhile a thread that runs only where a core is idle loads them all, after what else is made
   once. */
#pragma once

namespace goza::kernel_loader {

bool add(const void *kernel); // true; called while the library is loaded, for every kernel that it can launch
void start();                 // from now on in a thread of its own, on the current device
void wait() noexcept;         // until all are loaded: loading may wait for the device, which must not be while a kernel there waits for another process
void stop() noexcept;         // ends the thread, wherever it is: before the library is closed

} // namespace goza::kernel_loader
