export const macRules = String.raw`
// tldr-pages osx/diskutil, asr(8), bless(8), newfs_apfs(8)
diskutil asr = critical overwritesDisk
  low: list|info|activity|listFilesystems
  high changesSystem: mount|unmount|mountDisk|unmountDisk|eject|rename|renameVolume|verifyVolume|verifyDisk|repairVolume

// bless(8)
bless = high changesSystem
  low: --info|-info|--getBoot

// tldr-pages osx/tmutil
tmutil = high changesSystem
  critical deletesData: delete|deletelocalsnapshots|deleteinprogress|thinlocalsnapshots|disable
  low: listbackups|listlocalsnapshots|listlocalsnapshotdates|status|latestbackup|destinationinfo|isexcluded|version|compare|uniquesize|machinedirectory

// tldr-pages osx/hdiutil
hdiutil = high changesSystem
  critical deletesData: erasekeys
  low: info|imageinfo|verify|checksum|isencrypted|pmap
  medium changesFiles: create|convert|makehybrid|resize|compact

// tldr-pages osx/{csrutil,spctl,tccutil}; LOOBins csrutil, spctl, tccutil
csrutil spctl tccutil = critical loosens
  low: status|report or --status|--assess|-a !--add

// xattr(1) of macOS: without com.apple.quarantine, a downloaded program starts unchecked
xattr = medium changesFiles
  critical loosens: /^-[a-z]*d/ /quarantine/ or /^-[a-z]*c/
  low: -l|-p !-w or <no-sub>

// tldr-pages osx/nvram
nvram = high changesSystem
  critical changesSystem: /^-[cdf]$/
  low: /^-x?p$/

// tldr-pages osx/security; LOOBins security
security = high readsSecrets
  critical deletesData: delete-keychain
  critical loosens: add-trusted-cert|remove-trusted-cert|trust-settings-import
  high changesSystem: authorizationdb|set-keychain-settings|unlock-keychain|create-keychain|import|delete-certificate
  low: list-keychains|default-keychain|login-keychain|find-identity|find-certificate|show-keychain-info|error|help|cms|verify-cert

// tldr-pages osx/{dscl,pwpolicy,fdesetup}; LOOBins dscl, sysadminctl, dsexport, sharing
dscl dseditgroup sysadminctl pwpolicy dsenableroot dsconfigad profiles = critical changesUsers
  low: -list|-ls|-read|-cat|-search|-readall|-show|status|list|show or /^(list|read|search|cat|ls|checkmember)$/
    or /^-?get\w*$/i

// fdesetup(8)
fdesetup = critical loosens
  low: status|list|isactive|version|supportsauthrestart

// sharing(1)
sharing dsexport dsimport = high readsSecrets
  low: -l

// tldr-pages osx/{systemsetup,networksetup,scutil}; LOOBins
systemsetup = high changesSystem
  critical letsIn: /^-setremote/i
  low: /^-(get|list|print|help|version)/i

// networksetup(8)
networksetup scutil = high changesSystem
  low: /^-(get|list|show|print|is|version|help)/i or --dns|--proxy|--get|--nwi or /^-r$/

// tldr-pages osx/launchctl
launchctl = high stopsServices
  critical turnsOff: reboot
  low: list|print|print-disabled|print-cache|blame|procinfo|hostinfo|managername|manageruid|managerpid|version|help|dumpstate|examine|getenv

// tldr-pages osx/defaults
defaults = high changesSystem
  low: /^(read|read-type|find|domains|help)$/ !/^(write|delete|import|rename)$/
  medium changesFiles: export

// tldr-pages osx/shortcuts, automator(1), open(1)
shortcuts automator = high runsAnother
  low: list|help

// open(1)
open = high runsAnother
  low: -R|--reveal !-a
  medium: /^[\w./-]+\.(txt|md|html?|png|jpe?g|gif|svg|pdf|csv|json|xcodeproj|xcworkspace)$/i !-a|-b|-n|--args or . !-a|-b|-n|--args

// screencapture(1), say(1)
screencapture = high readsSecrets

// ditto(1), chflags(1)
ditto = medium changesFiles
  high changesSystem: <system-last>

// chflags(1)
chflags = high changesRights
  critical changesRights: -R <broad>

// tldr-pages osx/{softwareupdate,installer,pkgutil,mas,xcode-select}
softwareupdate = high changesInstalled
  critical turnsOff: -R|--restart
  low: -l|--list !-i|--install or --history|--list-full-installers|--dump-state

// installer(1)
installer = critical changesInstalled
  low: -pkginfo|-volinfo|-dominfo|-query|-vers

// pkgutil(1)
pkgutil = high changesSystem
  low: --pkgs|--packages|--pkg-info|--files|--file-info|--volume|--payload-files|--check-signature|--groups
  medium changesFiles: --expand|--expand-full|--flatten

// mas(1)
mas = high changesInstalled
  low: list|search|outdated|account|info|version|config

// xcode-select(1)
xcode-select = high changesSystem
  low: --print-path|--version or /^-[pv]$/
  high changesInstalled: --install

// kmutil(8), kextload(8), pmset(1), mdutil(1), log(1), dscacheutil(1)
kextload kextunload kextutil = critical changesSystem

// kmutil(8)
kmutil = critical changesSystem
  low: showloaded|find|inspect|libraries|print-diagnostics|check|log|dumpstate

// kextstat(8)
kextstat = low

// pmset(1)
pmset = high changesSystem
  critical turnsOff: sleepnow|displaysleepnow|schedule|repeat|boot
  low: -g

// mdutil(1)
mdutil = high changesSystem
  low: -s|-P|-L !-i|-E|-d|-X

// log(1)
log = high deletesData
  low: show|stream|stats|help
  medium changesFiles: collect

// dscacheutil(1)
dscacheutil = high changesSystem
  low: -q|-cachedump|-configuration|-statistics

// https://docs.brew.sh/Manpage
brew
  low: --prefix|--cellar|--caskroom|--repository|--cache|--env <no-sub>

// mdfind(1)
mdfind = low
  high searchesSecrets: <secret-pattern>

// xcodebuild(1), xcrun(1), simctl, notarytool
xcodebuild = medium runsAnother
  high changesInstalled: -downloadAllPlatforms|-downloadPlatform|-runFirstLaunch|-importPlatform|-license
  low: -list|-version|-showsdks|-showBuildSettings|-showdestinations|-usage|-help

// xcrun(1)
xcrun = medium runsAnother
  high deletesData: simctl erase|delete|uninstall|keychain|privacy
  high publishesPackage: altool|notarytool|iTMSTransporter
  low: /^--?(find|f|show-.*|version|help)$/ or simctl list|help

// codesign(1), plutil(1), PlistBuddy(8), sips(1), textutil(1)
codesign = medium changesFiles
  low: /^-(d|v|dv+|-display|-verify)/ !-s|-f|--sign|--force|--remove-signature

// plutil(1)
plutil = medium changesFiles
  low: -lint|-help|-type or /^-p$/

// PlistBuddy(8)
plistbuddy = medium changesFiles
  low: /^Print/i !/(^|;)\s*(Set|Add|Delete|Merge|Import|Copy|Clear|Save)/i

// sips(1)
sips = medium changesFiles
  low: /^(-g|--getProperty|-h|--help)$/ !/^(-[szZorfcpdem]|--(set|resample|out|rotate|flip|crop|pad|delete|embed|match|add|optimize).*)$/

// textutil(1)
textutil iconutil setfile = medium changesFiles
  low: -info

// tldr-pages osx/{sw_vers,system_profiler,vm_stat,ipconfig,mdls,otool,lipo,ioreg}
sw_vers system_profiler vm_stat mdls otool dyldinfo ioreg uuidgen java_home getfileinfo pbcopy fs_usage dwarfdump
vmmap sntp networkquality = low

// pbpaste(1)
pbpaste = medium readsOutside

// lipo(1)
lipo = medium changesFiles
  low: -info|-archs|-detailed_info|-verify_arch

// qlmanage(1)
qlmanage = medium runsAnother
  low: -m|-h

// zshbuiltins(1), zshmodules(1)
setopt unsetopt print whence bindkey compinit compdef zstyle vared zmodload autoload = low

// zshmodules(1)
ztcp zftp zsocket = critical letsIn
`;
