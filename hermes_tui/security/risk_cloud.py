"""Containers, clusters and clouds: what deletes, opens up, publishes or shows secrets there."""

from __future__ import annotations

import re

from hermes_tui.security.risk_files import Handler
from hermes_tui.security.risk_scene import Scene
from hermes_tui.security.shell_command import Command
from hermes_tui.security.shell_options import names, parse
from hermes_tui.security.shell_wrapper_table import run_options

_HELP = frozenset({"--help", "-h", "help", "version", "--version"})


def _words(command: Command) -> list[str]:
    """The arguments without options; values of options may stay."""
    return [arg for arg in command.argv[1:] if not arg.startswith("-")]


def _gone(scene: Scene, reason: str) -> None:
    scene.find("destruction", reason, outside=True)


_GIVES_ALL = re.compile(
    r"(?:/|/etc|/root|/home|/var|/usr|/boot|/proc|/sys|/dev|/var/run/docker\.sock"
    r"|/run/docker\.sock)(?::|\Z)"
)


def _docker(command: Command, scene: Scene) -> None:
    words = _words(command)
    args = command.argv[1:]
    if _HELP & set(args[:2]) or not words:
        return
    words = [word for word in words if word != "compose" or words.index("compose")]
    verb, second = words[0] if words else "", words[1] if len(words) > 1 else ""
    if (
        verb
        in (
            "container",
            "image",
            "volume",
            "network",
            "system",
            "builder",
            "context",
            "service",
            "stack",
            "secret",
            "swarm",
            "node",
            "config",
            "pod",
            "machine",
            "buildx",
            "plugin",
        )
        and second
    ):
        _docker_object(verb, second, scene)
        verb = second if verb == "container" else ""
    if verb in ("run", "create"):
        _docker_run(command, args, scene)
    elif verb in ("rm", "rmi", "prune") or (
        verb == "down" and {"-v", "--volumes", "--rmi"} & {arg.split("=")[0] for arg in args}
    ):
        _gone(scene, "it deletes containers, images or volumes")
    elif verb in ("kill", "stop", "restart", "pause", "update", "down"):
        scene.find("service", f"it changes running containers ({verb})", outside=True)
    elif verb == "inspect" and not _format_without_env(args):
        scene.find("secret-reading", "it shows a container's environment", outside=True)
    elif verb in ("push", "login"):
        scene.find("exfiltration", f"it talks to a registry ({verb})", outside=True)
    elif verb == "exec" and {"--privileged"} & set(args):
        scene.find("privilege", "it runs with all rights of the machine", outside=True)


def _format_without_env(args: tuple[str, ...]) -> bool:
    formats = [arg for arg in args if "{{" in arg]
    return bool(formats) and not any("Env" in one or "json ." in one for one in formats)


def _docker_object(kind: str, verb: str, scene: Scene) -> None:
    if verb in ("rm", "remove", "prune", "reset"):
        _gone(scene, f"it deletes {kind} data of docker")
    elif verb in ("leave", "update", "rollback", "scale"):
        scene.find("service", f"it changes docker ({kind} {verb})", outside=True)


def _docker_run(command: Command, args: tuple[str, ...], scene: Scene) -> None:
    at = next((n for n, arg in enumerate(args) if arg in ("run", "create")), 0)
    options = parse(args[at + 1 :], run_options())
    if (
        options.has("privileged")
        or options.value("pid", "userns", "ipc", "uts") == "host"
        or options.every("device", "cap-add")
    ):
        scene.find("privilege", "the container gets rights on this machine", outside=True)
    mounts = options.every("v", "volume")
    for mount in options.every("mount"):
        found = re.search(r"(?:source|src)=([^,]+)", mount)
        mounts += [found[1] + ":"] if found else []
    for mount in mounts:
        source = mount.partition(":")[0]
        for path in scene.resolve(source, command) if source[:1] in "/~." else []:
            if _GIVES_ALL.match(path) or path == scene.places.home:
                scene.find("privilege", f"the container gets {path}", outside=True)
            elif scene.places.secret(path, deep=True):
                scene.find("secret-reading", f"the container gets {path}", outside=True)


_KUBE_READS = frozenset(
    names(
        "get describe logs log top version config explain api-resources api-versions "
        "cluster-info diff auth wait events completion options plugin kustomize"
    )
)


