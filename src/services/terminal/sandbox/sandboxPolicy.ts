/** Rights of one sandboxed command. All paths are absolute and real. */
export interface SandboxPolicy {
  /** Writable workspace folders. */
  roots: readonly string[];
  /** Other writable paths, such as the paths of `agent.sandbox.writablePaths`. Missing paths are skipped. */
  writable: readonly string[];
  /** Paths in the workspace that must not change, because no checkpoint contains them and no build recreates them. */
  readOnly: readonly string[];
  /** Writable folders in the workspace that must not be replaced as a whole, such as `.git`. */
  fixed: readonly string[];
  /** Folders that must not be created. */
  absent: readonly string[];
  hidden: HiddenPaths;
  /** Folders or files to show at another path, for example in `~/.cache`. */
  mounts: readonly SandboxMount[];
  /** Private folder for temporary files. */
  temporary: string;
  /** Folder with the file `empty` and the folder `nothing`, which replace hidden paths. */
  blanks: string;
  /** Folder with the socket of the proxy (Linux). Null without network access. */
  proxyFolder: string | null;
  /** Port of the proxy on the loopback address (macOS). Null without network access. */
  proxyPort: number | null;
}

export interface HiddenPaths {
  /** Hidden files. They appear as empty files. */
  files: readonly string[];
  /** Hidden folders. They appear as empty folders. */
  folders: readonly string[];
}

export interface SandboxMount {
  from: string;
  to: string;
  isWritable: boolean;
}
