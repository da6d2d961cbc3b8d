export const fileRules = String.raw`
// https://github.com/mikefarah/yq
yq
  medium changesFiles: -i|--inplace|--in-place !<secret-pattern>

// man(1)
man
  high runsAnother: /^-[HPC]/ or --html|--pager|--config-file|--browser

// less(1), more(1)
less more
  high runsAnother: /^\++[^\/?]*!/ or --lesskey-file|--lesskey-src|--lesskey-content
  medium changesFiles: -o|-O|--log-file|--LOG-FILE !<secret-pattern>

// https://github.com/sharkdp/bat, https://github.com/ggreer/the_silver_searcher
bat batcat ag
  high runsAnother: --pager

// ifconfig(8)
ifconfig
  high changesSystem: /^(up|down|add|del|delete|create|destroy|alias|inet6?|netmask|mtu|hw|ether|-?promisc|-?arp|\d+(\.\d+){3}\S*)$/

// ss(8)
ss
  high changesSystem: -K|--kill

// https://www.gnu.org/software/coreutils/manual/, tldr-pages common/*
ls dir cat bat batcat head tail pwd echo printf wc which where type whoami uname stat diff cmp comm cut true false cd pushd popd test [
[[ basename dirname realpath readlink du df seq paste sleep nproc id groups uptime free ps pgrep lsof tac nl fold fmt
column rev tr expr md5sum sha1sum sha256sum sha512sum cksum b2sum strings od hexdump xxd less more jq yq man tldr help let :
wait read shift return exit break continue local set shopt jobs fg bg umask ulimit lscpu lsblk lsusb lspci getconf locale cal
hostid tty logname dircolors file zcat bzcat xzcat zgrep egrep fgrep grep ag ack tokei cloc scc eza exa fd fdfind pidof top
htop vmstat iostat iotop look ver vol findstr fc tasklist systeminfo ipconfig ifconfig netstat ss arp route printenv
numfmt tsort join split-path sum factor users w who last uniq md5 shasum nm ldd objdump readelf size = low
  high runsAnother: --pre|--hostname-bin|--exec|--exec-batch
  high searchesSecrets: <secret-pattern> !-l

// ripgrep: rg(1)
rg = low
  high runsAnother: --pre|--hostname-bin
  high searchesSecrets: <secret-pattern>

// coreutils: date invocation
date = low
  high setsClock: -s|--set or /^\d{8,12}(\.\d\d)?$/ !-j|-r|-d or -f !-j

// coreutils: sort invocation
sort = low
  high runsAnother: --compress-program

// findutils: find(1); tree(1)
find tree = low

// coreutils: rm invocation; https://learn.microsoft.com/powershell/module/microsoft.powershell.management/remove-item
rm rmdir zf_rm zf_rmdir del erase rd ri remove-item unlink trash srm clear-content clear-recyclebin = high deletesFiles
  critical deletesBroadly: --no-preserve-root or -r|-R|--recursive <broad> or /^\/s$/i <broad>
  critical deletesOutside: <system>
  high deletesFolders: -r|-R|--recursive or /^\/s$/i

// coreutils: shred invocation
shred wipe = high deletesFiles
  critical overwritesDisk: <device>
  critical deletesOutside: <system>

// coreutils: truncate invocation
truncate = high overwritesFiles
  critical overwritesDisk: <device>

// coreutils: mv, cp, ln invocation
mv move cp copy move-item copy-item ln mi ci cpi rename ren rename-item install mkdir md touch new-item ni tee-object robocopy
xcopy = medium changesFiles
  critical overwritesDisk: <device>
  high deletesFiles: /^\/(mir|purge|move|mov)$/i
  high sendsData: /^\\\\[^.?]/
  high changesSystem: <system-last>

// rsync(1), https://rclone.org/commands/
rsync rclone unison = medium changesFiles
  critical deletesRemote: purge|delete
  high deletesFiles: --delete|--delete-after|--delete-before|--delete-excluded|--del|--remove-source-files
    or sync|move|bisync|cleanup
  high sendsData: <remote>
  high runsAnother: -e|--rsh

// coreutils: chmod, chown invocation
chmod chown chgrp icacls takeown setfacl chattr cacls set-acl attrib = high changesRights
  critical changesRights: -R|--recursive <broad>

// https://www.gnu.org/software/sed/manual/
sed = low
  high runsAnother: /^\d*,?\d*e(\s|$)|\/[gip\d]*e[gip\d]*$/
  high runsText: -f|--file
  high changesSystem: -i|-I|--in-place <system> or /^-[a-z]*i[^a-z]/i <system>
  medium changesFiles: -i|-I|--in-place or /^-[a-z]*i[^a-z]/i or /(^|[;}\/\d$])w\s*\S/

// https://www.gnu.org/software/gawk/manual/, GTFOBins awk
awk gawk mawk nawk = low
  high runsAnother: /system\s*\(|\|\s*getline|print[^}]*\|/ or -i|-l|--include|--load
  high runsText: -f|--file|-E|--exec
  medium changesFiles: /print[^}]*>/

// https://www.gnu.org/software/tar/manual/, GTFOBins tar
tar bsdtar = medium changesFiles
  high runsAnother: --checkpoint-action|--to-command|-I|--use-compress-program|--rsh-command|-F|--info-script
  high deletesFiles: --remove-files|--recursive-unlink
  high changesSystem: -P|--absolute-names
  low: /^-?[zjJva]*t[zjJvfa]*$/ or --list

// zip(1), 7z(1), GTFOBins zip
zip 7z 7za gzip gunzip bzip2 xz zstd unrar = medium changesFiles
  high runsAnother: -TT|--unzip-command
  high deletesFiles: -m|--move|-sdel

// unzip(1)
unzip = medium changesFiles
  low: -l|-t|-Z

// GTFOBins vim, ed, emacs
vi vim nvim ex view ed emacs nano
  high runsAnother: /^:?!|:py|:lua|^\+:?!|system\(/
    or /^\+?:?(so|source|lua|luafile|luado|py|python|py3|python3|pyfile|py3file|ruby|perl|exe|execute|terminal)(\s|!)/
    or /^(-S|--eval(=.*)?|-eval|--script|-script|--load(=.*)?|--funcall)$/ or /^-l$/ !/^-[eE]s$/
`;
