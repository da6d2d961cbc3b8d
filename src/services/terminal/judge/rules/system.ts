export const systemRules = String.raw`
// su(1), sudo(8), pkexec(1)
su runas pkexec sudoedit visudo run0 gsudo = critical runsAdmin

// util-linux fdisk(8), parted(8), tldr-pages linux/sgdisk
fdisk sfdisk cfdisk gdisk sgdisk cgdisk parted = critical overwritesDisk
  low: -l|--list|--list-types|-p|--print

// mkfs(8), wipefs(8), blkdiscard(8), https://learn.microsoft.com/powershell/module/storage/
mkfs mke2fs mkswap mkdosfs newfs wipefs blkdiscard hdparm badblocks diskpart format clear-disk format-volume initialize-disk
remove-partition set-disk mkudffs mkntfs nvme fsck e2fsck testdisk partprobe sg_format ntfsresize resize2fs
diskshadow = critical overwritesDisk
  low: list

// coreutils: dd invocation
dd dcfldd ddrescue = critical overwritesDisk

// cryptsetup(8), lvremove(8), mdadm(8), zpool(8), zfs(8), btrfs(8)
cryptsetup lvremove vgremove pvremove lvreduce mdadm zpool zfs btrfs dmsetup swapoff losetup = critical overwritesDisk
  low: list|status|get|isLuks|luksDump|show|ls or --detail|-D|--examine

// https://learn.microsoft.com/windows-server/administration/windows-commands/
cipher vssadmin wbadmin bcdedit fsutil manage-bde sdelete sdelete64 wmic = critical deletesData
  low: list|query|get

// systemd shutdown(8), https://learn.microsoft.com/powershell/module/microsoft.powershell.management/stop-computer
shutdown reboot halt poweroff stop-computer restart-computer telinit init = critical turnsOff

// systemctl(1)
systemctl = high stopsServices
  low: status|list-units|list-unit-files|list-timers|is-active|is-enabled|is-failed|show|cat|list-dependencies
  critical turnsOff: poweroff|reboot|halt|kexec|suspend|hibernate|rescue|emergency|soft-reboot|isolate|exit|sleep

// journalctl(1), dmesg(1)
journalctl dmesg = low
  high deletesData: --vacuum-size|--vacuum-time|--vacuum-files|--rotate|-C|-c|--clear

// service(8), https://learn.microsoft.com/windows-server/administration/windows-commands/sc-config
service rc-service sc sc.exe stop-service restart-service set-service remove-service initctl update-rc.d
chkconfig net = high stopsServices
  low: list|print|query

// shadow-utils: userdel(8), usermod(8), passwd(1)
userdel groupdel deluser delgroup usermod useradd adduser groupadd groupmod passwd chpasswd chsh gpasswd remove-localuser
new-localuser set-localuser vipw = critical changesUsers

// crontab(1)
crontab = high changesStartup
  low: -l
  high deletesData: -r

// at(1), https://learn.microsoft.com/windows-server/administration/windows-commands/schtasks
at batch schtasks register-scheduledtask unregister-scheduledtask = high changesStartup

// iptables(8), nft(8), ufw(8)
iptables ip6tables nft ufw firewall-cmd pfctl netsh set-netfirewallprofile ebtables setenforce set-mppreference
remove-mppreference aa-teardown aa-disable = critical loosens
  low: -L|-S|--list|--list-all or status|list|show

// https://learn.microsoft.com/powershell/module/microsoft.powershell.security/set-executionpolicy
set-executionpolicy = high loosens

// hostname(1)
hostname = high changesSystem
  low: <no-sub> !-b|--boot

// sysctl(8)
sysctl
  low: -a|--all !-w|--write

// mount(8)
mount
  low: <no-sub> !-a|--all|-o|--options

// ip(8)
ip = low
  high changesSystem: /^(add|del|delete|set|flush|change|replace)$/
  medium: netns exec

// mount(8), modprobe(8), sysctl(8), efibootmgr(8)
mount umount modprobe insmod rmmod sysctl kexec swapon update-grub grub-install efibootmgr ldconfig hostnamectl timedatectl
localectl hwclock chroot unshare nsenter pivot_root depmod dracut mkinitcpio update-initramfs
bootctl = high changesSystem
  low: -l|--list !-w|-a|--all or status|show
  critical changesSystem: -w|-p|-B|-d|-e

// kill(1), https://learn.microsoft.com/windows-server/administration/windows-commands/taskkill
kill killall pkill taskkill stop-process spps xkill skill fuser = high endsPrograms
  critical endsPrograms: /^-1$/ /^-(9|KILL)$/
  low: /^-[lL]$/

// https://learn.microsoft.com/windows-server/administration/windows-commands/reg
reg regedit remove-itemproperty set-itemproperty new-itemproperty = high changesSystem
  low: query
  critical changesSystem: delete|add|import|restore|load /^(hklm|hkey_local_machine|hkcr)/i

// bash(1)
history = low
  high deletesData: -c|-d|-w

// bash(1); https://learn.microsoft.com/powershell/module/microsoft.powershell.utility/invoke-expression
eval source . invoke-expression iex = high runsText

// https://learn.microsoft.com/dotnet/api/system.io.directory.delete
.net = medium changesFiles
  critical deletesFolders: /::delete\(['"]([a-z]:\\?|\/|~|[a-z]:\\(windows|users)[^'"]*)['"]/i
  high deletesFiles: /::(delete|move|writeall\w+|create)\(|\.delete\(|\.(kill|closemainwindow)\(/i
  high usesNetwork: /webclient|httpclient|downloadstring|downloadfile|tcpclient/i
  high runsAnother: /process\]::start|scriptblock\]::create|::load\(|reflection/i

// https://learn.microsoft.com/powershell/scripting/
get-childitem gci get-content gc get-process gps get-location gl test-path select-string sls sort-object select-object
where-object ? measure-object get-item gi get-itemproperty get-command gcm get-help get-service get-date
get-host get-alias get-module get-variable get-member gm format-table ft format-list fl write-output write-host out-string
out-null resolve-path join-path compare-object convertto-json convertfrom-json convertfrom-csv import-csv get-filehash
group-object get-psdrive set-location sl push-location pop-location get-culture get-random start-sleep get-volume get-disk
get-partition get-eventlog get-computerinfo get-nettcpconnection test-connection get-history get-executionpolicy get-acl
out-host select-xml measure-command get-unique get-localuser get-hotfix get-timezone get-uptime get-verb
cls clear clear-host = low
  high searchesSecrets: <secret-pattern>

// https://learn.microsoft.com/powershell/module/microsoft.powershell.core/foreach-object
foreach-object % = low
  high deletesFiles: /^(delete|moveto|replace|kill|remove\w*|clear)$/i

// https://learn.microsoft.com/powershell/module/microsoft.powershell.management/
set-content add-content ac out-file export-csv expand-archive compress-archive export-clixml = medium changesFiles
  high changesSystem: <system>

// https://learn.microsoft.com/powershell/module/microsoft.powershell.management/start-process
start-process saps invoke-command icm start-job invoke-item ii = high runsAnother
  critical runsAdmin: /^runas$/i
`;
