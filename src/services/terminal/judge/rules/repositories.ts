/** Rules for git, other version control systems and repository hosts. */
export const repositoryRules = String.raw`
// https://cli.github.com/manual/
gh = high publishes
  critical deletesPublished: repo delete|archive|rename|edit or api -X|--method /^DELETE$/i or api /^-X=?DELETE$/i
  high deletesPublished: /^(delete|delete-asset|remove|unlink)$/
  high readsSecrets: auth token|refresh|setup-git|login|logout or auth status --show-token|-t
  low: auth status
    or pr|issue|run|release|repo|workflow|gist|label|secret|variable|cache|project|org|ruleset|alias|extension|config|ssh-key
    |gpg-key|codespace list|view|status|diff|checks|watch|ls|get
    or search|status|browse|version|help
  medium changesFiles: pr checkout or repo|run|release|gist clone|download
  medium usesNetwork: api !-X|--method|-f|-F|--field|--raw-field|--input

// https://docs.gitlab.com/cli/
glab hub tea = high publishes
  critical deletesPublished: repo|project delete|archive or delete
  high deletesPublished: /^(delete|remove)$/
  low: mr|issue|ci|pipeline|release|repo|pr list|view|status|diff|ls

// https://git-scm.com/docs
git = medium changesRepository
  critical overwritesHistory: push -f|--force|--force-with-lease|--force-if-includes|--mirror|--prune or push <plus>
  critical deletesPublished: push -d|--delete or push <colon>
  high runsAnother: push|fetch|pull|ls-remote|archive|fetch-pack|send-pack --upload-pack|--receive-pack|--exec
    or clone|init --upload-pack|-u|--template|-c|--config
  high publishesCommits: push|send-email|send-pack|request-pull|svn|p4
  low readsRepository: stash|reflog|worktree|remote|bisect|submodule|notes|lfs list|show|get-url|log|status|ls-files|summary
    |exists|env|version
    or remote|reflog|worktree|notes <no-sub> !-D
    or branch <no-sub> !-D|-d|-m|-M|-c|-C|--delete|--move|--copy|-f|--force|--edit-description|-u|--set-upstream-to|--unset-upstream
    or branch --list|-l|--contains|--merged|--no-merged|--points-at|--show-current !-D|-d|-f|-m|-M
    or tag <no-sub> !-d|--delete|-f or tag --list|-l|-n|--contains|--points-at|--merged !-d|--delete|-f
    or config --get|--get-all|--list|-l|--get-regexp|--show-origin !--unset|--add or config get|list
    or clean|add|rm|mv|fetch -n|--dry-run or apply --stat|--check|--numstat !--apply or symbolic-ref !-d|--delete|-m !/^refs\/heads\//
  high runsAnother: difftool|mergetool|instaweb|daemon or grep -O|--open-files-in-pager
  low readsRepository: status|log|diff|show|blame|annotate|shortlog|whatchanged|cherry|range-diff|diff-tree|diff-files|diff-index
    or grep|ls-files|ls-tree|ls-remote|cat-file|rev-parse|rev-list|merge-base|describe|name-rev|show-ref|show-branch|for-each-ref
    or check-ignore|check-attr|count-objects|fsck|var|version|help
  high deletesFolders: worktree|submodule remove|deinit -f|--force
  high losesHistory: reflog|gc|prune expire|delete or gc --prune|--aggressive
    or prune|filter-branch|filter-repo|replace|update-ref or branch -D|-d|--delete|-M|-C|-f|--force
    or tag -d|--delete|-f|--force or notes|remote|worktree|submodule|bisect remove|rm|prune|deinit|reset|prune-remote
    or symbolic-ref or lfs prune
  high deletesIgnored: clean -x|-X
  high discards: reset|clean|checkout|restore|rebase|stash|read-tree|checkout-index
    or switch|merge|am|cherry-pick|revert -f|--force|--discard-changes|-C|--abort|--hard|--skip|--quit
    or submodule update|foreach
  high deletesFiles: rm !--cached
  high runsAnother: bisect run
    or config /^core\.(pager|editor|sshcommand|hookspath|fsmonitor|askpass|gitproxy|attributesfile|excludesfile|worktree)/i
    or config /^(alias|pager|sequence|include(if)?|gpg|interactive|protocol|difftool|mergetool|browser|man|trailer|uploadpack)\./i
    or config /^(diff|filter|merge|credential|lfs|url)\.|^init\.templatedir|^submodule\..*\.update/i
    or config /^remote\..*\.(uploadpack|receivepack|vcs|proxy)/i
  high readsSecrets: credential|credential-store|credential-cache

// https://svnbook.red-bean.com/, https://www.mercurial-scm.org/help
svn hg jj fossil bzr
  low readsRepository: status|log|diff|info|cat|blame|list|ls|st|show|annotate|summary|heads|branches|tags
  critical publishesCommits: push -f|--force
  high publishesCommits: push|commit|ci|git
  high discards: revert|update|strip|purge|cleanup|abandon|restore|switch
  high deletesFiles: delete|rm|remove|del
`;
