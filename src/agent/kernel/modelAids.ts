/**
 * Aids for weak models. The product enables every aid. `npm run bench harness` disables single aids to
 * measure their effect (docs/weak-models.md).
 */
export interface ModelAids {
  /** Runs calls that a model writes into its text. */
  printedCalls: boolean;
  /** Applies edits whose quoted text has copying errors. */
  healing: boolean;
  /** Requests an invalid call once more, with a schema. */
  callRepair: boolean;
  /** Shows the nearest lines of the file when an edit finds no match. */
  nearestLines: boolean;
  /** Warns a model that repeats itself, then stops it. */
  loopGuard: boolean;
  /** Challenges a model that claims work that no call has done. */
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

/** Aids for edits with copying errors. */
export type EditAids = Readonly<Pick<ModelAids, 'healing' | 'nearestLines'>>;
