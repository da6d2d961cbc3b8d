import DOMPurify, { type Config } from 'dompurify';

/**
 * Rules for untrusted text. All untrusted text passes through here: DOMPurify with an allowlist turns HTML into nodes.
 * The nodes cannot run, load, style or submit anything.
 */

const prose: Config = {
  ALLOWED_TAGS: [
    ...['p', 'br', 'hr', 'h3', 'strong', 'em', 's', 'code', 'ul', 'ol', 'li', 'blockquote', 'a', 'span', 'div'],
    ...['table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ],
  ALLOWED_ATTR: ['href', 'title', 'start', 'class', 'tabindex', 'data-code', 'data-align', 'data-place', 'data-formula', 'dir'],
  /** Applies to all attributes except those listed below. */
  ALLOWED_URI_REGEXP: /^https?:/i,
  ADD_URI_SAFE_ATTR: ['start', 'tabindex', 'data-code', 'data-align', 'data-place', 'data-formula', 'dir'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
};

const highlighted: Config = {
  ALLOWED_TAGS: ['span'],
  ALLOWED_ATTR: ['class'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
};

/** Formula layout without addresses, styles, classes, IDs or colors. The annotation contains the source. */
const formula: Config = {
  ALLOWED_TAGS: [
    ...[
      'math',
      'semantics',
      'annotation',
      'mrow',
      'mi',
      'mn',
      'mo',
      'ms',
      'mtext',
      'mspace',
      'mfrac',
      'msqrt',
      'mroot',
      'mstyle',
    ],
    ...['mpadded', 'mphantom', 'menclose', 'msub', 'msup', 'msubsup', 'munder', 'mover', 'munderover', 'mmultiscripts'],
    ...['mprescripts', 'mtable', 'mtr', 'mlabeledtr', 'mtd'],
  ],
  ALLOWED_ATTR: [
    ...[
      'display',
      'displaystyle',
      'scriptlevel',
      'mathvariant',
      'encoding',
      'form',
      'fence',
      'separator',
      'stretchy',
      'symmetric',
    ],
    ...['largeop', 'movablelimits', 'accent', 'accentunder', 'lspace', 'rspace', 'minsize', 'maxsize', 'linethickness', 'width'],
    ...[
      'height',
      'depth',
      'voffset',
      'notation',
      'columnalign',
      'columnspacing',
      'columnlines',
      'rowalign',
      'rowspacing',
      'rowlines',
    ],
  ],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
};

const policies = { prose, highlighted, formula };
export type Policy = keyof typeof policies;

/** Returns the allowed nodes of `html`. */
export function sanitize(html: string, policy: Policy): DocumentFragment {
  return DOMPurify.sanitize(html, { ...policies[policy], RETURN_DOM_FRAGMENT: true });
}