def _kubectl(command: Command, scene: Scene) -> None:
    words = _words(command)
    text = " ".join(command.argv[1:])
    if not words or _HELP & set(command.argv[1:]) or "--dry-run=" in text:
        return
    verb = next((word for word in words if word in _KUBE_VERBS or word in _KUBE_READS), words[0])
    if verb == "rollout" and {"status", "history"} & set(words):
        return
    if (
        verb in ("delete", "drain", "evict")
        or "--force" in command.argv
        or re.search(r"--replicas[= ]0\b", text)
    ):
        _gone(scene, f"it deletes from the cluster ({verb})")
    elif (
        verb == "get"
        and re.search(r"\bsecrets?\b", text)
        and re.search(r"-o|--output|--template", text)
    ):
        scene.find("secret-reading", "it shows secrets of the cluster", outside=True)
    elif verb == "config" and ("--raw" in text or "set-credentials" in text):
        scene.find("secret-reading", "it shows the keys of the cluster", outside=True)
    elif "clusterrolebinding" in text or ("rolebinding" in text and verb == "create"):
        scene.find("privilege", "it gives rights in the cluster", outside=True)
    elif verb in _KUBE_VERBS:
        scene.find("service", f"it changes the cluster ({verb})", outside=True)


_KUBE_VERBS = frozenset(
    names(
        "delete drain evict cordon uncordon scale replace patch edit apply create set "
        "rollout taint label annotate expose run exec cp port-forward proxy attach debug "
        "autoscale certificate"
    )
)


def _helm(command: Command, scene: Scene) -> None:
    words = _words(command)
    if words[:1] in (["uninstall"], ["delete"], ["del"], ["un"]):
        _gone(scene, "it deletes a release from the cluster")
    elif words[:1] in (["install"], ["upgrade"], ["rollback"]) and "--dry-run" not in command.argv:
        scene.find("service", "it changes the cluster", outside=True)


def _terraform(command: Command, scene: Scene) -> None:
    words = _words(command)
    if not words or _HELP & set(command.argv[1:]):
        return
    if words[0] in ("destroy", "rm", "delete") or (
        words[0] == "apply" and "-destroy" in command.argv
    ):
        _gone(scene, "it destroys what it manages")
    elif words[0] in (
        "apply",
        "up",
        "deploy",
        "import",
        "taint",
        "force-unlock",
        "refresh",
        "run-all",
        "update",
        "untaint",
    ):
        scene.find("service", f"it changes what it manages ({words[0]})", outside=True)
    elif words[0] in ("state", "workspace", "stack") and words[1:2] in (
        ["rm"],
        ["mv"],
        ["push"],
        ["delete"],
        ["replace-provider"],
    ):
        _gone(scene, "it forgets what it manages")
    elif words[0] == "output" and ({"-raw", "-json"} & set(command.argv)):
        scene.find("secret-reading", "it shows secret outputs", outside=True)


def _ansible(command: Command, scene: Scene) -> None:
    checks = (
        "--check",
        "-C",
        "--syntax-check",
        "--list-hosts",
        "--list-tasks",
        "--list-tags",
        "--version",
    )
    if command.name == "ansible-vault":
        if command.argv[1:2] in (("view",), ("decrypt",)):
            scene.find("secret-reading", "it shows a vault", outside=True)
    elif not any(arg in checks for arg in command.argv[1:]) and command.argv[1:]:
        scene.find("service", "it changes other machines", outside=True)


_CLOUD_SECRET = re.compile(
    r"get-secret-value|--with-decryption|configure (?:get|export)|get-session-token"
    r"|assume-role|get-login|export-credentials"
    r"|auth (?:print|application-default print)|secrets? versions access|get-access-token"
    r"|secret show|keys? (?:list|show)\b|create-access-key"
    r"|list-keys|keyvault secret|get-credentials|config-helper|auth token|config show"
    r"|config dump|get-function-configuration|connection-string"
)
_CLOUD_GONE = re.compile(
    r"(?:\A|[ :])(?:rb|rm|del|delete|deletefile|purge|destroy|terminate|remove|rmdir|cleanup"
    r"|deregister|dispose|unregistervm|undefine)(?:\Z|[ :-])"
    r"|(?:delete|terminate|remove|deregister|purge|disable|revoke|release|cancel"
    r"|detach)-[a-z]|--delete(?:\b|-)|:(?:destroy|reset|delete|remove|unset)\b"
)
_CLOUD_READS = re.compile(
    r"\b(?:ls|list|describe|get|show|head|help|status|info|whoami|version|cat|tree|du|size"
    r"|check|about|lsd|lsl|lsf|filter-log-events|tail|logs|wait|scan|query|search|lookup|view"
    r"|presign|ps|configure list|diff)"
    r"(?:\Z|[ -])"
)
_CLOUD_MOVES = re.compile(
    r"\b(?:cp|sync|mv|rsync|copy|copyto|move|moveto|upload|put|config|configure|login|auth"
    r"|init|mb)\b"
)
_CLOUD_OPENS = re.compile(
    r"put-bucket-policy|public-read|allUsers|add-iam-policy-binding|attach-\w+-policy"
    r"|put-\w+-policy|authorize-security-group|create-user|add-user-to|role assignment create"
    r"|0\.0\.0\.0/0|create-policy"
)


