import { startEndWatcher } from './endWatcher';

/**
 * Reads the process ID of a shell from a pipe that only this process writes to, then waits for the end of the pipe. The pipe ends
 * when this process ends. Then the script ends the shell and its foreground group, as `endShell` does. It does nothing if the ID
 * now belongs to another process, which has a different start time. See proc(5): the name in parentheses may contain any
 * character. After it, `tpgid` is the sixth and `starttime` the twentieth field.
 */
const script = `trap '' HUP INT TERM
begun() {
  if read -r text < "/proc/$1/stat"; then set -- \${text##*) }; echo "\${20}"; else LC_ALL=C /bin/ps -o lstart= -p "$1"; fi
}
foreground() {
  if read -r text < "/proc/$1/stat"; then set -- \${text##*) }; echo "$6"; else /bin/ps -o tpgid= -p "$1" | tr -d ' '; fi
}
read -r shell || exit 0
start=$(begun "$shell")
[ -n "$start" ] || exit 0
read -r nothing
[ "$(begun "$shell")" = "$start" ] || exit 0
group=$(foreground "$shell")
kill -s HUP "$shell"
sleep 0.2 || sleep 1
[ "$(begun "$shell")" = "$start" ] && kill -s KILL "$shell"
case $group in '' | -* | 0 | 1 | "$shell") ;; *) kill -s KILL -- "-$group" ;; esac`;

export interface ShellWatch {
  /** Ends the shell and its foreground group without the help of the editor. */
  endShell(): void;
  /** Leaves the shell running, unless `endShell` was called. */
  release(): void;
}

/**
 * Ensures that a shell in a terminal ends with this process, even if this process is killed. The editor may keep the
 * shell running in a terminal that no window shows. Does nothing on Windows.
 */
export function watchShell(shell: PromiseLike<number | undefined>): ShellWatch {
  if (process.platform === 'win32') return { endShell: () => undefined, release: () => undefined };
  const watch = startEndWatcher(script, { PATH: '/usr/bin:/bin' });
  let isEnding = false;
  const release = (): void => void (isEnding || watch.kill('SIGKILL'));
  const endShell = (): void => {
    isEnding = true;
    watch.stdin.end();
  };
  shell.then((pid) => (pid === undefined ? release() : void watch.stdin.write(`${pid}\n`)), release);
  return { endShell, release };
}
