/**
 * Folders that tools recreate: packages, build output and caches. All names are lower case. The list excludes names that users
 * also give to their own results, such as `output`, because checkpoints do not contain ignored files.
 */
const folders: ReadonlySet<string> = new Set([
  ...['node_modules', 'bower_components', 'jspm_packages', '.pnpm-store', '.yarn', 'vendor', '.bundle'],
  ...['target', 'dist', 'build', 'out', 'bin', 'obj', '_build', 'deps', '.output', 'classes'],
  ...['.venv', 'venv', '__pycache__', '.pytest_cache', '.mypy_cache', '.ruff_cache', '.tox', '.nox', '.eggs'],
  ...['.hypothesis', '.benchmarks', 'htmlcov', 'coverage', '.nyc_output', '.coverage', 'test-results', 'playwright-report'],
  ...['.next', '.nuxt', '.svelte-kit', '.astro', '.angular', '.vite', '.parcel-cache', '.cache', '.turbo', '.nx', '.docusaurus'],
  ...['.gradle', '.kotlin', '.dart_tool', '.stack-work', 'dist-newstyle', '.elixir_ls', '.zig-cache', 'zig-cache', 'zig-out'],
  ...[
    '.ccls-cache',
    '.clangd',
    'deriveddata',
    '.swiftpm',
    'storybook-static',
    '.terraform',
    '.serverless',
    '.aws-sam',
    '.tsbuild',
  ],
]);
const folderEndings = /\.egg-info$|^cmake-build-|^bazel-/;
const files =
  /\.(pyc|pyo|o|obj|a|so|dylib|dll|exe|class|jar|war|d|gcno|gcda|tsbuildinfo|profraw)$|^\.(eslintcache|stylelintcache|prettiercache|coverage(\..*)?)$|^coverage\.(xml|out|json|lcov)$|^lcov\.info$/;

/** Returns whether the name of an ignored file or folder shows that a tool recreates it. */
export function isRegenerable(name: string, isFolder: boolean): boolean {
  const folded = name.toLowerCase();
  return isFolder ? folders.has(folded) || folderEndings.test(folded) : files.test(folded);
}
