export const packageRules = String.raw`
// https://docs.npmjs.com/cli/commands, https://pnpm.io/cli/, https://yarnpkg.com/cli
npm pnpm yarn bun lerna nx changeset
  low: /^(un)?publish$/ --help
  critical deletesPublished: unp[ublish]
  critical publishesPackage: pu[blish] or npm|workspaces|release publish|foreach
  high publishes: dep[recate]|ow[ner]|ac[cess]|dis[t-tag]|tag|team|org|star|hook|stage
  high changesSettings: set or con[fig]|c|pkg set|delete|edit|rm|unset|fix
  high readsSecrets: token|login|adduser|profile|logout
  high changesInstalled: i|ci|ins[tall]|install-test|it|add|get|update|upgrade|up|remove|rm|uninstall|un|r|prune|link|unlink|import
    or dedupe|create|dlx|rebuild|global|self-update or audit fix
  high deletesFiles: cache clean|delete|rm
  high runsAnother: --browser
  low: ls|list|ll|la|view|info|show|outdated|why|explain|root|prefix|bin|help|ping|whoami|search|audit|licenses|fund|docs|repo
    or bugs|doctor|query or config|pkg|cache get|list|ls|verify
  medium runsTests: /^(t|tst|test.*)$/

// https://docs.npmjs.com/cli/commands/npx
npx bunx uvx pipx
  high changesInstalled: -y|--yes
  critical runsDownloaded: <url>
  high changesInstalled: install|uninstall|upgrade
  low: list

// https://code.visualstudio.com/api/working-with-extensions/publishing-extension
np semantic-release release-it standard-version vsce ovsx goreleaser jreleaser = high publishes
  low: ls|show|list
  critical deletesPublished: unpublish
  critical publishesPackage: publish|release
  medium changesFiles: package|build|check

// https://twine.readthedocs.io/
twine flit hatch maturin
  critical publishesPackage: upload|publish|register

// https://pip.pypa.io/en/stable/cli/, https://python-poetry.org/docs/cli/
pip pip3 uv poetry pdm conda mamba pipenv easy_install
  critical publishesPackage: publish
  critical runsDownloaded: install <url>
  high changesSettings: config set|unset|edit or config /^(repositories|pypi-token|http-basic|certificates)\b/
    or config --add|--set|--prepend|--append|--remove|--remove-key|--unset|--migrate
    or config /^[\w-]+\./ /^(true|false|\d+|[\/~.].*)$/
  medium changesFiles: version --bump|--next-phase or version /^(v?\d|(pre)?(patch|minor|major|release)$)/
  high deletesFolders: env remove
  high changesInstalled: install|add|get|update|upgrade|remove|uninstall|sync|lock|pip|tool|self|create|clean
  high deletesFiles: cache purge|remove|clean|clear|prune
  low: list|show|freeze|check|config|search|info|tree|help|debug|index|version or env|cache list|info|dir
  medium runsTests: /^test/

// https://doc.rust-lang.org/cargo/commands/
cargo
  critical publishesPackage: publish or release|workspaces|ws publish
  high publishes: yank|owner|login|logout
  high changesInstalled: add|install|update|upgrade|remove|uninstall|rm
  low: tree|metadata|search|info|locate-project|pkgid|read-manifest|verify-project|help|version
  medium runsTests: /^(t|test|nextest|bench)$/

// https://rust-lang.github.io/rustup/
rustup nvm fnm volta pyenv rbenv asdf mise sdk = high changesInstalled
  low: show|list|ls|current|which|versions|version

// https://pkg.go.dev/cmd/go
go
  high changesInstalled: get|install
  high deletesFiles: clean -cache|-modcache|-testcache|-i
  high runsAnother: -exec|-toolexec|-vettool
  high changesSettings: env -w|-u
  low: version|list|doc|help|env !-w|-u or mod graph|why|verify
  medium runsTests: test

// https://guides.rubygems.org/command-reference/
gem
  critical deletesPublished: yank
  critical publishesPackage: push
  high publishes: owner|signin
  high changesSettings: sources -a|--add|-r|--remove|-c|--clear-all
  high changesInstalled: install|update|uninstall|cleanup|i
  low: list|search|info|environment|which|outdated|help|contents|dependency|env

// https://bundler.io/man/bundle.1.html, https://getcomposer.org/doc/03-cli.md
bundle bundler composer
  high changesSettings: config /^(mirror\.|build\.|plugin|repo(sitorie)?s?\.|scripts\b|allow-plugins)/i
  high changesInstalled: install|update|add|remove|require|create-project|global|self-update|clean
  low: list|show|info|outdated|check|why|licenses|validate|diagnose

// https://maven.apache.org/plugins/maven-deploy-plugin/
mvn gradle gradlew mvnw sbt lein ant
  critical publishesPackage: /^\+?(:?[\w-]+:)*(deploy|publish\w*|release:perform|uploadArchives|closeAndReleaseRepository)$/
  low: -v|--version
  medium runsTests: /^test/

// https://learn.microsoft.com/dotnet/core/tools/
dotnet nuget
  critical wipesData: ef database drop
  critical deletesPublished: nuget delete
  high changesSettings: nuget add|update|remove|enable|disable source
  critical publishesPackage: nuget push or push
  critical deletesPublished: delete
  high changesInstalled: add|remove|tool|workload|install
  low: --list-sdks|--list-runtimes|--info|--version or list
  medium runsTests: test

// https://hex.pm/docs/publish, https://guides.cocoapods.org/
mix hex swift pod dart flutter luarocks cabal stack opam cpan cpanm
  critical wipesData: /^(ecto\.(drop|reset)|ash\.(reset|tear_down)|ash_postgres\.drop),?$/
  critical publishesPackage: /^(hex\.publish|publish|upload|push)$/ or trunk push|delete or pub publish|lish
  high changesInstalled: install|update|upgrade|deps.get|add|remove|get
  medium runsTests: test

// apt-get(8), aptitude(8), emerge(1)
apt apt-get aptitude emerge
  low: -s|--simulate|--just-print|--dry-run|--no-act|--search

// apt(8), dnf(8), https://docs.brew.sh/Manpage
apt apt-get aptitude yum dnf zypper apk brew port snap flatpak choco winget scoop emerge pkg xbps-install install-package
uninstall-package install-module nix-collect-garbage msiexec = high changesInstalled
  low: list|show|search|info|policy|depends|outdated|deps|leaves|doctor|query|files|history
    or config <no-sub> or config list|get
  critical changesSystem: purge|autoremove|dist-upgrade|full-upgrade|release-upgrade or --purge
  critical runsDownloaded: <url> !update|upgrade|tap|add|remote-add|info|search

// pacman(8)
pacman yay paru = high changesInstalled
  critical changesSystem: /^-R[a-z]*$/ or --remove
  critical runsDownloaded: <url>
  low: /^-[QF][a-z]*$|^-S[silgp][silgpq]*$/ or --query|--files

// dpkg(1), rpm(8), nix-env(1)
dpkg rpm nix-env = high changesInstalled
  critical changesSystem: --purge
  low: /^-(q[a-z]*|[lLsSpcIV])$/ !--eval|--pipe|--define !/^-[ieFPrU][a-z]*$|^--(install|remove|upgrade|erase)/
    or --list|--listfiles|--status|--search|--query|--verify|--get-selections !--eval|--pipe|--define
  critical runsDownloaded: <url>

// https://docs.docker.com/reference/cli/docker/
docker podman nerdctl
  critical changesSystem: exec --privileged or container|compose? run|create --privileged|--pid
    or container|compose? run|create /^(-v|--volume=)?\/:|source=\/,|docker\.sock/
    or container|compose? run|create /^(-v|--volume=)?\/(usr|bin|sbin|dev|lib|root|home|run|var\/run|var\/lib)\/?:/
    or container|compose? run|create /^(-v|--volume=)?(\/(etc|boot|sys|proc)(\/[^:]*)?|~\/?|\$\{?HOME\}?\/?):/
    or container|compose? run|create /^(--cap-add=)?(ALL|(CAP_)?SYS_(ADMIN|PTRACE|MODULE|RAWIO))$/i
  high mountsFolders: container|compose? run|create /^(-v|--volume=)?([.~$/]|[a-z]:[\\/])[^,]*:[\/a-z]|type=bind\b/i
    or container|compose? run|create --cap-add|--device|--volumes-from|--security-opt
    or container|compose? run|create /^(--(net|network|ipc|uts|userns|cgroupns)=)?host$/
  high publishesImage: image|manifest|compose|plugin? push or build|buildx --push
  high deletesContainers: rm|rmi|kill
    or system|volume|image|container|network|builder|buildx|secret|config|service|stack|node|context|pod|swarm|plugin|manifest
    |machine rm|remove|prune|kill|leave|reset or compose down|rm|kill
  high readsSecrets: login|logout
  low: ps|images|logs|inspect|version|info|stats|top|port|history|diff|search|events
    or container|image|volume|network|system|context|compose|buildx|node|service|stack|secret ls|list|ps|inspect|df|logs
    |config|images|top|port|version|history|show|info

// https://docs.docker.com/reference/cli/docker/compose/
docker-compose podman-compose
  high publishesImage: push
  high deletesContainers: down|rm|kill
  low: ps|logs|config|images|top|port|version|ls

// https://github.com/containers/skopeo
skopeo crane regctl oras cosign buildah ko kaniko = high publishesImage
  low: inspect|list-tags|ls|manifest|digest|verify|version
  critical deletesPublished: delete|rm

// https://www.gnu.org/software/make/manual/
make gmake ninja just task rake cmake meson bazel buck2
  high runsText: --eval
  low: /^-n$/ !init or --dry-run|--just-print|--version
  high publishes: /^(deploy|publish|release|upload)$/
  high deletesFiles: /^(distclean|clobber|purge|nuke|wipe|expunge|drop|destroy)$/
  high changesSystem: /^(install|uninstall)$/

// https://guides.rubyonrails.org/command_line.html
rails rake artisan console manage.py django-admin prisma sequelize knex typeorm alembic flyway liquibase drizzle-kit diesel sqlx
sea-orm-cli goose dbmate migrate hasura
  critical wipesData: /^(db:(drop|reset|purge|wipe|truncate_all|schema:load)|migrate:(fresh|reset|refresh)|schema:drop)$/
    or /^(flush|reset_db|reset|clean|dropall|drop-all|drop)$/
    or --force-reset|--accept-data-loss or /^(doctrine:(database|schema):drop|fresh|down-to)$/ or downgrade /^base$/
    or /^migrate:rollback$/ --all or migrate --down

// gpg(1)
gpg gpg2
  critical deletesData: --delete-secret-keys|--delete-secret-and-public-key|--delete-keys|--delete-key|--delete-secret-key
  high readsSecrets: --export-secret-keys|--export-secret-subkeys|--export-secret-key|-d|--decrypt
  high publishes: --send-keys|--send-key
  low: --list-keys|-k|-K|--list-secret-keys|--verify|--version

// https://www.passwordstore.org/, tldr-pages osx/security
pass op bw keyring secret-tool lpass cmdkey gopass sops age doppler = high readsSecrets
  critical deletesData: /^(rm|delete|clear)$/
  low: --version

// ssh-keygen(1), openssl(1)
ssh-keygen ssh-add openssl keytool = high changesFiles
  low: -l|-L or version or dgst|x509 !-out|-sign|-signkey
  high readsSecrets: rsa|pkcs12|pkey|ec|genrsa|enc|-D

// tmux(1)
tmux screen watch parallel entr nodemon
  high endsPrograms: /^kill-(server|session|pane|window)$/
  low: ls|list-sessions

// https://code.visualstudio.com/docs/configure/command-line
code codium
  low: --list-extensions|--version|--status
  high changesInstalled: --install-extension|--uninstall-extension

// https://github.com/ollama/ollama
ollama
  low: list|ls|ps|show
  high deletesData: rm
  high publishes: push
`;
