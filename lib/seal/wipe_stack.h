/// Ciphers and hashes leave pieces of keys on the stack.
#pragma once

namespace dormouse {

/// Overwrites the stack below the caller, as deep as libgcrypt's functions get. Allocates nothing.
void wipe_stack();

/// Does so at the end of a scope, whichever way it is left.
class StackWiper {
 public:
  StackWiper() = default;
  StackWiper(const StackWiper&) = delete;
  StackWiper& operator=(const StackWiper&) = delete;
  ~StackWiper() { wipe_stack(); }
};

}  // namespace dormouse
