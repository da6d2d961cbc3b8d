/** Rights of one sandboxed command. All paths are absolute and real. */
export interface SandboxPolicy {
  /** Workspace folders. They are writable. */
  roots: readonly string[];
  /** Other writable paths, such as those of `agent.sandbox.writablePaths`. Missing ones are skipped. */
  writable: readonly string[];
  /** Paths in the workspace that stay as they are: no checkpoint has them, and no build makes them. */
  readOnly: readonly string[];
  /** Writable folders in the workspace that must not be replaced as a whole: `.git`. */
  fixed: readonly string[];
  /** Folders that must not be created. */
  absent: readonly string[];
  hidden: HiddenPaths;
  /** Folders or files to show at another path, as in `~/.cache`. */
  mounts: readonly SandboxMount[];
  /** Private folder for temporary files. */
  temporary: string;
  /** Folder with the file `empty` and the folder `nothing`, which stand for what is hidden. */
  blanks: string;
  /** Folder with the socket of the proxy (Linux); null without a network. */
  proxyFolder: string | null;
  /** Port of the proxy on the loopback address (macOS); null without a network. */
  proxyPort: number | null;
}

export interface HiddenPaths {
  /** Shown as empty files. */
  files: readonly string[];
  /** Shown as empty folders. */
  folders: readonly string[];
}

export interface SandboxMount {
  from: string;
  to: string;
  isWritable: boolean;
}
