/** Family of tools that share package caches. */
export type PackageTool = 'node' | 'deno' | 'rust' | 'go' | 'python' | 'java' | 'dotnet' | 'compiler';

const files: Readonly<Record<PackageTool, readonly string[]>> = {
  node: ['package.json'],
  deno: ['deno.json', 'deno.jsonc'],
  rust: ['Cargo.toml'],
  go: ['go.mod', 'go.work'],
  python: ['pyproject.toml', 'requirements.txt', 'setup.py', 'setup.cfg', 'Pipfile', 'uv.lock', '.pre-commit-config.yaml'],
  java: ['pom.xml', 'build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts', 'build.sbt'],
  dotnet: ['global.json', 'nuget.config', 'NuGet.Config', 'Directory.Build.props'],
  compiler: [],
};
const toolsByFile = new Map(Object.entries(files).flatMap(([tool, names]) => names.map((name) => [name, tool as PackageTool])));
const dotnetFile = /\.(csproj|fsproj|vbproj|slnx?)$/;

/** Matches words of a command that name a tool, or a program that starts the tool. */
const words: Readonly<Record<PackageTool, RegExp>> = {
  node: /\b(node|npm|npx|pnpm|pnpx|yarn|yarnpkg|corepack|node-gyp|bunx?)\b/,
  deno: /\bdeno\b/,
  rust: /\b(cargo|rustc|rustup|maturin|wasm-pack)\b/,
  go: /\b(go|gofmt|golangci-lint|gopls)\b/,
  python: /\b(pip|pipx|pipenv|python|uvx?|poetry|hatch|tox|nox|pre-commit|pytest)\d*\b/,
  java: /\b(mvnw?|gradlew?|javac?|kotlinc?|sbt)\b/,
  dotnet: /\b(dotnet|nuget|msbuild)\b/,
  compiler: /\bs?ccache\b/,
};

/** Returns the tool whose projects contain a file with this name. */
export function toolOfFile(name: string): PackageTool | undefined {
  return toolsByFile.get(name) ?? (dotnetFile.test(name) ? 'dotnet' : undefined);
}

export function toolsInCommand(command: string): PackageTool[] {
  return (Object.keys(words) as PackageTool[]).filter((tool) => words[tool].test(command));
}
