// Holds memory that no image may hold (memfd_secret), until it is killed: secret_memory FILE
// The file appears when it does.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: secret_memory FILE\n", stderr);
    return 2;
  }
  constexpr std::size_t kBytes = 4096;
  const auto file = static_cast<int>(::syscall(SYS_memfd_secret, 0));
  if (file < 0 || ::ftruncate(file, kBytes) != 0) {
    std::perror("memfd_secret");
    return 1;
  }
  void* memory = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) {
    std::perror("mmap");
    return 1;
  }
  *static_cast<volatile char*>(memory) = 1;
  const int sign = ::open(argv[1], O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (sign < 0) {
    std::perror(argv[1]);
    return 1;
  }
  for (;;) ::pause();
}
