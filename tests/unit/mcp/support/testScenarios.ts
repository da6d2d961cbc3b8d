import assert from 'node:assert/strict';
import { formsFor, ScenarioBench, type ToolScenario } from './toolScenarios';

/** Number of mistakes to test in each scenario. */
const mistakes = 4;

/** Defines a test which checks that every call in every scenario reaches its tool. */
export function testScenarios(scenarios: readonly ToolScenario[]): void {
  const calls = scenarios.flatMap(({ phases }) => phases.flatMap(({ turns }) => turns.flat())).length;

  describe(`${scenarios.length} conversations with the tools of a server`, () => {
    let bench: ScenarioBench;
    before(async () => {
      bench = await ScenarioBench.start();
    });
    after(() => bench.stop());

    it(`run to their end, and ${calls} calls arrive as they were meant, without a mistake and with ${mistakes}`, async function () {
      this.timeout(0);
      const failed: string[] = [];
      let played = 0;
      for (const [at, scenario] of scenarios.entries())
        for (const form of formsFor(at, mistakes)) {
          played += 1;
          await bench.play(scenario, form).catch((error: Error) => failed.push(`${scenario.id}, ${form.name}: ${error.message}`));
        }
      assert.equal(failed.length, 0, `${failed.length} of ${played}:\n${failed.slice(0, 20).join('\n\n')}`);
    });
  });
}
