/**
 * System calls that the sandbox denies with EPERM: kernel keys (which have no namespace),
 * mounts, namespaces, modules, clocks, and kernel interfaces that development tools do not
 * need. Source of the numbers: `asm/unistd_64.h` of Linux 6.12 and `asm-generic/unistd.h`.
 */
const denied = {
  x64: {
    architecture: 0xc000003e,
    socket: 41,
    calls: [
      ...[248, 249, 250, 321, 298, 323, 425, 426, 427, 304, 165, 166, 155, 428, 429, 430, 431, 432, 433, 442, 308, 272],
      ...[175, 313, 176, 246, 320, 169, 167, 168, 163, 179, 164, 227, 172, 173, 103],
    ],
  },
  arm64: {
    architecture: 0xc00000b7,
    socket: 198,
    calls: [
      ...[217, 218, 219, 280, 241, 282, 425, 426, 427, 265, 40, 39, 41, 428, 429, 430, 431, 432, 433, 442, 268, 97],
      ...[105, 273, 106, 104, 294, 142, 224, 225, 89, 60, 170, 112, 116],
    ],
  },
} as const;

/**
 * Address families that programs may use: AF_UNIX, AF_INET, AF_INET6,
 * AF_NETLINK. Some other families are outside the network namespace.
 */
const allowedFamilies = [1, 2, 10, 16];
/** System call numbers from this value on belong to the x32 interface of x86-64. */
const x32 = 0x40000000;

/** Opcodes and return values of classic BPF and seccomp (`linux/bpf_common.h`, `linux/seccomp.h`). */
const load = 0x20;
const jumpEqual = 0x15;
const jumpAtLeast = 0x35;
const giveBack = 0x06;
const allow = 0x7fff0000;
const notPermitted = 0x00050001;
/** Offsets in `struct seccomp_data`. */
const numberAt = 0;
const architectureAt = 4;
const firstArgumentAt = 16;

/**
 * Returns a seccomp program for this type of processor, as an array of `struct sock_filter`. Returns null if the processor is
 * unknown. Denies system calls of other architectures, such as 32-bit ones.
 */
export function seccompFilter(processor: string): Buffer | null {
  if (processor !== 'x64' && processor !== 'arm64') return null;
  const { architecture, socket, calls } = denied[processor];
  const code: [number, number, number, number][] = [
    [load, 0, 0, architectureAt],
    [jumpEqual, 1, 0, architecture],
    [giveBack, 0, 0, notPermitted],
    [load, 0, 0, numberAt],
    ...answerIf(jumpAtLeast, x32, notPermitted),
    ...calls.flatMap((call) => answerIf(jumpEqual, call, notPermitted)),
    [jumpEqual, 1, 0, socket],
    [giveBack, 0, 0, allow],
    [load, 0, 0, firstArgumentAt],
    ...allowedFamilies.flatMap((family) => answerIf(jumpEqual, family, allow)),
    [giveBack, 0, 0, notPermitted],
  ];
  const program = Buffer.alloc(code.length * 8);
  for (const [index, [operation, ifTrue, ifFalse, value]] of code.entries()) {
    program.writeUInt16LE(operation, index * 8);
    program.writeUInt8(ifTrue, index * 8 + 2);
    program.writeUInt8(ifFalse, index * 8 + 3);
    program.writeUInt32LE(value, index * 8 + 4);
  }
  return program;
}

function answerIf(jump: number, value: number, answer: number): [number, number, number, number][] {
  return [
    [jump, 0, 1, value],
    [giveBack, 0, 0, answer],
  ];
}
