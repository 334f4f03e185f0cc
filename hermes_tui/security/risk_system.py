"""The machine itself: disks, processes, services, the kernel, its clock and its network."""

from __future__ import annotations

import re
from itertools import pairwise

from hermes_tui.security.risk_files import Handler
from hermes_tui.security.risk_scene import Scene
from hermes_tui.security.shell_command import Command
from hermes_tui.security.shell_options import names
from hermes_tui.security.shell_state import UNKNOWN

_ASKING = frozenset({"--help", "--version", "-V", "help", "-?"})


def only_asks(command: Command) -> bool:
    """Whether a command does no more than show its help or version."""
    return (
        command.argv[1:] == ("-h",)
        or any(arg in _ASKING for arg in command.argv[1:2])
        or (
            len(command.argv) < 5
            and any(arg in ("--help", "--version") for arg in command.argv[1:])
        )
    )


def _devices(command: Command, scene: Scene) -> list[str]:
    paths = scene.paths((arg for arg in command.argv[1:] if "/dev/" in arg), command)
    return [path for path in paths if scene.places.zone(path) == "device"]


def _format(command: Command, scene: Scene) -> None:
    """mkfs and others that make something new on a device."""
    if only_asks(command):
        return
    if _devices(command, scene) or not command.argv[1:]:
        scene.find("disk", "it formats a disk", floor=True, outside=True)
    else:
        scene.find("disk", "it formats a disk or an image", outside=True)


_LISTING = re.compile(
    r"-l|--list|-s|-p|print|-V|--show.*|--dump|-d|status|--json|-o|--info|-i|-v|--all|-a"
)


def _partition(command: Command, scene: Scene) -> None:
    words = [arg for arg in command.argv[1:] if not arg.startswith("/dev/")]
    if only_asks(command) or not command.argv[1:]:
        return
    if words and all(_LISTING.fullmatch(word) for word in words):
        return
    scene.find("disk", "it changes the partitions of a disk", floor=True, outside=True)


def _erase(command: Command, scene: Scene) -> None:
    if not only_asks(command) and command.argv[1:]:
        scene.find("disk", "it erases a disk", floor=True, outside=True)


_DISK_VERBS = re.compile(
    r"(?:--)?(?:security-erase\S*|trim-sector-ranges|make-bad-sector|write-sector|format"
    r"|secure-erase|sanitize\S*"
    r"|luksFormat|luksErase|erase|destroy|labelclear|remove|delete\S*|eraseDisk|eraseVolume"
    r"|partitionDisk|zeroDisk|secureErase|randomDisk|zero-superblock|stop|fail|wipe|clean|rollback"
    r"|reencrypt|luksKillSlot|luksRemoveKey|rm|create|add|device|replace|crypto-erase|dsm"
    r"|write-zeroes|subvolume)\Z"
)


def _volumes(command: Command, scene: Scene) -> None:
    """hdparm, cryptsetup, zpool, mdadm, diskutil: harmless until one of their verbs."""
    verb = next((arg for arg in command.argv[1:] if _DISK_VERBS.match(arg)), "")
    if verb in ("stop", "create", "add", "device", "replace", "fail", "subvolume", "rm", "remove"):
        gone = verb in ("rm", "remove") or "delete" in command.argv
        scene.find(
            "disk",
            f"it changes disks ({command.name} {verb})",
            outside=True,
            floor=gone and command.name in ("lvm",),
        )
    elif verb:
        scene.find(
            "disk", f"it destroys data on disks ({command.name} {verb})", floor=True, outside=True
        )


def _logical(command: Command, scene: Scene) -> None:
    if not only_asks(command):
        scene.find("disk", "it removes a volume", floor=True, outside=True)


def _mount(command: Command, scene: Scene) -> None:
    if [
        arg
        for arg in command.argv[1:]
        if not re.fullmatch(r"-[lvVh]+|--help|--version|-t|[a-z0-9]+", arg)
    ]:
        scene.find("service", "it changes what is mounted", outside=True)


