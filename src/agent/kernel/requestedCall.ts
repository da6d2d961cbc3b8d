/** Call of a tool that a model has asked for. */
export interface RequestedCall {
  callId: string;
  name: string;
  input: Record<string, unknown>;
  /** Repairs that were needed to read a call printed as text. */
  repairs?: readonly string[];
  /** Reason why it cannot be run, for the model, and the text that the model wrote. */
  problem?: string;
  written?: string;
}
