import { cutHead } from '../../types/cutText';
const maxSteps = 50;
const maxText = 2000;
const numbered = /^ {0,3}(?:#{1,6} +)?(?:[*_]{2})?(?:(?:step|schritt) +)?(\d{1,2})[.):](?:[*_]{2})? +(\S.*)$/iu;
const planTitle = /^ {0,3}(?:#{1,6} +|[*_]{2})?(?:the |der |my |mein )?(?:\S+ )?plan\b.{0,40}$/iu;

/**
 * Returns the numbered plan steps at the end of an answer. If there are several lists, the last one
 * counts. Without a plan heading, a single step or an answer that ends with a question is not a plan.
 */
export function planSteps(answer: string): string[] {
  const lines = answer.split(/\r?\n/);
  const title = lines.findLastIndex((line) => planTitle.test(line));
  const steps = listIn(lines.slice(title + 1));
  if (title === -1 && (steps.length < 2 || endsInQuestion(lines))) return [];
  return steps.map((step) => tidied(step)).slice(0, maxSteps);
}

function listIn(lines: readonly string[]): string[] {
  let steps: string[] = [];
  let isInFence = false;
  let isAfterGap = false;
  let isOpen = false;
  for (const line of lines) {
    if (/^\s*(```|~~~)/.test(line)) isInFence = !isInFence;
    const [, number, text = ''] = (!isInFence && numbered.exec(line)) || [];
    if (number !== undefined) {
      if (Number(number) === 1 && steps.length > 0 && !(isOpen && steps.length === 1)) steps = [];
      steps.push(text);
      isOpen = true;
    } else if (line.trim() === '' && !isInFence) isAfterGap = true;
    else if (isOpen && isAfterGap && !isInFence && !/^[ \t]+|^[-*+] /.test(line)) isOpen = false;
    else if (isOpen) steps.push(`${steps.pop() ?? ''}\n${line.replace(/^ {1,4}/, '')}`);
    if (line.trim() !== '') isAfterGap = false;
  }
  return steps;
}

function tidied(step: string): string {
  const [first = '', ...rest] = step.trim().split('\n');
  const text = [first.replace(/\*\*|__/g, '').trim(), ...rest].join('\n').trim();
  return text.length > maxText ? `${cutHead(text, maxText)}…` : text;
}

function endsInQuestion(lines: readonly string[]): boolean {
  return (
    lines
      .findLast((line) => line.trim() !== '')
      ?.trimEnd()
      .replace(/[*_)]+$/, '')
      .endsWith('?') === true
  );
}
