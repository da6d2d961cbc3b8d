import { onPath } from '../lib/browser.mjs';
import { Problem } from '../lib/console.mjs';
import { capture } from '../lib/processes.mjs';

const installs = {
  cmake: 'cmake',
  'ninja or make': 'ninja-build',
  'a C++ compiler': 'g++',
  'Python 3 with pip': 'python3-pip',
};

/** Returns the tools that a build needs, or throws a `Problem` that names the missing tools and the command that installs them. */
export async function buildTools() {
  const tools = {
    go: onPath('go'),
    cmake: onPath('cmake'),
    ninja: onPath('ninja'),
    make: onPath('make'),
    compiler: onPath('c++') ?? onPath('g++') ?? onPath('clang++'),
    python: await pythonWithPip(),
  };
  const missing = [
    (await isRecentGo(tools.go)) ? undefined : 'Go 1.24 or newer',
    tools.cmake ? undefined : 'cmake',
    tools.ninja || tools.make ? undefined : 'ninja or make',
    tools.compiler ? undefined : 'a C++ compiler',
    tools.python ? undefined : 'Python 3 with pip',
  ].filter(Boolean);
  if (missing.length > 0) throw new Problem(`To build Ollama, ${missing.join(', ')} is missing. ${advice(missing)}`);
  return tools;
}

/** Returns a Python that can run pip, or throws a `Problem`. */
export async function pythonTool() {
  const python = await pythonWithPip();
  if (!python) throw new Problem(`To fetch the tiny models, Python 3 with pip is missing. ${advice(['Python 3 with pip'])}`);
  return python;
}

function advice(missing) {
  const packages = missing.map((name) => installs[name]).filter(Boolean);
  const words = [];
  if (packages.length > 0) words.push(`Install with: apt-get install -y ${packages.join(' ')}`);
  if (missing.includes('Go 1.24 or newer')) words.push('Go comes from go.dev/doc/install (the package of Debian 12 is too old)');
  return `${words.join('. ')}. Or set OLLAMA_HOST to a server that is there already.`;
}

async function isRecentGo(go) {
  if (!go) return false;
  const { output } = await capture(go, ['version']);
  const [, major, minor] = /go(\d+)\.(\d+)/.exec(output) ?? [];
  return Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 24);
}

async function pythonWithPip() {
  for (const name of ['python3', 'python']) {
    const python = onPath(name);
    if (python && (await capture(python, ['-m', 'pip', '--version'])).code === 0) return python;
  }
  return undefined;
}
