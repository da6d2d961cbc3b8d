/** Expected failure of a script, reported without a stack trace. */
export class Problem extends Error {}

export function heading(text) {
  console.log(`\n── ${text} ${'─'.repeat(Math.max(2, 76 - text.length))}`);
}

let tell = console.log;

/** Sends all further notes to standard error, because a program reads the output. */
export function keepOutputClean() {
  tell = console.error;
}

export function note(text) {
  tell(`• ${text}`);
}

/** Runs a script's main function. A `Problem` becomes a plain message and exit code 1. */
export async function main(run) {
  try {
    process.exitCode = (await run()) ?? 0;
  } catch (error) {
    console.error(error instanceof Problem ? `\n${error.message}` : error);
    process.exitCode = 1;
  }
}