def _kill(command: Command, scene: Scene) -> None:
    args = command.argv[1:]
    if not args or only_asks(command) or args[0] in ("-l", "-L", "--list", "--table", "-0"):
        return
    signal = next((arg for arg in args if re.fullmatch(r"-(?:s|n|\d+|SIG\w+|[A-Z]+\d?)", arg)), "")
    if signal in ("-s", "-n") and args[args.index(signal) + 1 :][:1] == ("0",):
        return
    targets = [arg for arg in args if arg != signal and not re.fullmatch(r"[A-Z]+", arg)]
    if any(one in ("1", "-1", "0", "-0") for one in targets) or (signal == "-1" and not targets):
        scene.find(
            "process",
            "it ends the system or every process",
            floor="1" in targets or "-1" in targets,
            outside=True,
        )
    elif _strong(args) or len(targets) > 3 or any(UNKNOWN in one for one in targets):
        scene.find("process", "it ends processes that were not checked", outside=True)


def _strong(args: tuple[str, ...]) -> bool:
    return any(re.fullmatch(r"-(?:9|KILL|SIGKILL)|KILL|SIGKILL", arg) for arg in args) or any(
        flag == "-s" and value == "9" for flag, value in pairwise(args)
    )


def _pkill(command: Command, scene: Scene) -> None:
    if only_asks(command) or "-l" in command.argv[1:] or "-0" in command.argv[1:]:
        return
    if command.name == "killall5":
        scene.find("process", "it ends every process", floor=True, outside=True)
    elif command.argv[1:] or command.name == "xkill":
        scene.find("process", "it ends every process of a name or user", outside=True)


def _fuser(command: Command, scene: Scene) -> None:
    if any(re.match(r"-\w*k", arg) for arg in command.argv[1:]):
        scene.find("process", "it ends every process that uses a file", outside=True)


def _power(command: Command, scene: Scene) -> None:
    args = command.argv[1:]
    if only_asks(command) or "-c" in args or "-w" in args or "-k" in args:
        return
    scene.find("service", "it stops or restarts the machine", floor=True, outside=True)


_READING = frozenset(
    names(
        "status show list-units list-unit-files list-timers list-dependencies "
        "list-sockets list-jobs list-machines list-automounts cat is-active is-enabled "
        "is-failed is-system-running get-default help show-environment --version --help "
        "list-sessions show-session list-users show-user list-seats"
    )
)
_POWER = frozenset(
    names(
        "poweroff reboot halt kexec suspend hibernate hybrid-sleep emergency rescue exit "
        "soft-reboot suspend-then-hibernate"
    )
)


def _systemctl(command: Command, scene: Scene) -> None:
    words = [arg for arg in command.argv[1:] if not arg.startswith("-")]
    if not words or words[0] in _READING or "--help" in command.argv or "--version" in command.argv:
        return
    if words[0] in _POWER or (
        words[0] in ("isolate", "start")
        and re.search(
            r"(?:poweroff|reboot|halt|rescue|emergency|shutdown)\.target", " ".join(words)
        )
    ):
        scene.find("service", "it stops or restarts the machine", floor=True, outside=True)
    elif words[0] in (
        "enable",
        "link",
        "edit",
        "preset",
        "set-default",
        "reenable",
        "add-wants",
        "set-environment",
        "import-environment",
    ):
        scene.find("persistence", "it has a service start by itself", outside=True)
    else:
        scene.find("service", f"it changes services ({words[0]})", outside=True)


_STARTERS = frozenset({"rc-update", "update-rc.d", "chkconfig", "initctl", "launchctl"})


def _service(command: Command, scene: Scene) -> None:
    words = [arg for arg in command.argv[1:] if not arg.startswith("-")]
    if len(words) > 1 and words[1] not in ("status", "show", "list"):
        scene.find("service", "it changes services", outside=True)
    elif (
        command.name in _STARTERS and words and words[0] not in ("list", "show", "print", "status")
    ):
        scene.find("persistence", "it changes what starts by itself", outside=True)


