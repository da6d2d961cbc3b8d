/**
 * Files that configure the editor, git or an agent, or that run automatically. No pattern and no session permission
 * exempts them. The names of agent files are from rulesync and ruler (MIT) and from the documentation of the agents.
 */
export const protectedFiles: readonly string[] = [
  // Version control and hooks.
  '**/.{git,hg,jj,svn,husky,githooks,git-hooks}/**',
  '.{gitconfig,gitmodules,gitattributes,lfsconfig,hgrc,ghooksrc}',
  '{.pre-commit-config,lefthook,.lefthook,lefthook-local,.lefthook-local,.overcommit}.{yml,yaml,json,toml}',
  '.lefthookrc',
  '{.simple-git-hooks,simple-git-hooks}.{json,js,cjs,mjs,ts}',
  '{lint-staged.config.*,.lintstagedrc,.lintstagedrc.*,.huskyrc,.huskyrc.*,husky.config.*}',
  // Editors that run code from these files when a folder or file is opened.
  '**/.{vscode,vscode-*,vs,idea,fleet,run,theia,zed,helix,nova,lapce,netbeans,vim,nvim,emacs.d,codesandbox,idx,ona}/**',
  '*.{code-workspace,vs.json,run.xml,sublime-*}',
  '{.*vimrc*,_vimrc,.exrc,.nvim.lua,.vimspector.json,.dir-locals*.el,.emacs,.projectile,.kakrc,.tm_properties,.brackets.json}',
  '{.replit,replit.nix,.stackblitzrc}',
  // Files that run when a folder is opened in a container or in the cloud.
  '**/.devcontainer/**',
  '{.devcontainer.json,devcontainer.json,.gitpod.yml,.gitpod.yaml,.gitpod.Dockerfile,devfile.yaml,.devfile.yaml,copilot-setup-steps.*}',
  // Instructions and settings of agents.
  '{agent,agents,agents.override,claude,claude.local,gemini,qwen,copilot-instructions,warp,crush,crush.local,iflow,codebuddy,replit,skill}.md',
  '*.{instructions,prompt,chatmode,agent}.md',
  '**/.{agent,agents,amazonq,amp,antigravity,augment,bolt,claude,clinerules,cody,codebuddy,codex,continue,copilot,crush,cursor,devin,factory,gemini,iflow,jules,junie,kilocode,kiro,lingma,opencode,openhands,pi,qoder,qwen,roo,ruler,rulesync,tabnine,trae,windsurf}/**',
  '**/.github/{agents,chatmodes,hooks,instructions,prompts,skills}/**',
  '.{cursorrules,clinerules,windsurfrules,roorules,roomodes,kilocodemodes,continuerules,goosehints,rules}',
  '.{clinerules,roorules,augment,openhands}[-_]*',
  '{opencode,crush,.crush,firebender,rulesync,mcp,.mcp}.{json,jsonc}',
  '.aider.*',
  // Ignore files of agents. A change could give this or another agent access to files that need approval.
  '.{git,rg,ollamacopilot,ai,aider,augment,claude,cline,codeium,continue,copilot,cursor,cursorindexing,gemini,goose,kilocode,roo}ignore',
  '.{ignore,aiexclude}',
];
