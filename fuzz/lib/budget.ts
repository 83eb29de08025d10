import type { CheckContext, Target } from './target.ts'

const ATTEMPTS = 4

/**
 * Checks an input. Repeats the check while it exceeds the budget. Returns the last outcome and the least CPU time in
 * milliseconds.
 */
export async function checkInBudget(
  { check, budgetMs }: Target,
  input: Buffer,
  context: CheckContext,
): Promise<{ outcome: string; cpuMs: number }> {
  let [outcome, cpuMs] = ['', Number.POSITIVE_INFINITY]
  for (let i = 0; i < ATTEMPTS && cpuMs > budgetMs; i += 1) {
    const before = process.cpuUsage()
    outcome = await check(input, context)
    // Only user time counts. System time includes page faults, of which a busy computer has many.
    cpuMs = Math.min(cpuMs, Math.round(process.cpuUsage(before).user / 1000))
  }
  return { outcome, cpuMs }
}
