import type { FileSensitivity } from '../../../utils/sensitivity/fileSensitivity';
import { isWrapper, unprefixed, unwrapped } from './parse/wrappers';
import { guessDialects } from './parse/dialect';
import {
  finding,
  isGrave,
  judgeByTable,
  judgeRead,
  judgeTarget,
  judgeVariables,
  judgeWrites,
  readsSecret,
  runsProgram,
} from './findings';
import type { Finding } from './findings';
import { reasonText, type ReasonKey } from './rules/reasons';
import { readScript, type ReadLimits } from './parse/readScript';
import {
  changesFolder,
  containers,
  downloadedTo,
  innermost,
  innerTexts,
  innerWords,
  interpreters,
  isDownload,
  isFinder,
  powershells,
  programName,
  runsCode,
  findStarts,
} from './parse/innerCommands';
import { emptyCommand, type Dialect, type Script, type SimpleCommand } from './parse/script';
import { afterDashes, startedTexts } from './parse/startedCommands';
import { matchRule } from './rules/matchRule';
import { createShapes, type Shapes } from './rules/shapes';
import { deletion } from './touchedPaths';

export interface JudgeContext {
  roots: readonly string[];
  secrets: Pick<FileSensitivity, 'isSecret'>;
  isWindows: boolean;
  limits?: ReadLimits;
}

export interface Judgement {
  findings: Finding[];
  shown: { text: string; findings: Finding[] }[];
}

