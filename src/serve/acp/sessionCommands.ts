import { RequestError, type AvailableCommand } from '@agentclientprotocol/sdk';
import { commandIn, promptCommands, withRest } from '../../protocol/text/promptCommands';
import { selectConversation } from '../../protocol/reducer/timelineReducer';
import { visibleLine } from '../../protocol/text/visibleText';
import type { BegunRun } from '../../agent/kernel/run';
import type { HeadlessCore } from '../headlessCore';
import type { PromptContent } from './promptContent';
import type { SessionConfig } from './sessionConfig';

const compact: AvailableCommand = { name: 'compact', description: 'Summarize earlier messages to free context' };
const startPlan: AvailableCommand = { name: 'start-plan', description: 'Carry out the last plan in Agent mode' };
const more = { hint: 'more words for the prompt' };

/** Slash commands of a session: built-in prompts, prompt files of the workspace, and actions. */
export class SessionCommands {
  constructor(
    private readonly sessionId: string,
    private readonly core: Pick<HeadlessCore, 'controller' | 'instructions' | 'database'>,
    private readonly config: SessionConfig,
    /** Shows a text of the agent that is not part of the chat. */
    private readonly say: (text: string) => void,
  ) {}

  /** Returns all commands. A built-in command takes precedence over a prompt file with the same name. */
  async list(): Promise<AvailableCommand[]> {
    const own = [...promptCommands.map(({ name, about }) => ({ name, description: about, input: more })), compact, startPlan];
    const files = (await this.core.instructions.prompts())
      .filter(({ name }) => commandIn(`/${name}`)?.name === name && !own.some((one) => one.name === name))
      .map(({ name, description }) => ({
        name,
        description: visibleLine(description) || 'Prompt from this workspace',
        input: more,
      }));
    return [...own, ...files];
  }

  /** Returns true if a message starts a plan, which requires Agent mode. */
  startsPlan({ text }: PromptContent): boolean {
    return commandIn(text)?.name === startPlan.name;
  }

  /**
   * Starts the action of a message. Resolves with its run. Resolves with null if the action needs no
   * run and is done, or if `signal` aborted first.
   */
  async begin(content: PromptContent, signal: AbortSignal): Promise<BegunRun | null> {
    const { sessionId } = this;
    const { controller } = this.core;
    const model = await this.config.model();
    const command = commandIn(content.text);
    if (command?.name === compact.name) {
      const isMade = await controller.compact(sessionId, model);
      this.say(
        isMade
          ? 'Earlier messages are summarized.'
          : 'There is nothing to summarize yet. The newest messages are kept in full, up to about a sixth of the context window.',
      );
      return null;
    }
    if (command?.name === startPlan.name) {
      return controller.startPlan({ sessionId, seq: await this.lastPlan(), model });
    }
    const prompt = command === null ? undefined : await this.promptNamed(command.name);
    const text = prompt === undefined ? content.text : withRest(prompt, command?.rest ?? '');
    return signal.aborted ? null : controller.send({ ...content, text, sessionId, mode: this.config.mode, model });
  }

  private async promptNamed(name: string): Promise<string | undefined> {
    const all = [...promptCommands, ...(await this.core.instructions.prompts())];
    return all.find((one) => one.name === name)?.text;
  }

  private async lastPlan(): Promise<number> {
    const { entries } = await this.core.database.log.read(this.sessionId, 0);
    const plan = selectConversation(entries).findLast(({ type }) => type === 'plan');
    if (plan === undefined)
      throw RequestError.invalidRequest(undefined, 'There is no plan to carry out. Ask for one in Plan mode first.');
    return plan.seq;
  }
}
