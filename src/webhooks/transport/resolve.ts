import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'

/** Gives all addresses of a host name, at least one. Rejects with an error whose `code` is one of `node:dns`. */
export type Resolve = (hostname: string) => Promise<string[]>

/** Settings of the machine change while the program runs: another network, another name server. */
const SETTINGS_AGE_MS = 60_000

/** How long the second family of addresses is waited for, once one is known (RFC 8305, 3). */
const OTHER_FAMILY_MS = 50

/**
 * Asks the machine's name servers itself. `dns.lookup` would occupy one of four threads that all of Node.js shares (files,
 * passwords), so that a few names whose servers never answer would stop the whole service. Its other sources are read here: the
 * hosts file, and `localhost`. Search domains are not applied: names must be complete.
 *
 * @param nameServers `address` or `address:port`; unset: those of the machine
 */
export function createResolve({ nameServers }: { nameServers?: readonly string[] } = {}): Resolve {
  const settings = renewed(async () => {
    const resolver = new Resolver({ timeout: 2_000, tries: 2 })
    if (nameServers !== undefined) resolver.setServers(nameServers)
    return { resolver, hosts: await readHosts() }
  })
  return async (hostname) => {
    const name = hostname.toLowerCase()
    // RFC 6761, 6.3: never asked of a name server.
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1']
    const { resolver, hosts } = await settings()
    return hosts.get(name) ?? (await ask(resolver, name))
  }
}

/** A value made anew when it is wanted and older than settings may be. */
function renewed<T>(make: () => Promise<T>): () => Promise<T> {
  let current: { value: Promise<T>; madeAt: number } | undefined
  return () => {
    if (current === undefined || performance.now() - current.madeAt > SETTINGS_AGE_MS) {
      current = { value: make(), madeAt: performance.now() }
    }
    return current.value
  }
}

async function ask(resolver: Resolver, name: string): Promise<string[]> {
  const families = [resolver.resolve4(name), resolver.resolve6(name)]
  const found: string[] = []
  const collected = families.map(async (answer) => found.push(...(await answer)))
  try {
    await Promise.any(collected)
  } catch (error) {
    // The more telling of both: a name without IPv6 addresses is common, a server that fails is not.
    const errors = (error as AggregateError).errors as NodeJS.ErrnoException[]
    throw errors.find(({ code }) => code !== 'ENODATA') ?? errors[0]
  }
  const waited = new Promise((resolve) => setTimeout(resolve, OTHER_FAMILY_MS))
  await Promise.race([Promise.allSettled(collected), waited])
  return [...found]
}

/** Lines of `address name name... # comment` (hosts(5)). A machine without the file has no such names. */
async function readHosts(): Promise<Map<string, string[]>> {
  const path = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts'
  const text = await readFile(path, 'utf8').catch(() => '')
  const hosts = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (isIP(address) === 0) continue
    for (const name of names.map((one) => one.toLowerCase())) hosts.set(name, [...(hosts.get(name) ?? []), address])
  }
  return hosts
}
