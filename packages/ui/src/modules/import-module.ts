/** The files that were fetched, or are being fetched, by URL. */
const arrivals = new Map<string, Promise<void>>()

/**
 * Imports a module after its files have arrived. Browsers remember that they could not download a module, and would
 * refuse all later imports of it, so that "Try again" could not help. They do not remember this of `fetch`, and then
 * take the module from their cache.
 *
 * The build calls this function in place of each `import()`: `web/repeatable-imports.ts`.
 *
 * @param load imports the module
 * @param files the module and the modules that it imports and the page may not have yet, relative to `base`
 * @throws TypeError or Error if a file cannot be downloaded
 */
export async function importModule<Module>(
  load: () => Promise<Module>,
  files: readonly string[],
  base: string,
): Promise<Module> {
  await Promise.all(files.map((file) => fetchOnce(new URL(file, base).href)))
  return load()
}

function fetchOnce(url: string): Promise<void> {
  const known = arrivals.get(url)
  if (known !== undefined) return known
  const arrival = download(url)
  arrivals.set(url, arrival)
  arrival.catch(() => arrivals.delete(url))
  return arrival
}

async function download(url: string): Promise<void> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url}: status ${response.status}`)
  await response.arrayBuffer()
}
