export interface RequestedCall {
  callId: string;
  name: string;
  input: Record<string, unknown>;
  /** Repairs that were needed to parse a call that the model wrote as text. */
  repairs?: readonly string[];
  /** Error message for the model if the call cannot run. `written` is the original text of the model. */
  problem?: string;
  written?: string;
  /** True if the model wrote the call as text without announcing it. The user must then approve destructive calls. */
  isUnannounced?: boolean;
}
