import type { ListedFiles } from './nameRules';

/** Extensions of code that a tool may load as configuration. */
const code = '{js,cjs,mjs,jsx,ts,cts,mts,tsx,coffee}';

/**
 * Files that determine what other programs install, build or run. They can be read freely, but changes need
 * approval. Most patterns are generic (`*.config.*`, `.*rc`, dot files), because extensions load configuration files
 * with unknown names. The last matching pattern applies.
 */
export const buildFiles: readonly ListedFiles[] = [
  {
    kind: 'names that begin with a dot, which configure tools',
    askPatterns: ['.[!.]*', '**/.[!.]*/**'],
    exemptPatterns: [
      '.{gitkeep,keep,nojekyll,mailmap,editorconfig}',
      '.*ignore',
      '.env*{.,-,_}{example,sample,template,dist}',
      '**/.github/{ISSUE_TEMPLATE,PULL_REQUEST_TEMPLATE,DISCUSSION_TEMPLATE}/**',
      '**/.github/*.md',
      '**/.changeset/*.md',
      '**/.well-known/**',
    ],
  },
  {
    kind: 'configuration by its name',
    askPatterns: [
      '*.config',
      '*.config.*',
      `*.{conf,setup,preset,workspace,projects}.{${code},json,json5}`,
      '*[!s]rc',
      '*rc.toml',
    ],
    // In `src`, a file with a name such as `database.config.ts` is usually a module of the program.
    exemptPatterns: [`**/src/**/*.{config,conf,setup,preset,workspace,projects}{,.server}.${code}`],
  },
  {
    kind: 'configuration that tools look for from the folder of an edited file upwards',
    askPatterns: [
      `{eslint,prettier,stylelint,commitlint,postcss,tailwind,babel,jest,vitest,vite,webpack,rollup,rspack,playwright,cypress,karma,metro,next,nuxt,svelte,astro,tsup,graphql,apollo,biome,oxlint,remark,textlint,unocss,uno,vue,vetur,volar,mdx}{,.*}.{config,conf,setup,preset,workspace,projects}.*`,
    ],
  },
  {
    kind: 'short names of Windows, which may be any file',
    askPatterns: ['*~[0-9]*'],
  },
  {
    kind: 'packages and what locks them',
    askPatterns: [
      'package.{json,json5,yaml}',
      '{package-lock,npm-shrinkwrap}.json',
      '*.lock',
      '*-lock.{json,yml,yaml}',
      'bun.lockb',
      '{go.mod,go.sum,go.work,go.work.sum}',
      '{composer,deno,bower,lerna,nx,turbo,rush,jsr,wireit,nest-cli,nestconfig,angular,global,omnisharp,vcpkg,vcpkg-configuration,dotnet-tools}.{json,jsonc}',
      'requirements*.{txt,in}',
      '**/requirements/*.{txt,in}',
      'constraints*.txt',
      '{pnpm-workspace,melos,invoke,devenv}.yaml',
      '{Pipfile,pixi,bunfig,mise,uv,pdm,hatch,rust-toolchain,pyproject,Cargo,tox,setup}.{toml,ini,cfg}',
      '{Pipfile,rust-toolchain,cpanfile,dune,dune-project,dune-workspace,cabal.project*,paket.dependencies}',
      '{mix.exs,rebar.*,Package.swift,stack.yaml,build.zig,build.zig.zon,shard.yml,pubspec.yaml,Project.toml,elm.json,gleam.toml,dub.json,dub.sdl,conanfile.*}',
      '*.{cabal,nix,opam,nimble,gemspec,podspec}',
      '**/{node_modules,.venv,venv,bower_components,site-packages}/**',
    ],
  },
  {
    kind: 'what languages run by themselves',
    askPatterns: [
      '{setup,conftest,build,noxfile,tasks,fabfile,sitecustomize,usercustomize,dodo,hatch_build}.py',
      '{jupyter*,ipython}_config.py',
      'build.rs',
      '{config.ru,deps.edn,bb.edn,project.clj,profiles.clj,shadow-cljs.edn,config.nims,Setup.hs,hie.yaml,php.ini,guix.scm,manifest.scm}',
      '{build,dart_test,analysis_options}.{yaml,yml}',
      '**/{renv,sorbet}/{activate.R,config}',
      '*.pth',
    ],
    exemptPatterns: ['**/src/**/{tasks,build,setup}.py'],
  },
  {
    kind: 'linters, formatters, language servers and test runners',
    askPatterns: [
      '*.neon{,.dist}',
      '*.xml.dist',
      '{phpunit,phpcs,phpmd,psalm}*.xml',
      '{rector,ecs,castor,deploy,RoboFile}.php',
      '{pint,biome,dprint,cypress,pyrightconfig,renovate,compile_commands,jest*,typedoc,knip,nano-staged,rslint,auto-config}.{json,jsonc,json5}',
      '{grumphp,robo,detekt,fourmolu}.{yml,yaml}',
      '{mypy,pytest,pycodestyle}.{ini,cfg}',
      '{ruff,clippy,rustfmt,rust-analyzer,Cross,Trunk,bacon,foundry,pants}.toml',
      '{compile_flags.txt,mocha.opts,cucumber.*,wallaby.*,stylecop.json,PSScriptAnalyzerSettings.psd1}',
      `{eslint-options,truffle-config,rollup-config,auto-config,jest-preset,jest.*,karma-main,babel-transform,esbuild,esbuild.*,webpack,webpack.*,webpackfile,tailwind,typedoc,knip,gatsby-*,gridsome.*,ember-cli-*,nano-staged}.${code}`,
      '{lighthouserc,phpunit-watcher}.*',
      '{ts,js}config{,.*}.json',
    ],
    exemptPatterns: ['**/src/**/{cucumber,wallaby,esbuild,webpack,tailwind,typedoc,knip,lighthouserc}.*'],
  },
  {
    kind: 'what builds',
    askPatterns: [
      // Names with this ending and without an extension: `Makefile`, `Rakefile`, `Fastfile`, `justfile`.
      '?*file',
      '{Dockerfile,Containerfile,Makefile,Procfile,Taskfile,gulpfile,Gruntfile,Jakefile,plopfile,Dangerfile,magefile}.*',
      '*.{Dockerfile,Containerfile}',
      '*.{gradle,gradle.kts,cmake,mk,sbt,bzl,bazel}',
      '{gradlew,gradlew.bat,mvnw,mvnw.cmd,gradle.properties,gradle-wrapper.properties,gradle-wrapper.jar,BUILD,BUCK,WORKSPACE,SConstruct,SConscript,wscript,waf,Kbuild,Kconfig,configure,configure.ac,autogen.sh,makefile.am}',
      '{meson.build,meson_options.txt,meson.options,pom.xml,build.xml,ivy.xml,CMakeLists.txt,xmake.lua,premake*.lua,Makefile.PL,Build.PL}',
      'CMake*Presets.json',
      '{build.sc,build.mill,build.cake,build.fsx,build.ps1,psake.ps1}',
      '{skaffold,devspace,garden,moon}.{yml,yaml}',
      '{dagger,devbox}.json',
      '{PKGBUILD,APKBUILD,SCsub,Appraisals,bake.hcl,docker-bake.hcl,terragrunt.hcl,ansible.cfg}',
      '{docker-,}compose{.*,-*,}.{yml,yaml}',
      '*.{csproj,fsproj,vbproj,vcxproj,proj,targets,props,rsp,sln,slnx}',
      '**/Properties/launchSettings.json',
    ],
  },
  {
    kind: 'what runs elsewhere',
    askPatterns: [
      '{azure-pipelines*,bitbucket-pipelines,buildspec,cloudbuild,codemagic,appveyor,goreleaser,render,railway,amplify,app,action}.{yml,yaml,json}',
      '{wercker,serverless,netlify,fly,vercel,wrangler,firebase,now}.{yml,yaml,toml,json,jsonc,js,ts}',
    ],
    exemptPatterns: ['**/src/**/{app,action,render,serverless,firebase,now}.{js,ts,json,yml,yaml}'],
  },
];
