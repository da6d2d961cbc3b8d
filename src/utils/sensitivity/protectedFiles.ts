/** Lists what configures the editor, git or an agent, or runs by itself: no pattern and no approval for a session frees it. */
export const protectedFiles: readonly string[] = [
  '**/.{git,hg,vscode,husky,githooks,devcontainer,cursor,idea}/**',
  '.{git,hg,vscode,husky,githooks,devcontainer,cursor,idea}',
  '{agent,agents,agents.override,claude,claude.local,gemini,qwen,copilot-instructions}.md',
  '.{cursorrules,clinerules,windsurfrules,roorules,roomodes,goosehints}',
  '.{clinerules,roorules}-*',
  '**/.{agents,amazonq,augment,clinerules,roo,claude,windsurf,continue,gemini,codex,junie,kilocode,kiro,opencode,qwen,trae,zed}/**',
  '**/.github/{agents,chatmodes,hooks,instructions,prompts,skills}/**',
  '{.pre-commit-config,lefthook,.lefthook,lefthook-local,.lefthook-local,.overcommit}.{yml,yaml,json,toml}',
  '{opencode.{json,jsonc},.aider.conf.yml}',
  '{.mcp,mcp}.json',
  '.{gitmodules,gitattributes,lfsconfig}',
  '*.code-workspace',
  '*.{instructions,prompt,chatmode,agent}.md',
  // What runs when a folder is opened in a container or a cloud, or when a commit is made.
  '{.devcontainer.json,devcontainer.json,.gitpod.yml,.gitpod.yaml,.gitpod.Dockerfile,devfile.yaml,.devfile.yaml}',
  '{.simple-git-hooks,simple-git-hooks}.{json,js,cjs,mjs,ts}',
  '{lint-staged.config.*,.lintstagedrc,.lintstagedrc.*,.huskyrc,.huskyrc.*,husky.config.*}',
  // By what these leave out, files are read only after asking: whoever changes them could free a file.
  '.{gitignore,ignore,rgignore,ollamacopilotignore,aiexclude,aiignore,cursorignore}',
];
