/** Rules for programs that run their arguments, and for programs with a publishing subcommand. */
export const runnerRules = String.raw`
// GNU Bash manual: hash
hash = low
  high changesSettings: /^-p|=/

// GNU Bash manual: enable
enable
  high runsAnother: -f

// GNU Bash manual: complete
complete compgen
  high runsAnother: -C|-F

// GNU Bash manual: mapfile
mapfile readarray
  high runsAnother: -C

// GNU Bash manual: bind
bind
  high runsAnother: -x|-f

// the manuals of these languages: a program as an argument
groovy scala kotlin elixir iex erl ghc clojure clj racket guile sbcl raku jshell bpftrace
  high runsText: /^(-e|-E|-eval|--eval(=.*)?|--rpc-eval)$/

// expect(1)
expect
  high runsText: -c|-f

// https://sourceware.org/gdb/current/onlinedocs/gdb/, https://lldb.llvm.org/man/lldb.html
gdb lldb
  high runsText: /^(-x|-ix|--command(=.*)?|-s|-S|--source(=.*)?|--source-before-file)$/
    or /^\s*((shell|pipe|python|py|guile|source|script|command\s+script|platform\s+shell)\s|!|\|)/

// LOLBAS: https://lolbas-project.github.io
mshta regsvr32 rundll32 cscript wscript installutil regasm regsvcs cmstp msxsl forfiles pcalua = high runsAnother
  critical runsDownloaded: /^(\/i:)?(https?:|\\\\)/i or /^(javascript|vbscript|about):/i

// https://jsr.io/docs/publishing-packages, https://docs.deno.com/runtime/reference/cli/publish
jsr deno rebar3 gleam elm nimble dub wally spago
  medium publishesPackage: publish --dry-run
  critical publishesPackage: publish or hex publish|retire|revert

// https://huggingface.co/docs/huggingface_hub/guides/cli, https://github.com/Kaggle/kaggle-api
hf huggingface-cli kaggle conan vagrant snapcraft anaconda expo charmcraft replicate modal
  high deletesPublished: repo|repos|repo-files|jobs|cloud|tag delete|rm|remove
  high publishes: upload|upload-large-folder|publish|push|submit|release|deploy
    or datasets|models|kernels|competitions|cloud|repo|repos create|version|push|publish|submit|box
  high readsSecrets: auth login|logout|switch|token or login|logout

// https://github.com/tschaub/gh-pages
gh-pages = high publishes
`;
