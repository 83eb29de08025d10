import type { Socket } from 'node:net'
import { householdOf, networkOf } from '../../networks.ts'

/** The open connections of a network, of a household in it, or of an IP address. Only an IP address has `sockets`. */
interface Group {
  count: number
  parts: Map<string, Group>
  /** Oldest first. */
  sockets: Set<Socket>
}

/**
 * Counts open connections, and selects those that make room for others. A client with a whole network has 254 or 65,536
 * address keys with few connections each, so the networks are compared first, then their households and IP addresses.
 *
 * @param isIdle whether a connection serves no request
 */
export function createOpenConnections(isIdle: (socket: Socket) => boolean) {
  const root = createGroup()
  /** Where each open connection counts. A group stays while it has connections. */
  const places = new WeakMap<Socket, { path: readonly string[]; groups: readonly Group[] }>()
  const remove = (socket: Socket): void => {
    const place = places.get(socket)
    if (place === undefined) return
    places.delete(socket)
    root.count -= 1
    let parent = root
    for (const [level, group] of place.groups.entries()) {
      group.count -= 1
      if (group.count === 0) parent.parts.delete(place.path[level] ?? '')
      parent = group
    }
    parent.sockets.delete(socket)
  }
  const take = (socket: Socket | undefined): Socket | undefined => {
    if (socket !== undefined) remove(socket)
    return socket
  }
  return {
    /**
     * @param key the address key of the client (`addressKey`)
     * @returns how many connections the address has now, and a function that takes its oldest idle one out
     */
    add: (key: string, socket: Socket): { count: number; takeIdle: () => Socket | undefined } => {
      const path = pathOf(key)
      const groups = groupsOf(root, path)
      for (const group of [root, ...groups]) group.count += 1
      const { sockets } = groups.at(-1) ?? root
      sockets.add(socket)
      places.set(socket, { path, groups })
      socket.once('close', () => remove(socket))
      return { count: sockets.size, takeIdle: () => take(sockets.values().find(isIdle)) }
    },
    count: () => root.count,
    /**
     * Takes out a connection that makes room for a newcomer, whose connection counts already: of the IP address with the
     * most in the network with the most, an idle one, or else the newest one. Returns undefined if the newcomer has as
     * many as the others, so that it is the one too many.
     */
    victimFor: (newcomer: string): Socket | undefined => take(idleIn(root, isIdle) ?? busyFor(root, pathOf(newcomer))),
  }
}

function createGroup(): Group {
  return { count: 0, parts: new Map(), sockets: new Set() }
}

function pathOf(key: string): string[] {
  const household = householdOf(key)
  return [networkOf(key), ...(household === undefined ? [] : [household]), key]
}

/** Returns the groups along a path, and creates those that are missing. */
function groupsOf(root: Group, path: readonly string[]): Group[] {
  const groups: Group[] = []
  for (const name of path) {
    const { parts } = groups.at(-1) ?? root
    const group = parts.get(name) ?? createGroup()
    parts.set(name, group)
    groups.push(group)
  }
  return groups
}

/** Of parts with as many connections, all are examined: the oldest ones could all serve event streams. */
function idleIn(group: Group, isIdle: (socket: Socket) => boolean): Socket | undefined {
  const [, largest] = largestPartOf(group) ?? []
  if (largest === undefined) return group.sockets.values().find(isIdle)
  for (const part of group.parts.values()) {
    const idle = part.count === largest.count ? idleIn(part, isIdle) : undefined
    if (idle !== undefined) return idle
  }
  return undefined
}

function busyFor(group: Group, [own = '', ...rest]: readonly string[]): Socket | undefined {
  const [name, largest] = largestPartOf(group) ?? []
  if (largest === undefined) return undefined
  if (name === own) return busyFor(largest, rest)
  return largest.count > (group.parts.get(own)?.count ?? 0) + 1 ? newestIn(largest) : undefined
}

function newestIn(group: Group): Socket | undefined {
  const [, largest] = largestPartOf(group) ?? []
  return largest === undefined ? Array.from(group.sockets).at(-1) : newestIn(largest)
}

function largestPartOf({ parts }: Group): [string, Group] | undefined {
  let found: [string, Group] | undefined
  for (const part of parts) if (found === undefined || part[1].count > found[1].count) found = part
  return found
}
