/** Variables that lead to services outside the sandbox: agents, displays, the session bus, containers, the editor. */
const services =
  /^(SSH_(AUTH_SOCK|AGENT_PID|ASKPASS)|GPG_AGENT_INFO|GPG_TTY|DBUS_.*|DISPLAY|WAYLAND_.*|XAUTHORITY|XDG_RUNTIME_DIR|SESSION_MANAGER|DOCKER_.*|CONTAINER_HOST|KUBECONFIG|VSCODE_.*|GIT_ASKPASS|BROWSER|ELECTRON_RUN_AS_NODE|NOTIFY_SOCKET|LISTEN_.*|PULSE_.*)$/;
/** Names of variables that usually contain a secret. */
const secrets =
  /(^|_)(TOKEN|SECRETS?|PASS|PASSWD|PASSPHRASE|PWD|CREDENTIALS?|APIKEY|PAT|AUTH|DSN|WEBHOOK(_URL)?|CONN(ECTION)?_?STR(ING)?)$|PASSWORD|SECRET_|(^|_)(API|ACCESS|SECRET|PRIVATE|ENCRYPTION|SIGNING|MASTER)_?KEY(_ID)?$|^(AWS|AZURE|GOOGLE|GCP|GH|GITHUB|GITLAB|NPM|OPENAI|ANTHROPIC|HF)_.*(TOKEN|SECRET|KEY|PAT|CREDENTIALS)/i;

/** Variables of the shell whose names look like secrets. */
const ofShell: ReadonlySet<string> = new Set(['PWD', 'OLDPWD']);
/** Matches a URL with a password, such as the URL of a database or a proxy. */
const withPassword = /:\/\/[^/@\s]*:[^/@\s]+@/;

/** Variables that make package managers fail immediately without network access. Without them, npm retries for 70 seconds. */
export const withoutRetries = { npm_config_fetch_retries: '0', PIP_RETRIES: '0', CARGO_NET_RETRY: '0' };

/**
 * Returns the environment of a sandboxed command: `base` without secrets and without variables that lead to services outside.
 * `temporary` is the folder for temporary files.
 */
export function sandboxEnvironment(base: NodeJS.ProcessEnv, temporary: string): NodeJS.ProcessEnv {
  const kept = Object.entries(base).filter(([name, value]) => {
    const isSecret = (secrets.test(name) && !ofShell.has(name)) || withPassword.test(value ?? '');
    return !isSecret && !services.test(name);
  });
  // Without this variable, old versions of nyc write programs to the home folder.
  const folders = { TMPDIR: temporary, TMP: temporary, TEMP: temporary, SPAWN_WRAP_SHIM_ROOT: temporary };
  return { ...Object.fromEntries(kept), ...folders, OLLAMA_COPILOT_SANDBOX: '1' };
}
