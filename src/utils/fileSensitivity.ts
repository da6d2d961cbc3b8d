import { Glob } from './glob';

/** Glob → whether such a file may be used without asking (the last one that matches decides). */
export type SensitivityPatterns = Readonly<Record<string, boolean>>;

/** What makes a file one to ask about: it may hold secrets, decides what builds or runs, or a person has listed it. */
export type Sensitivity = 'secret' | 'build' | 'listed';

/** Files that hold secrets wherever they lie. */
const secretPatterns: SensitivityPatterns = {
  '.env': false,
  '.env.*': false,
  '.env*.{example,sample,template,dist}': true,
  '*.env': false,
  '.envrc': false,
  '*.{pem,key,p12,pfx,jks,keystore,kdbx,ppk,asc,gpg}': false,
  'id_{rsa,dsa,ecdsa,ed25519}*': false,
  '*.pub': true,
  '.{npmrc,yarnrc,pypirc,netrc,pgpass,htpasswd,git-credentials,dockercfg}': false,
  _netrc: false,
  '{credential,credentials,secret,secrets,password,passwords}': false,
  '*[-_.]{credential,credentials,secret,secrets,password,passwords}': false,
  '{credential,credentials,secret,secrets,password,passwords}.{json,yml,yaml,toml,ini,xml,properties,txt,csv}': false,
  '*[-_.]{credential,credentials,secret,secrets,password,passwords}.{json,yml,yaml,toml,ini,xml,properties,txt,csv}': false,
  'client_secret*.json': false,
  'service-account*.json': false,
  '*.tfstate': false,
  '*.tfvars': false,
  kubeconfig: false,
  '**/.{ssh,aws,gnupg,azure,kube,docker}/**': false,
};

/** The address of a remote may hold a token; as what is in `.git` is git's, no pattern of a person frees it. */
const lastPatterns: SensitivityPatterns = { '**/.git/{config,config.worktree}': false };

/** Files that decide what is installed, built or run by others: read freely, changed only after asking. */
const buildPatterns: SensitivityPatterns = {
  'package.json': false,
  '{package-lock,npm-shrinkwrap}.json': false,
  '*.lock': false,
  '*-lock.{json,yml,yaml}': false,
  'bun.lockb': false,
  'go.sum': false,
  '.{pnpmfile,yarnrc,pre-commit-config}.{cjs,yml,yaml}': false,
  '{setup,conftest,build,noxfile,tasks,fabfile}.{py,rs}': false,
  '{pyproject,Cargo,tox,setup}.{toml,ini,cfg}': false,
  // Read and run by an extension of the editor as soon as they are saved, or by whatever is run next.
  '{eslint,prettier,stylelint,commitlint,postcss,tailwind,babel,jest,vitest,vite,webpack,rollup,rspack,playwright,cypress,karma,metro,next,nuxt,svelte,astro,tsup}.config.*': false,
  '.{eslint,prettier,stylelint,lintstaged,commitlint,babel,mocha}rc*': false,
  '{.pnp,.pnp.loader,gulpfile,Gruntfile,gruntfile}.{js,cjs,mjs,ts}': false,
  '*.{gradle,gradle.kts,cmake,mk,sbt,gemspec,podspec}': false,
  '{pom.xml,build.xml,CMakeLists.txt,Makefile,GNUmakefile,Rakefile,Gemfile,Podfile,Justfile,justfile,Taskfile.yml,Dockerfile,compose.yml,docker-compose.yml}': false,
  '*.{csproj,fsproj,vbproj,vcxproj,proj,targets,props}': false,
  '**/.github/{workflows,actions}/**': false,
  '{.gitlab-ci.yml,azure-pipelines.yml,Jenkinsfile,.travis.yml,.drone.yml,appveyor.yml}': false,
  '**/.{circleci,buildkite,woodpecker}/**': false,
};

/** What configures the editor, git or an agent, or runs by itself: no pattern and no approval for a session frees it. */
const protectedGlobs = [
  '**/.{git,hg,vscode,husky,githooks,devcontainer,cursor,idea}/**',
  '.{git,hg,vscode,husky,githooks,devcontainer,cursor,idea}',
  '{agent,agents,agents.override,claude,claude.local,gemini,qwen,copilot-instructions}.md',
  '.{cursorrules,clinerules,windsurfrules,roorules,roomodes,goosehints}',
  '.{clinerules,roorules}-*',
  '**/.{agents,amazonq,augment,clinerules,roo,claude,windsurf,continue,gemini,codex,junie,kilocode,kiro,opencode,qwen,trae,zed}/**',
  '**/.github/{agents,chatmodes,hooks,instructions,prompts,skills}/**',
  '{.pre-commit-config,lefthook,.lefthook,lefthook-local,.lefthook-local}.{yml,yaml,json,toml}',
  '{opencode.{json,jsonc},.aider.conf.yml}',
  '{.mcp,mcp}.json',
  '.{gitmodules,gitattributes}',
  '*.code-workspace',
  '*.{instructions,prompt,chatmode,agent}.md',
].map((pattern) => new Glob(pattern, { ignoreCase: true }));

interface Rule {
  glob: Glob;
  isFree: boolean;
  kind: Sensitivity;
}

const builtIn = [...rulesOf(secretPatterns, 'secret'), ...rulesOf(buildPatterns, 'build')];
const last = rulesOf(lastPatterns, 'secret');

/** Tells files to ask about by their path (with `/`), however a forgiving file system may read it. */
export class FileSensitivity {
  private readonly rules: readonly Rule[];

  /** Patterns of a person, those that take precedence last. */
  constructor(...own: readonly SensitivityPatterns[]) {
    this.rules = [...builtIn, ...own.flatMap((patterns) => rulesOf(patterns, 'listed')), ...last];
  }

  /** Null for a file that may be changed without asking. */
  of(path: string): Sensitivity | null {
    const plain = folded(path);
    const rule = this.rules.findLast(({ glob }) => glob.matches(plain));
    return rule === undefined || rule.isFree ? null : rule.kind;
  }

  /** Whether a pattern, of a person or our own, says that it may be used without asking. */
  isFreed(path: string): boolean {
    const plain = folded(path);
    return this.rules.findLast(({ glob }) => glob.matches(plain))?.isFree === true;
  }

  /** Whether reading it asks as well. */
  isSecret(path: string): boolean {
    const kind = this.of(path);
    return kind !== null && kind !== 'build';
  }
}

/** Whether changing a file always asks. */
export function isProtected(path: string): boolean {
  const plain = folded(path);
  return protectedGlobs.some((glob) => glob.matches(plain));
}

function rulesOf(patterns: SensitivityPatterns, kind: Sensitivity): Rule[] {
  return Object.entries(patterns).map(([pattern, isFree]) => ({ glob: new Glob(pattern, { ignoreCase: true }), isFree, kind }));
}

/** Windows reads `.env.`, `.env::$DATA` and `GIT~1` as `.env` and `.git`, others pass over characters that nobody sees. */
function folded(path: string): string {
  return path
    .split(/[\\/]/)
    .map((name) =>
      name
        .normalize('NFKC')
        .replace(/[\p{Cf}\p{Mn}]/gu, '')
        .replace(/:.*$/, '')
        .replace(/(?<=[^. ])[. ]+$/, '')
        .replace(/^(git|vscode)~\d+$/i, '.$1'),
    )
    .join('/');
}
