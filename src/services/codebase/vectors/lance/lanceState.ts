/** State of LanceDB, where it is chosen. */
export interface LanceState {
  /** Reason why the built-in store answers instead; null where it need not. */
  trouble: string | null;
}
