// A plugin for qemu's user mode that counts the instructions of a program, all threads, in a file that the program can read:
// eight bytes in the machine's order, up to the block of code that is being executed.
//
//   qemu-aarch64 -plugin libinstructions.so,counter=FILE PROGRAM
//
// The part of qemu's interface that it uses is declared here, since qemu's packages lack its header: it is the same in all
// versions of the interface from VERSION 0 on.

#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct qemu_plugin_tb;
typedef void on_block(uint64_t id, struct qemu_plugin_tb *block);
typedef void on_execution(unsigned int cpu, void *data);
enum registers { NO_REGISTERS };

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, on_block *made);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block, on_execution *run, enum registers used, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);

#ifndef VERSION
#define VERSION 1
#endif
__attribute__((visibility("default"))) int qemu_plugin_version = VERSION;

static _Atomic uint64_t *counter;

static void run(unsigned int cpu, void *instructions) {
  (void)cpu;
  atomic_fetch_add_explicit(counter, (uintptr_t)instructions, memory_order_relaxed);
}

static void made(uint64_t id, struct qemu_plugin_tb *block) {
  (void)id;
  qemu_plugin_register_vcpu_tb_exec_cb(block, run, NO_REGISTERS, (void *)(uintptr_t)qemu_plugin_tb_n_insns(block));
}

__attribute__((visibility("default"))) int qemu_plugin_install(uint64_t id, const void *emulator, int count,
                                                               char **arguments) {
  static const char name[] = "counter=";
  (void)emulator;
  if (count != 1 || strncmp(arguments[0], name, strlen(name)) != 0) {
    fprintf(stderr, "expected counter=FILE, got %d arguments\n", count);
    return 1;
  }
  int file = open(arguments[0] + strlen(name), O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || ftruncate(file, sizeof *counter) != 0) {
    perror(arguments[0]);
    return 1;
  }
  void *memory = mmap(NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED) {
    perror("mmap");
    return 1;
  }
  counter = memory;
  qemu_plugin_register_vcpu_tb_trans_cb(id, made);
  return 0;
}
