/**
 * Help that the agent gives to weak models. All of it is always on in the product: switching one off shows what it is worth
 * (`npm run bench harness`, docs/weak-models.md).
 */
export interface ModelAids {
  /** Runs calls that a model prints into its text. */
  printedCalls: boolean;
  /** Applies edits whose text was copied with a slip. */
  healing: boolean;
  /** Asks once more, by a schema, for a call that cannot be run. */
  callRepair: boolean;
  /** Shows a model what the file has where its edit found no place. */
  nearestLines: boolean;
  /** Tells a model that it repeats itself, and stops it. */
  loopGuard: boolean;
  /** Asks a model for the work that it says was done and no call has done. */
  claimChallenge: boolean;
}

export const allAids: Readonly<ModelAids> = {
  printedCalls: true,
  healing: true,
  callRepair: true,
  nearestLines: true,
  loopGuard: true,
  claimChallenge: true,
};

/** Help with text that was copied wrongly. */
export type EditAids = Readonly<Pick<ModelAids, 'healing' | 'nearestLines'>>;
