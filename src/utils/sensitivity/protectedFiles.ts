/**
 * Lists what configures the editor, git or an agent, or runs by itself: no pattern and no approval for a session frees it. Names of
 * agents are those of rulesync and ruler (MIT), and of the agents' own pages.
 */
export const protectedFiles: readonly string[] = [
  // Version control and its hooks.
  '**/.{git,hg,jj,svn,husky,githooks,git-hooks}/**',
  '.{gitconfig,gitmodules,gitattributes,lfsconfig,hgrc,ghooksrc}',
  '{.pre-commit-config,lefthook,.lefthook,lefthook-local,.lefthook-local,.overcommit}.{yml,yaml,json,toml}',
  '.lefthookrc',
  '{.simple-git-hooks,simple-git-hooks}.{json,js,cjs,mjs,ts}',
  '{lint-staged.config.*,.lintstagedrc,.lintstagedrc.*,.huskyrc,.huskyrc.*,husky.config.*}',
  // Editors, which run what stands there when a folder or a file is opened.
  '**/.{vscode,vscode-*,vs,idea,fleet,run,theia,zed,helix,nova,lapce,netbeans,vim,nvim,emacs.d,codesandbox,idx,ona}/**',
  '*.{code-workspace,vs.json,run.xml,sublime-*}',
  '{.*vimrc*,_vimrc,.exrc,.nvim.lua,.vimspector.json,.dir-locals*.el,.emacs,.projectile,.kakrc,.tm_properties,.brackets.json}',
  '{.replit,replit.nix,.stackblitzrc}',
  // What runs when a folder is opened in a container or a cloud.
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
  // By what these leave out, files are read only after asking: whoever changes them could free a file, for this agent or for others.
  '.{git,rg,ollamacopilot,ai,aider,augment,claude,cline,codeium,continue,copilot,cursor,cursorindexing,gemini,goose,kilocode,roo}ignore',
  '.{ignore,aiexclude}',
];