def _cloud(command: Command, scene: Scene) -> None:
    text = " ".join(command.argv[1:])
    words = _words(command)
    if (
        not words
        or "--dry-run" in text
        or "--dryrun" in text
        or {"--help", "help", "--version"} & set(command.argv[1:])
    ):
        return
    if _CLOUD_SECRET.search(text) or (
        command.name == "heroku" and words[0] in ("config", "config:get")
    ):
        scene.find("secret-reading", "it shows keys of a cloud account", outside=True)
    elif re.search(r"\bupload(?:-batch)?\b", text):
        scene.find("exfiltration", "it sends files to a cloud account", outside=True)
    elif _CLOUD_OPENS.search(text):
        scene.find("privilege", "it gives rights in a cloud account", outside=True)
    elif _CLOUD_GONE.search(text):
        _gone(scene, "it deletes in a cloud account")
    elif command.name == "rclone" and words[0] in ("sync", "bisync"):
        _gone(scene, "it deletes files in the target")
    elif not _CLOUD_READS.search(text) and not _CLOUD_MOVES.search(text):
        scene.find("service", "it changes a cloud account", outside=True)


def _machines(command: Command, scene: Scene) -> None:
    text = " ".join(command.argv[1:])
    if re.search(
        r"\b(?:destroy|undefine|delete|purge|unregistervm|unregister|snapshot-delete"
        r"|vol-delete|pool-destroy|remove)\b",
        text,
    ):
        _gone(scene, "it deletes a virtual machine")
    elif re.search(r"\b(?:shutdown|reset|stop|reboot|halt|poweroff|suspend)\b", text):
        scene.find("service", "it stops a virtual machine", outside=True)


def _stores(command: Command, scene: Scene) -> None:
    text = " ".join(command.argv[1:])
    if re.search(
        r"\b(?:del|delete|destroy|reset|purge|delete_queue|force_reset|stop|remove|rm"
        r"|delete-all|trim|alter)\b|--delete|-purge|-recurse",
        text,
    ):
        _gone(scene, "it deletes data of a server")
    elif command.name == "vault" and re.search(
        r"\b(?:read|kv get|token (?:create|lookup)|print token)\b", text
    ):
        scene.find("secret-reading", "it shows a secret", outside=True)


def _gh(command: Command, scene: Scene) -> None:
    text = " ".join(command.argv[1:])
    if re.search(r"\bauth (?:token|status .*(?:-t|--show-token))|secret list-values", text):
        scene.find("secret-reading", "it shows an access token", outside=True)
    elif re.search(
        r"\b(?:repo|release|gist|run|cache|label|issue|codespace|variable|secret|ssh-key"
        r"|gpg-key|project|ruleset) (?:delete|remove|archive)\b|delete-asset|\bapi\b.*(?:-X ?"
        r"|--method[ =])(?:DELETE|PUT|PATCH)",
        text,
    ):
        _gone(scene, "it deletes on GitHub")
    elif re.search(r"\bgist create\b|\brelease upload\b|repo create\b.*--(?:push|source)", text):
        scene.find("exfiltration", "it publishes files", outside=True)
    elif re.search(
        r"\b(?:secret|variable|ssh-key|deploy-key) (?:set|add)\b|repo edit .*--visibility"
        r"|extension install",
        text,
    ):
        scene.find("privilege", "it changes rights or secrets on GitHub", outside=True)


PROGRAMS: dict[str, Handler] = {
    **dict.fromkeys(("docker", "podman", "nerdctl", "docker-compose", "podman-compose"), _docker),
    **dict.fromkeys(("kubectl", "oc", "k3s", "k"), _kubectl),
    "helm": _helm,
    **dict.fromkeys(
        names("terraform tofu pulumi terragrunt cdk serverless sls cdktf copilot"), _terraform
    ),
    **dict.fromkeys(
        names("ansible ansible-playbook ansible-vault salt puppet knife chef-client"), _ansible
    ),
    **dict.fromkeys(
        names(
            "aws gcloud az gsutil doctl heroku fly flyctl vercel netlify firebase rclone "
            "s3cmd linode-cli hcloud oci ibmcloud eksctl bq railway wrangler scw s5cmd mc eb "
            "cf render azcopy b2"
        ),
        _cloud,
    ),
    **dict.fromkeys(
        names(
            "virsh vagrant multipass lxc qm VBoxManage vboxmanage limactl minikube kind k3d "
            "pct colima wsl xl incus"
        ),
        _machines,
    ),
    **dict.fromkeys(
        names(
            "vault consul etcdctl nomad rabbitmqctl kafka-topics kafka-topics.sh "
            "kafka-configs zkCli.sh nats rabbitmqadmin memcached-tool kafka-delete-records.sh "
            "kafka-consumer-groups pulsar-admin"
        ),
        _stores,
    ),
    "gh": _gh,
    "glab": _gh,
    "hub": _gh,
}
