import type { GenerationRequest, Scripted } from '../../../support/ollama/doubleReply';
import type { ExampleCall } from '../../../unit/agent/support/writeCalls';
import type { Family } from './families';
import { broken, claimed, editCall, fenced, habitOf, invented, isLasting, slipped, written, type Habit } from './mistakes';
import type { Step, Task } from './tasks';

const failing =
  /was not run|cannot be read|no tool named|Nothing was (?:changed|run)|was not found|not in the file|could not read|Not run|failed:/;
const nudge = /This is call number|times in turn/;
/** Strategy for the next edit: `usual` includes the mistake, `exact` copies the lines as shown, `byNumber` uses `replace_lines`. */
type Way = 'usual' | 'exact' | 'byNumber';

/**
 * Scripted model of a family that works on a task and makes one mistake. It only reads the last message: it copies the lines shown and
 * follows requests. It follows hints in call results only if its family does. Otherwise it repeats itself.
 */
export class ScriptedModel {
  /** Number of requests so far, including repairs. */
  requests = 0;
  private readonly habit: Habit;
  /** Step with the mistake; -1 if the task has no step for it. */
  private readonly wrongStep: number;
  private at = 0;
  private calls = 0;
  private pending: 'step' | 'look' | null = null;
  /** True until the model notices its mistake. */
  private isWrong = true;
  private way: Way = 'usual';
  private line = 0;
  /** True once a message has named `call_tool`. Before that, every tool is called by its own name. */
  private usesCallTool = false;
  private declared: ReadonlySet<string> = new Set();
  private isLooking = false;

  constructor(
    private readonly family: Family,
    private readonly task: Task,
    private readonly place: { family: number; task: number },
  ) {
    this.habit = habitOf(place.family, place.task);
    const isOfEdits = this.habit === 'slip' || this.habit === 'invented';
    this.wrongStep = isOfEdits ? task.steps.findIndex(({ kind }) => kind === 'edit') : task.steps.length - 1;
  }

  answer({ messages, tools }: GenerationRequest): Scripted {
    this.requests += 1;
    const said = messages.at(-1)?.content ?? '';
    this.declared = new Set(tools.map((tool) => tool.function.name));
    this.usesCallTool ||= /\bcall call_tool\b/.test(said);
    this.hear(said);
    const step = this.task.steps[this.at];
    if (step === undefined) return 'That is all.';
    if (this.makes('loop') || this.isLooking) {
      this.pending = 'look';
      return this.call({ name: 'read_file', arguments: { path: Object.keys(this.task.before)[0] ?? '' } });
    }
    if (this.makes('claim')) {
      this.isWrong = false;
      return claimed(this.rightCall(step), this.place.task);
    }
    this.pending = 'step';
    if (this.makes('broken')) return broken(this.rightCall(step), this.family, this.calls);
    if (this.makes('fenced')) return fenced(this.rightCall(step), this.place.task);
    return this.call(this.nextCall(step));
  }

  /** Returns the answer to a repair request, which has a schema. */
  repair(): Scripted {
    this.requests += 1;
    const step = this.task.steps[this.at];
    if (step === undefined || !this.family.keepsFormat) return 'I call the tool once more.';
    const { name, arguments: input } = this.rightCall(step);
    return JSON.stringify({ name, arguments: input });
  }

  private makes(habit: Habit): boolean {
    return this.habit === habit && this.isWrong && this.at === this.wrongStep;
  }

  private call(call: ExampleCall): Scripted {
    this.calls += 1;
    const isWrapped = this.usesCallTool && !this.declared.has(call.name);
    const made = isWrapped ? { name: 'call_tool', arguments: { ...call } } : call;
    const answer = written(made, this.family, this.calls + this.place.task);
    // Models often announce a call.
    if (this.task.kind !== 'load' || this.place.task % 2 !== 0 || typeof answer === 'string' || !('length' in answer))
      return answer;
    return ['I will do that now.', ...answer];
  }

  private rightCall(step: Step): ExampleCall {
    return step.kind === 'edit' ? editCall(step, step) : { name: step.name, arguments: step.arguments };
  }

  private nextCall(step: Step): ExampleCall {
    if (step.kind !== 'edit' || this.at !== this.wrongStep) return this.rightCall(step);
    if (this.way === 'byNumber') {
      const newText = step.made.slice(step.old.length - 1).join('\n');
      return { name: 'replace_lines', arguments: { path: step.path, startLine: this.line, endLine: this.line, newText } };
    }
    const isSlip = this.habit === 'slip' && (this.way === 'usual' || isLasting(this.family.slip));
    if (isSlip) return editCall(step, slipped(step, this.family.slip, this.place.task));
    return editCall(step, this.habit === 'invented' && this.way === 'usual' ? invented(step) : step);
  }

  /** Processes the last message: a call result or a request. */
  private hear(said: string): void {
    const step = this.task.steps[this.at];
    const { pending } = this;
    this.pending = null;
    if (pending === null || step === undefined) return;
    if (pending === 'look') {
      this.isLooking = false;
      if (this.habit === 'loop') this.isWrong = !(nudge.test(said) && this.family.heeds);
      else this.seeLines(said, step);
      return;
    }
    const lacks = step.kind === 'call' && step.sees !== undefined && !said.includes(step.sees);
    if (!failing.test(said) && !lacks && !isRequest(said)) {
      this.at += 1;
      this.way = 'usual';
    } else this.learn(said, step);
  }

  private learn(said: string, step: Step): void {
    if (this.habit === 'broken' || this.habit === 'fenced') this.isWrong &&= !(this.family.heeds || isRequest(said));
    if (this.seeLines(said, step)) return;
    this.isLooking = this.family.heeds && (nudge.test(said) || /read the file again/i.test(said));
  }

  /** Reads the lines to edit from a message; false if it does not contain them. */
  private seeLines(said: string, step: Step): boolean {
    if (step.kind !== 'edit') return false;
    const isWhole = step.old.every((line) => said.includes(line.trim()));
    const last = [...said.matchAll(/^(\d+): (.*)$/gm)].findLast(([, , text]) => text === step.old.at(-1));
    if (/You can now call (?:call_tool with name ")?replace_lines/.test(said) && last !== undefined) {
      this.way = 'byNumber';
      this.line = Number(last[1]);
    } else if (isWhole) this.way = 'exact';
    return isWhole;
  }
}

/** Tells whether a message of the agent is a request and not a result. */
function isRequest(said: string): boolean {
  return (
    said.trimEnd().endsWith(']') && /\n?\[(?:You wrote|Nothing was run|Nothing of your last answer|A call of your)/.test(said)
  );
}