def _init(command: Command, scene: Scene) -> None:
    if command.argv[1:2] and command.argv[1] in ("0", "6", "1", "s", "S"):
        scene.find("service", "it stops or restarts the machine", floor=True, outside=True)


def _kernel(command: Command, scene: Scene) -> None:
    args = command.argv[1:]
    if only_asks(command) or not args:
        return
    if command.name == "sysctl" and not any(
        arg in ("-w", "-p", "--write", "--load", "--system") or "=" in arg for arg in args
    ):
        return
    if command.name in ("swapon",) and args[0] in ("-s", "--show", "-v"):
        return
    scene.find("service", f"it changes how the system works ({command.name})", outside=True)


def _clock(command: Command, scene: Scene) -> None:
    args = command.argv[1:]
    if command.name == "date" and not any(
        re.match(r"-s|--set", arg) or re.fullmatch(r"\d{8,14}", arg) for arg in args
    ):
        return
    if command.name == "hwclock" and not any(
        arg in ("-w", "-s", "--set", "--systohc", "--hctosys") for arg in args
    ):
        return
    if command.name in ("timedatectl", "hostnamectl", "localectl") and not any(
        arg.startswith("set") for arg in args
    ):
        return
    if command.name == "hostname" and not [arg for arg in args if not arg.startswith("-")]:
        return
    scene.find("service", "it changes the system's clock or name", outside=True)


_NETWORK_VERBS = re.compile(r"(?:add|del|delete|set|flush|change|replace|down|up|append|exec)\Z")


def _network(command: Command, scene: Scene) -> None:
    args = command.argv[1:]
    if command.name in (
        "ip",
        "nmcli",
        "ifconfig",
        "route",
        "arp",
        "brctl",
        "iw",
        "tc",
        "networksetup",
        "wg",
    ):
        if any(
            _NETWORK_VERBS.match(arg) or arg in ("off", "disconnect", "modify", "-d", "-s")
            for arg in args
        ) or (command.name == "networksetup" and args[:1] and args[0].startswith("-set")):
            scene.find("network", "it changes the machine's network", outside=True)
        return
    reading = {
        "-L",
        "-S",
        "--list",
        "--list-rules",
        "-nL",
        "list",
        "status",
        "-n",
        "--state",
        "--list-all",
        "show",
        "-vnL",
        "-nvL",
        "-v",
    }
    if args and not only_asks(command) and not (args[0] in reading and len(args) < 5):
        scene.find("network", "it changes the firewall or a route", outside=True)


def _security_module(command: Command, scene: Scene) -> None:
    if command.argv[1:] and not only_asks(command):
        scene.find("permission", "it weakens the system's protection", outside=True)


def _firmware(command: Command, scene: Scene) -> None:
    if command.argv[1:] and not only_asks(command) and command.argv[1:] not in (("-v",), ("-l",)):
        scene.find("disk", "it changes how the machine starts", outside=True)


_PACKAGE_VERBS = re.compile(
    r"(?:remove|purge|autoremove|erase|autopurge|uninstall|--purge|--remove|-r|-P|-e|-R\w*"
    r"|dist-upgrade|full-upgrade|unpin|zap|unlink)\Z"
)


def _packages(command: Command, scene: Scene) -> None:
    """System package managers; removing asks, and all of them need more than the sandbox."""
    args = command.argv[1:]
    verb = next((arg for arg in args if _PACKAGE_VERBS.match(arg)), "")
    if args[:1] == ("services",) and args[1:2] not in ((), ("list",), ("info",)):
        scene.find("service", "it changes services", outside=True)
    if only_asks(command) or {"-s", "--dry-run", "--simulate", "--just-print"} & set(args):
        return
    if verb:
        scene.find("service", f"it removes software ({command.name} {verb})", outside=True)
    elif any(
        arg
        in (
            "install",
            "upgrade",
            "localinstall",
            "-i",
            "-U",
            "-S",
            "-Syu",
            "-Sy",
            "add",
            "reinstall",
            "dsc",
        )
        for arg in args
    ) and command.name not in ("brew",):
        scene.find("privilege", "it changes the system's software", outside=True)


