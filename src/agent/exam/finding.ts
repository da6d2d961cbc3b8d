import type { ExamFault, ExamFaultName } from '../../types/exam';
import { cutHead } from '../../types/cutText';

/** Fault and its effect on the result of the task. */
export interface ExamFinding extends ExamFault {
  /** True if the fault fails the task. */
  isFatal: boolean;
}

const maxEvidence = 300;

export function failed(fault: ExamFaultName, evidence: string): ExamFinding {
  return { fault, evidence: shortened(evidence), isFatal: true };
}

/** Reports a fault that the agent corrected. */
export function noted(fault: ExamFaultName, evidence: string): ExamFinding {
  return { fault, evidence: shortened(evidence), isFatal: false };
}

function shortened(text: string): string {
  const whole = text.trim();
  return whole.length > maxEvidence ? `${cutHead(whole, maxEvidence)}…` : whole;
}
