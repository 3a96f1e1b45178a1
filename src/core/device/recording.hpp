/* Launches that are kept, to be launched again as a whole (a CUDA graph), or to be repeated by the device itself (one whose only node is a conditional one). */
#pragma once
#include "device.hpp"
#include "core/launch/loop_switch.hpp"

namespace goza::device {

/* What is launched between the two goes nowhere and is kept: begin_recording() is false, and end_recording() null, where that cannot be had. Nothing may wait
   for the device meanwhile, and no memory may come or go. */
bool begin_recording();
/* The same, but what is launched later is a loop: the device repeats it until a kernel in it has told `more` otherwise. */
bool  begin_recording_loop(LoopSwitch *more);
void *end_recording() noexcept;
bool  recording();                  // between the two
void  prepare_recording() noexcept; // what the first loop of a process would take four milliseconds for
void  launch_recording(void *recording);
void  drop_recording(void *recording) noexcept;

} // namespace goza::device