def _quiet_log(command: Command, scene: Scene) -> None:
    args = command.argv[1:]
    if any(
        arg.startswith(("--vacuum", "--rotate", "--flush")) or arg in ("-C", "--clear", "-c")
        for arg in args
    ):
        scene.find("destruction", "it deletes logs", outside=True)


PROGRAMS: dict[str, Handler] = {
    **dict.fromkeys(
        names(
            "mkfs mke2fs mkswap mkdosfs mkntfs newfs mkfs.ext4 mkfs.ext3 mkfs.ext2 mkfs.xfs "
            "mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mkfs.f2fs mkfs.exfat mkfs.minix "
            "mkfs.msdos mkudffs mkzonefs mkfs.jfs mkfs.reiserfs mkfs.bfs mkfs.cramfs"
        ),
        _format,
    ),
    **dict.fromkeys(
        names("fdisk sfdisk cfdisk gdisk sgdisk cgdisk parted partx gpart"), _partition
    ),
    **dict.fromkeys(
        names("wipefs blkdiscard badblocks nwipe hdderase e2image debugfs xfs_db"), _erase
    ),
    **dict.fromkeys(
        names(
            "hdparm cryptsetup zpool zfs mdadm diskutil nvme btrfs sg_format lvm dmsetup "
            "sg_sanitize multipath diskpart"
        ),
        _volumes,
    ),
    **dict.fromkeys(
        ("lvremove", "vgremove", "pvremove", "lvreduce", "vgreduce", "lvconvert"), _logical
    ),
    **dict.fromkeys(
        ("mount", "umount", "losetup", "mount.nfs", "pivot_root", "switch_root"), _mount
    ),
    "kill": _kill,
    **dict.fromkeys(names("pkill killall killall5 skill xkill slay taskkill tskill"), _pkill),
    "fuser": _fuser,
    **dict.fromkeys(("shutdown", "reboot", "halt", "poweroff", "pm-suspend", "kexec"), _power),
    "systemctl": _systemctl,
    "loginctl": _systemctl,
    "machinectl": _systemctl,
    **dict.fromkeys(
        names(
            "service rc-service rc-update update-rc.d chkconfig launchctl initctl invoke-rc.d "
            "supervisorctl sv monit"
        ),
        _service,
    ),
    **dict.fromkeys(("init", "telinit"), _init),
    **dict.fromkeys(
        names(
            "sysctl modprobe insmod rmmod swapoff swapon kmod depmod prlimit cpupower "
            "tuned-adm ethtool bpftool bpftrace auditctl"
        ),
        _kernel,
    ),
    **dict.fromkeys(
        names("date hwclock timedatectl hostnamectl localectl hostname ntpdate rdate"), _clock
    ),
    **dict.fromkeys(
        names(
            "ip ifconfig route nmcli iptables ip6tables nft ufw firewall-cmd arp brctl iw tc "
            "networksetup pfctl ebtables wg wg-quick ifdown ifup rfkill iptables-restore "
            "ipset"
        ),
        _network,
    ),
    **dict.fromkeys(
        names(
            "setenforce aa-disable aa-complain aa-teardown semanage setsebool spctl csrutil "
            "apparmor_parser tccutil chcon"
        ),
        _security_module,
    ),
    **dict.fromkeys(
        names(
            "grub-install efibootmgr update-grub flashrom fwupdmgr grub-mkconfig bootctl "
            "nvram bless lilo"
        ),
        _firmware,
    ),
    **dict.fromkeys(
        names(
            "apt apt-get aptitude dpkg yum dnf rpm pacman zypper apk snap flatpak emerge brew "
            "port pkg nala xbps-remove eopkg choco winget microdnf"
        ),
        _packages,
    ),
    **dict.fromkeys(("journalctl", "dmesg", "logrotate"), _quiet_log),
}