/** Matches a fork bomb: a function that pipes itself into itself in the background. */
const forkBomb = /(?:^|[\s;&|])([^\s;&|(){}]{1,99})\s{0,9}\(\s{0,9}\)\s{0,9}\{\s{0,9}\1\s{0,9}\|\s{0,9}\1\s{0,9}&/;
const maxDepth = 6;
const maxTexts = 60;
/** Maximum number of parts to judge in a script that cannot be parsed. */
const maxPieces = 20;
/** Maximum number of words to judge, including nested commands. Judging more words would take seconds. */
const maxWords = 8000;

/** Uses the rule table to judge a script and everything that the script runs. */
export class Judge {
  private texts = 0;
  private wordCount = 0;

  constructor(private readonly context: JudgeContext) {}

  async command(text: string): Promise<Judgement> {
    const [first = 'bash', ...others] = guessDialects(text, this.context.isWindows);
    const judged = await this.script(await this.read(text, first), 0);
    if (judged.findings.some(({ reason }) => reason === reasonText('syntaxFault')))
      judged.findings.push(...(await this.pieces(text)));
    if (forkBomb.test(text)) judged.findings.push(finding('critical', 'runsItself'));
    for (const dialect of others) {
      // Another shell may interpret the text differently and run other critical commands. Ignore the remaining findings in its dialect.
      const script = await this.read(text, dialect);
      const { findings } = await this.script({ ...script, fault: null }, 0);
      judged.findings.push(...findings.filter(({ severity }) => severity === 'critical'));
    }
    return judged;
  }

  /** Finds critical commands in text that bash cannot parse, such as short loops in zsh. */
  private async pieces(text: string): Promise<Finding[]> {
    const pieces = text.split(/[;&|{}()\n]+/).filter((piece) => piece.trim() !== '');
    const found = await Promise.all(pieces.slice(0, maxPieces).map((piece) => this.text(piece, 'bash', 0)));
    return found.flat().filter(({ severity }) => severity === 'critical');
  }

  private read(text: string, dialect: Dialect): Promise<Script> {
    return readScript(text, dialect, this.context.limits);
  }

  private async script(script: Script, depth: number): Promise<Judgement> {
    const findings: Finding[] = [];
    const byCommand = new Map<SimpleCommand, Finding[]>();
    const downloaded = script.commands.flatMap(downloadedTo);
    let isAway = false;
    for (const command of script.commands) {
      if (this.wordCount > maxWords) {
        findings.push(finding('high', 'tooLong'));
        break;
      }
      const shapes = createShapes(this.context.roots, this.context.secrets, isAway);
      const found = await this.simple(command, shapes, downloaded, depth);
      byCommand.set(command, found);
      findings.push(...found);
      if (changesFolder(programName(command.words[0]))) {
        const places = command.words.slice(1);
        isAway = places.every((word) => word.startsWith('-')) || places.some((word) => shapes.isOutside(word));
      }
    }
    if (script.hasSubstitution) findings.push(finding('medium', 'runsInside'));
    if (script.fault !== null) findings.push(finding('high', script.fault));
    return {
      findings,
      shown: script.shown.map((command) => ({ text: command.text, findings: allFindings(command, byCommand) })),
    };
  }

  private exceedsWordLimit(words: readonly string[]): boolean {
    this.wordCount += words.length + 1;
    return this.wordCount > maxWords;
  }

  /** Judges text that the command runs as a script. */
  private async text(text: string, dialect: Dialect, depth: number): Promise<Finding[]> {
    this.texts += 1;
    if (depth >= maxDepth || this.texts > maxTexts) return [finding('high', 'tooDeep')];
    return (await this.script(await this.read(text, dialect), depth + 1)).findings;
  }

  private async simple(command: SimpleCommand, shapes: Shapes, downloaded: string[], depth: number): Promise<Finding[]> {
    if (this.exceedsWordLimit(command.words)) return [finding('high', 'tooLong')];
    const { words, variables } = unprefixed(command.words);
    const findings = command.writesTo.flatMap((target) => judgeTarget(target, shapes));
    findings.push(...judgeVariables([...variables, ...command.assigned.map(({ name }) => name)]));
    for (const source of command.readsFrom) findings.push(...judgeRead(source, shapes));
    const inmost = innermost(command.words);
    const program = programName(inmost[0]);
    const args = inmost.slice(1);
    if (readsSecret(program, args, shapes)) findings.push(finding('high', 'readsSecrets'));
    if (runsFetched(command, inmost, downloaded)) findings.push(finding('critical', 'runsDownloaded'));
    if (runsCode(program)) findings.push(...(await this.judgeInput(program, args, command, depth)));
    findings.push(...(await this.words(words, command, shapes, depth)));
    return oneReason(program, findings);
  }

  /** Judges the input of a shell or an interpreter. */
  private async judgeInput(program: string, args: readonly string[], command: SimpleCommand, depth: number): Promise<Finding[]> {
    const findings: Finding[] = [];
    const isFed = command.sources.length > 0 || command.inputTexts.length > 0 || command.readsFrom.length > 0;
    if (isFed && args.every((arg) => arg.startsWith('-') || (args.includes('-s') && arg !== '')))
      findings.push(finding('high', 'runsText'));
    if ([...command.writesTo, ...command.readsFrom].some((name) => /^\/dev\/(tcp|udp)\//.test(name)))
      findings.push(finding('critical', 'letsIn'));
    if (interpreters.has(program)) return findings;
    const dialect = powershells.has(program) ? 'powershell' : 'bash';
    for (const text of [...command.inputTexts, ...command.sources.flatMap(printed)])
      findings.push(...(await this.text(text, dialect, depth)));
    return findings;
  }

  private async words(words: readonly string[], command: SimpleCommand, shapes: Shapes, depth: number): Promise<Finding[]> {
    const [first, ...args] = words;
    if (first === undefined || first === '') return [];
    if (this.exceedsWordLimit(words)) return [finding('high', 'tooLong')];
    if (/^[$`]/.test(first) || /^[<>]\(/.test(first)) return [finding('high', 'runsText')];
    if (depth > maxDepth * 2) return [finding('high', 'tooDeep')];
    const program = programName(first);
    // The program may be a file in the workspace with the name of a known program.
    const findings: Finding[] = isLocal(first, shapes) ? [{ severity: 'medium', reason: runsProgram(program) }] : [];
    for (const inner of innerWords(program, args, command.sources)) {
      const made = { ...emptyCommand(inner.join(' ')), words: [...inner] };
      if (isFinder(program)) findings.push(finding('high', 'runsOnFound'));
      const found = await this.simple(made, shapes, [], depth + 1);
      // These programs have their own rules, so only grave findings count for the commands that they start.
      if (containers.has(program)) findings.push(...found.flatMap(inContainer));
      else findings.push(...(isFinder(program) || program === 'xargs' ? found : found.filter(isGrave)));
    }
    for (const { text, dialect } of innerTexts(program, args)) {
      if (runsCode(program)) findings.push(finding('high', 'runsText'));
      findings.push(...(await this.text(text, dialect, depth)));
    }
    const isPlain = args.every((arg) => /^(-[\w{}]+|[\w./{}~*-]+)$/.test(arg));
    if (program === 'xargs' && findings.length > 0 && isPlain && !unwrapped(program, args).hasUnknownOption) return findings;
    if (isWrapper(program)) return [...findings, ...(await this.wrapped(program, args, command, shapes, depth))];
    if (interpreters.has(program)) findings.push(...(await this.code(program, args, depth)));
    if (runsCode(program) && findings.some(isGrave)) return findings;
    findings.push(...judgeWrites(program, args, shapes));
    if (program === 'find' && args.includes('-delete'))
      findings.push(finding(findStarts(args).some((start) => shapes.isOutside(start)) ? 'critical' : 'high', 'deletesFound'));
    const piped = command.sources.flatMap((source) => source.words.slice(1));
    if (/^(remove-item|ri|rm)$/.test(program) && piped.some((word) => shapes.isOutside(word)))
      findings.push(deletion('critical', piped, shapes));
    const rule = matchRule(program, args, shapes);
    if (rule === undefined) findings.push(...(await this.mayStart(program, args, shapes, depth)));
    return [...findings, ...judgeByTable({ program, first, rule }, args, shapes)];
  }

  /** Judges what a program may start if no rule describes its arguments. Returns only grave findings. */
  private async mayStart(program: string, args: string[], shapes: Shapes, depth: number): Promise<Finding[]> {
    const words = afterDashes(args);
    const found = await this.simple({ ...emptyCommand(words.join(' ')), words }, shapes, [], depth + 1);
    for (const text of startedTexts(program, args)) found.push(...(await this.text(text, 'bash', depth)));
    return found.filter(isGrave);
  }

  private async wrapped(
    program: string,
    args: string[],
    command: SimpleCommand,
    shapes: Shapes,
    depth: number,
  ): Promise<Finding[]> {
    if (program === 'command' && /^-[vV]$/.test(args[0] ?? '')) return [];
    if (program === 'env' && args.length === 0) return [];
    const { words, variables, operands, hasUnknownOption } = unwrapped(program, args);
    const findings = [...judgeVariables(variables), ...(await this.words(words, command, shapes, depth + 1))];
    // `script` writes to its operand. Without a command, these programs start a shell.
    if (program === 'script') findings.push(...operands.flatMap((operand) => judgeTarget(operand, shapes)));
    if (words.length === 0 && /^(script|chroot|unshare|firejail)$/.test(program))
      findings.push({ severity: 'medium', reason: runsProgram(program) });
    if (program === 'sudo' || program === 'doas') findings.push(finding('critical', 'runsAdmin'));
    if (hasUnknownOption) findings.push(finding('high', 'hidesRuns'));
    const split = args.findIndex((arg) => /^(-S|--split-string)/.test(arg));
    const text = args.slice(split).join(' ');
    if (program === 'env' && split >= 0)
      findings.push(...(await this.text(text.replace(/^(-S|--split-string)[= ]?/, ''), 'bash', depth)));
    return findings;
  }

  /** Judges inline code for an interpreter. Strings in the code may be shell commands. */
  private async code(program: string, args: readonly string[], depth: number): Promise<Finding[]> {
    const at = args.findIndex((arg) => /^(-[a-zA-Z]*[ce]|-[pr]|-E|--eval|--print|eval)$/.test(arg));
    if (at < 0) return [];
    const findings: Finding[] = [finding('high', 'runsText')];
    const code = args[at + 1] ?? '';
    if (/(rmtree|remove_tree|rm_rf|rmSync|rmdirSync|rm|remove_dir_all)\s*\(?\s*['"](\/|~|[A-Za-z]:)/.test(code))
      findings.push(finding('critical', 'deletesFolders'));
    if (program === 'osascript' && /with administrator privileges/i.test(code)) findings.push(finding('critical', 'runsAdmin'));
    if (program === 'osascript' && /\bto (shut down|restart|log out|sleep)\b/i.test(code))
      findings.push(finding('critical', 'turnsOff'));
    if (program === 'perl' && /\bi/.test(args.join(' '))) return findings;
    for (const [, , text = ''] of code.matchAll(/(["'`])((?:(?!\1)[^\\]|\\.)*)\1/g)) {
      if (!/\s/.test(text)) continue;
      findings.push(...(await this.text(text, 'bash', depth)).filter(({ severity }) => severity === 'critical'));
    }
    return findings;
  }
}

/** Returns true if the program is a file in the workspace or in a temporary folder, where the agent may have created it. */
function isLocal(first: string, shapes: Shapes): boolean {
  return /[\\/]./.test(first) && (!shapes.isOutside(first) || /^\.\.?[\\/]/.test(first));
}

/** Removes findings about a program that a more severe finding implies. */
function oneReason(program: string, findings: Finding[]): Finding[] {
  const has = (key: ReasonKey): boolean => findings.some(({ reason }) => reason === reasonText(key));
  const implied = new Set<string>();
  if (findings.some(isGrave)) implied.add(reasonText('readsOutside'));
  if (has('runsDownloaded')) implied.add(reasonText('runsText'));
  if (has('runsDownloaded') || has('runsText')) implied.add(runsProgram(program));
  return findings.filter(({ reason }) => !implied.has(reason));
}

/**
 * Lowers the severity of a finding in a container, because the container
 * has its own file system. A finding about wiping data stays critical.
 */
function inContainer({ severity, reason }: Finding): Finding[] {
  if (severity !== 'critical') return [];
  return [{ severity: reason === reasonText('wipesData') ? 'critical' : 'high', reason }];
}

/** Returns whether a command runs a file that it or an earlier command has downloaded. */
function runsFetched(command: SimpleCommand, [first = '', ...args]: readonly string[], downloaded: readonly string[]): boolean {
  const program = programName(first);
  const isRunner = runsCode(program) || /^(eval|source|\.|iex|invoke-expression)$/.test(program);
  if ((isRunner || first.startsWith('$(')) && command.inner.some(isDownload)) return true;
  if (isRunner && command.sources.some(isDownload)) return true;
  return [first, ...(isRunner ? args : [])].some((word) => downloaded.includes(word.replace(/^\.[\\/]/, '')));
}

/** Returns the text that a command prints, if its arguments contain that text. */
function printed(source: SimpleCommand): string[] {
  const [program, ...args] = innermost(source.words);
  if (program === 'cat' && source.inputTexts.length > 0) return source.inputTexts;
  if (program !== 'echo' && program !== 'printf') return [];
  const text = args.filter((arg) => !/^-[neE]+$/.test(arg)).join(' ');
  return [text.replace(/\\n/g, '\n')];
}

function allFindings(command: SimpleCommand, byCommand: ReadonlyMap<SimpleCommand, Finding[]>): Finding[] {
  return [...(byCommand.get(command) ?? []), ...command.inner.flatMap((inner) => allFindings(inner, byCommand))];
}
