/**
 * Returns the results of work that runs at the same time. Rejects with the first error only when all of it has ended.
 * Otherwise a job that failed would go on to use memory that it has given back, and the process would take another job.
 */
export async function allEnded<Work extends readonly Promise<unknown>[]>(
  work: readonly [...Work],
): Promise<{ -readonly [Key in keyof Work]: Awaited<Work[Key]> }> {
  await Promise.allSettled(work)
  return Promise.all(work)
}
