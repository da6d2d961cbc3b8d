import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Problem, main, note } from '../lib/console.mjs';
import { capture } from '../lib/processes.mjs';
import { buildTools } from './buildNeeds.mjs';
import { engineBinary, ollamaBinary, ollamaFolder, quantizeBinary, versions } from './layout.mjs';
import { quietly } from './quietly.mjs';
import { isComplete, makeFolder } from './staging.mjs';

const cmakeOptions = [
  '-DCMAKE_BUILD_TYPE=Release',
  '-DLLAMA_CURL=OFF',
  '-DLLAMA_OPENSSL=OFF',
  '-DLLAMA_BUILD_UI=OFF',
  '-DLLAMA_BUILD_TESTS=OFF',
  '-DLLAMA_BUILD_EXAMPLES=OFF',
  '-DBUILD_SHARED_LIBS=ON',
  '-DCMAKE_BUILD_WITH_INSTALL_RPATH=ON',
  '-DCMAKE_INSTALL_RPATH=$ORIGIN',
  '-DGGML_NATIVE=OFF',
];

const avx2Options = ['-DGGML_AVX2=ON', '-DGGML_FMA=ON', '-DGGML_F16C=ON', '-DGGML_BMI2=ON'];

/** Returns the path of a working `ollama` binary. Builds it once and keeps it in the cache. */
export async function ensureOllama() {
  if (isComplete(ollamaFolder) && existsSync(ollamaBinary) && existsSync(engineBinary)) return ollamaBinary;
  const tools = await buildTools();
  note(`Building Ollama ${versions.ollama} into ${ollamaFolder}: about ten minutes on two cores, once`);
  await makeFolder(ollamaFolder, async (staging) => {
    await buildServer(tools, staging);
    await buildEngine(tools, staging);
    keepWheels(staging);
  });
  await assertWorks();
  return ollamaBinary;
}

async function buildServer(tools, staging) {
  const flags = `-s -w -X github.com/ollama/ollama/version.Version=${versions.ollama}`;
  const env = { ...process.env, GOBIN: path.join(staging, 'bin') };
  const args = ['install', '-ldflags', flags, `github.com/ollama/ollama@v${versions.ollama}`];
  await quietly('compiling the server', tools.go, args, { env, cwd: staging });
}

async function buildEngine(tools, staging) {
  const source = path.join(staging, 'source');
  mkdirSync(source);
  const download = ['-m', 'pip', 'download', '--no-deps', '--no-binary', ':all:', `llama-cpp-python==${versions.llama}`];
  await quietly('fetching the source of llama.cpp', tools.python, download, { cwd: source });
  const archive = readdirSync(source).find((name) => name.endsWith('.tar.gz'));
  if (!archive) throw new Problem('pip fetched no source archive of llama-cpp-python.');
  await quietly('unpacking it', 'tar', ['xzf', archive, '--strip-components', '1'], { cwd: source });
  const generator = tools.ninja ? ['-G', 'Ninja'] : [];
  const configure = ['-S', 'vendor/llama.cpp', '-B', 'build', ...generator, ...cmakeOptions, ...(hasAvx2() ? avx2Options : [])];
  await quietly('configuring the engine', tools.cmake, configure, { cwd: source });
  const build = ['--build', 'build', '--parallel', String(availableParallelism()), '--target', 'llama-server', 'llama-quantize'];
  await quietly('compiling the engine', tools.cmake, build, { cwd: source });
  const target = path.join(staging, 'lib', 'ollama');
  cpSync(path.join(source, 'build', 'bin'), target, { recursive: true, verbatimSymlinks: true });
  rmSync(source, { recursive: true, force: true });
}

/** Keeps wheels from an earlier, unfinished build, so that they are not fetched again. */
function keepWheels(staging) {
  const fetched = path.join(ollamaFolder, 'models');
  if (existsSync(fetched)) renameSync(fetched, path.join(staging, 'models'));
}

async function assertWorks() {
  for (const [binary, args] of [
    [ollamaBinary, ['--version']],
    [engineBinary, ['--version']],
    [quantizeBinary, ['--help']],
  ]) {
    const { code, output } = await capture(binary, args);
    // `llama-quantize --help` exits with 1. A program that cannot be loaded exits with 126 or more.
    if (code > 1) throw new Problem(`${binary} does not run: ${output.trim()}\nRemove ${ollamaFolder} and try again.`);
  }
}

/** Returns true if the CPU reports AVX2. On other CPUs, an engine that uses AVX2 would crash with an illegal instruction. */
function hasAvx2() {
  if (process.arch !== 'x64' || !existsSync('/proc/cpuinfo')) return false;
  return /^flags\s*:.*\bavx2\b/m.test(readFileSync('/proc/cpuinfo', 'utf8'));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => note(`Ollama: ${await ensureOllama()}`));
}
