import type { CheckContext, Target } from './target.ts'

const ATTEMPTS = 4

/** Checks an input. Repeats a check that exceeds the budget, and returns the least CPU time, in milliseconds. */
export async function checkInBudget(
  { check, budgetMs }: Target,
  input: Buffer,
  context: CheckContext,
): Promise<{ outcome: string; cpuMs: number }> {
  let [outcome, cpuMs] = ['', Number.POSITIVE_INFINITY]
  for (let i = 0; i < ATTEMPTS && cpuMs > budgetMs; i += 1) {
    const before = process.cpuUsage()
    outcome = await check(input, context)
    // User time only: system time includes page faults, of which a busy machine has many.
    cpuMs = Math.min(cpuMs, Math.round(process.cpuUsage(before).user / 1000))
  }
  return { outcome, cpuMs }
}
