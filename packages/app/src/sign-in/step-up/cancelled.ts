/** The customer has closed the dialog, so the action did not take place. */
export class StepUpCancelled extends Error {}

export const isCancelled = (error: unknown): boolean => error instanceof StepUpCancelled
