export interface RequestedCall {
  callId: string;
  name: string;
  input: Record<string, unknown>;
  /** Repairs that were needed to parse a call written as text. */
  repairs?: readonly string[];
  /** Error message for the model if the call cannot run; `written` is the model's original text. */
  problem?: string;
  written?: string;
  /** True if it was written as text without an announcement, so that the user must approve what it destroys. */
  isUnannounced?: boolean;
}
