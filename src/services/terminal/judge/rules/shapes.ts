import type { FileSensitivity } from '../../../../utils/sensitivity/fileSensitivity';

/** Classifies a single word of a command by its text. */
export interface Shapes {
  has(shape: string, word: string, isLast: boolean): boolean;
  /** Returns whether a path is outside the workspace. Temporary folders do not count. */
  isOutside(word: string): boolean;
  /** Returns whether a path is outside the workspace, including temporary folders. */
  isElsewhere(word: string): boolean;
  isSecret(word: string): boolean;
}

const home =
  /^(~|\$\{?HOME\}?|\$env:(USERPROFILE|HOME|HOMEPATH|SystemDrive|SystemRoot|windir|APPDATA|LOCALAPPDATA)|%(USERPROFILE|HOMEPATH|SystemDrive|SystemRoot|windir)%)/i;
const device = /^(\/dev\/(?!(null|zero|u?random|full|stdin|stdout|stderr|tty|fd\/|tcp\/|udp\/|shm\/))\w|\\\\[.?]\\|\/\/\.\/)/i;
const temporary =
  /^(\/tmp|\/var\/tmp|\/dev\/(null|stdout|stderr|stdin|tty|zero|u?random)|\$\{?TMPDIR\}?|\$env:TEMP|%TEMP%)($|[\\/])/i;
/** Search patterns that can find keys and passwords. */
const secretName = /secret|passw|api[-_ ]?key|private[-_ ]?key|access[-_ ]?key|credential|token|BEGIN .*PRIVATE|AKIA|ghp_/i;
/** System files that contain keys and passwords. The secret file patterns of a workspace do not include them. */
const systemSecret =
  /(^|[\\/])(shadow|gshadow|sudoers|SAM|environ|master\.passwd|login\.keychain(-db)?)$|(^|[\\/])\.(ssh|aws|gnupg|kube|docker)($|[\\/])/;

/** Creates the shapes for these workspace folders. If `isAway` is true, relative paths start in a folder outside the workspace. */
export function createShapes(roots: readonly string[], secrets: Pick<FileSensitivity, 'isSecret'>, isAway: boolean): Shapes {
  const isOutside = (word: string): boolean => {
    if (/^[\w.+-]+:\/\//.test(word) || (temporary.test(word) && !word.includes('..'))) return false;
    if (word.split(/[\\/]/).includes('..') || home.test(word)) return true;
    if (!/^([/\\]|[a-z]:)/i.test(word)) return isAway && word !== '' && !word.startsWith('-');
    return !roots.some((root) => isIn(word, root));
  };
  const isElsewhere = (word: string): boolean =>
    isOutside(word) || (temporary.test(word) && !roots.some((root) => isIn(word, root)));
  const isSecret = (word: string): boolean =>
    /^[^\s]+$/.test(word) &&
    [word, word.replace(/^.*[=@<:](?=.)/, '')].some((path) => secrets.isSecret(path) || systemSecret.test(path));
  const has = (shape: string, word: string, isLast: boolean): boolean => {
    switch (shape) {
      case 'device':
        return device.test(word) || /^of=/.test(word);
      case 'broad':
        return (
          /^(\.[\\/]?|\.?[\\/]?\*(\.\*)?|[a-z]:[\\/]?|\$\{?PWD\}?|\$\(pwd\))$/i.test(word) ||
          word.split(/[\\/]/).includes('..') ||
          home.test(word) ||
          ((isOutside(word) || (/^[/\\]/.test(word) && !roots.some((root) => word !== root && isIn(word, root)))) &&
            !/^\/[a-z]$/i.test(word))
        );
      case 'system':
        return isOutside(word) && !/^\/[a-z]$/i.test(word);
      case 'system-last':
        return isLast && isOutside(word);
      case 'secret':
        return isSecret(word);
      case 'secret-pattern':
        return secretName.test(word) && !/[\\/]|\.\w{1,5}$/.test(word);
      case 'url':
        return /^(git\+)?(https?|ftp|ssh|git):\/\//i.test(word);
      case 'remote':
        return /^([\w.-]+@)?[\w.-]{2,}:(?!\\)|^\w+:\/\//.test(word);
      case 'plus':
        return word.startsWith('+');
      case 'colon':
        return /^:./.test(word);
      default:
        return false;
    }
  };
  return { has, isOutside, isElsewhere, isSecret };
}

/** Returns whether a path is the folder itself or inside it. Windows paths are compared case-insensitively, with either separator. */
function isIn(word: string, folder: string): boolean {
  const isWindows = /^(?:[a-z]:|\\\\)/i.test(folder);
  const [path = '', root = ''] = isWindows
    ? [word, folder].map((one) => one.replaceAll('\\', '/').toLowerCase())
    : [word, folder];
  return path === root || path.startsWith(`${root}/`) || path.startsWith(`${root}\\`);
}
