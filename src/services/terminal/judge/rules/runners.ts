import { group, type RuleGroup } from './rule';

/** Programs that run what they are given, and those that publish something with a subcommand. */
export const runnerRules: readonly RuleGroup[] = [
  group('hash', 'GNU Bash manual: hash', ['high', 'changesSettings', '-p'], ['low', '', '']),
  group('enable', 'GNU Bash manual: enable', ['high', 'runsAnother', '-f']),
  group('complete compgen', 'GNU Bash manual: complete', ['high', 'runsAnother', '-C|-F']),
  group('mapfile readarray', 'GNU Bash manual: mapfile', ['high', 'runsAnother', '-C']),
  group('bind', 'GNU Bash manual: bind', ['high', 'runsAnother', '-x|-f']),
  group(
    'groovy scala kotlin elixir iex erl ghc clojure clj racket guile sbcl raku jshell bpftrace',
    'the manuals of these languages: a program as an argument',
    ['high', 'runsText', '/^(-e|-E|-eval|--eval(=.*)?|--rpc-eval)$/'],
  ),
  group('expect', 'expect(1)', ['high', 'runsText', '-c|-f']),
  group(
    'gdb lldb',
    'https://sourceware.org/gdb/current/onlinedocs/gdb/, https://lldb.llvm.org/man/lldb.html',
    ['high', 'runsText', '/^(-x|-ix|--command(=.*)?|-s|-S|--source(=.*)?|--source-before-file)$/'],
    ['high', 'runsText', '/^\\s*((shell|pipe|python|py|guile|source|script|command\\s+script|platform\\s+shell)\\s|!|\\|)/'],
  ),
  group(
    'mshta regsvr32 rundll32 cscript wscript installutil regasm regsvcs cmstp msxsl forfiles pcalua',
    'LOLBAS: https://lolbas-project.github.io',
    ['critical', 'runsDownloaded', '/^(\\/i:)?(https?:|\\\\\\\\)/i'],
    ['critical', 'runsDownloaded', '/^(javascript|vbscript|about):/i'],
    ['high', 'runsAnother', ''],
  ),
  group(
    'jsr deno rebar3 gleam elm nimble dub wally spago',
    'https://jsr.io/docs/publishing-packages, https://docs.deno.com/runtime/reference/cli/publish',
    ['medium', 'publishesPackage', 'publish --dry-run'],
    ['critical', 'publishesPackage', 'publish'],
    ['critical', 'publishesPackage', 'hex publish|retire|revert'],
  ),
  group(
    'hf huggingface-cli kaggle conan vagrant snapcraft anaconda expo charmcraft replicate modal',
    'https://huggingface.co/docs/huggingface_hub/guides/cli, https://github.com/Kaggle/kaggle-api',
    ['high', 'deletesPublished', 'repo|repos|repo-files|jobs|cloud|tag delete|rm|remove'],
    ['high', 'publishes', 'upload|upload-large-folder|publish|push|submit|release|deploy'],
    ['high', 'publishes', 'datasets|models|kernels|competitions|cloud|repo|repos create|version|push|publish|submit|box'],
    ['high', 'readsSecrets', 'auth login|logout|switch|token'],
    ['high', 'readsSecrets', 'login|logout'],
  ),
  group('gh-pages', 'https://github.com/tschaub/gh-pages', ['high', 'publishes', '']),
];
