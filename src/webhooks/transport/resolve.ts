import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import pTimeout from 'p-timeout'
import { reuseBriefly } from '../../platform/concurrency/reuse-briefly.ts'

/** Resolves a host name to at least one IP address. It rejects with an error whose `code` is one of `node:dns`. */
export type Resolve = (hostname: string) => Promise<string[]>

/** Time after which the DNS settings of the machine are read again, because they may change while the process runs. */
const SETTINGS_AGE_MS = 60_000

/** Time to wait for addresses of the second family after those of the first are known (RFC 8305, section 3). */
const OTHER_FAMILY_MS = 50

/**
 * Makes a function that queries the name servers of the machine directly. `dns.lookup` would occupy one of the four
 * threads that Node.js also needs for files and passwords, so a few names whose servers never respond would stop the
 * whole service. The hosts file and `localhost` are handled here. Search domains are not applied, so names must be
 * complete.
 *
 * @param nameServers `ip` or `ip:port`; default: the name servers of the machine
 */
export function createResolve({ nameServers }: { nameServers?: readonly string[] } = {}): Resolve {
  const settings = reuseBriefly(async () => {
    const resolver = new Resolver({ timeout: 2_000, tries: 2 })
    if (nameServers !== undefined) resolver.setServers(nameServers)
    return { resolver, hosts: await readHosts() }
  }, SETTINGS_AGE_MS)
  return async (hostname) => {
    const name = hostname.toLowerCase()
    // The name `localhost` is never sent to a name server (RFC 6761, section 6.3).
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1']
    const { resolver, hosts } = await settings()
    return hosts.get(name) ?? (await ask(resolver, name))
  }
}

async function ask(resolver: Resolver, name: string): Promise<string[]> {
  const families = [resolver.resolve4(name), resolver.resolve6(name)]
  const found: string[] = []
  const collected = families.map(async (answer) => found.push(...(await answer)))
  try {
    await Promise.any(collected)
  } catch (error) {
    // An error other than `ENODATA` is more informative: many names have no IPv6 addresses, but failing name servers
    // are rare.
    const errors = (error as AggregateError).errors as NodeJS.ErrnoException[]
    throw errors.find(({ code }) => code !== 'ENODATA') ?? errors[0]
  }
  await pTimeout(Promise.allSettled(collected), { milliseconds: OTHER_FAMILY_MS, message: false })
  return [...found]
}

/** Parses the lines `ip name name... # comment` of the hosts file. Returns an empty map if the file is missing. */
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
