/**
 * Runs work for each item, several at a time. Items are taken from the source only as work begins. After an error no
 * further work begins, and the promise rejects with the first error when the running work has ended.
 */
export async function forEachAtOnce<Item>(
  items: AsyncIterable<Item>,
  concurrency: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.asyncIterator]()
  const errors: unknown[] = []
  const lane = async (): Promise<void> => {
    try {
      while (errors.length === 0) {
        const next = await iterator.next()
        if (next.done === true) return
        await work(next.value)
      }
    } catch (error) {
      errors.push(error)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, lane))
  if (errors.length === 0) return
  await iterator.return?.()
  throw errors[0]
}
