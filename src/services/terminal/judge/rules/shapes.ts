import type { FileSensitivity } from '../../../../utils/sensitivity/fileSensitivity';

/** Tells what a word of a command names, from its text alone. */
export interface Shapes {
  /** Tells whether an argument has the shape of this name. */
  has(shape: string, word: string, isLast: boolean): boolean;
  isOutside(word: string): boolean;
  isSecret(word: string): boolean;
}

const home =
  /^(~|\$\{?HOME\}?|\$env:(USERPROFILE|HOME|HOMEPATH|SystemDrive|SystemRoot|windir|APPDATA|LOCALAPPDATA)|%(USERPROFILE|HOMEPATH|SystemDrive|SystemRoot|windir)%)/i;
const device = /^(\/dev\/(?!(null|zero|u?random|full|stdin|stdout|stderr|tty|fd\/|tcp\/|udp\/|shm\/))\w|\\\\[.?]\\|\/\/\.\/)/i;
const temporary =
  /^(\/tmp|\/var\/tmp|\/dev\/(null|stdout|stderr|stdin|tty|zero|u?random)|\$\{?TMPDIR\}?|\$env:TEMP|%TEMP%)($|[\\/])/i;
/** Matches names of keys and passwords in what is searched for. */
const secretName = /secret|passw|api[-_ ]?key|private[-_ ]?key|access[-_ ]?key|credential|token|BEGIN .*PRIVATE|AKIA|ghp_/i;
/** Files that hold keys and passwords of the system, which no list of a workspace names. */
const systemSecret =
  /(^|[\\/])(shadow|gshadow|sudoers|SAM|environ|master\.passwd|login\.keychain(-db)?)$|(^|[\\/])\.(ssh|aws|gnupg|kube|docker)($|[\\/])/;

/** Builds the shapes for a workspace with these folders; `isAway`: names are meant from a folder outside it. */
export function shapesOf(roots: readonly string[], secrets: Pick<FileSensitivity, 'isSecret'>, isAway: boolean): Shapes {
  const isOutside = (word: string): boolean => {
    if (/^[\w.+-]+:\/\//.test(word) || (temporary.test(word) && !word.includes('..'))) return false;
    if (word.split(/[\\/]/).includes('..') || home.test(word)) return true;
    if (!/^([/\\]|[a-z]:)/i.test(word)) return isAway && word !== '' && !word.startsWith('-');
    return !roots.some((root) => word === root || word.startsWith(`${root}/`) || word.startsWith(`${root}\\`));
  };
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
          ((isOutside(word) || (/^[/\\]/.test(word) && !roots.some((root) => word.startsWith(`${root}/`)))) &&
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
  return { has, isOutside, isSecret };
}
