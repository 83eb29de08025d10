import { randomBytes } from 'node:crypto'
import { TypeID } from 'typeid-js'
import type { Awaitable } from './awaitable.ts'
import { networkOf } from './networks.ts'

/** The last characters of the id of a guest, 30 bits. */
const GROUP_CHARACTERS = 6
/** The first of these characters, 15 bits, are the same for the guests of a whole network. */
export const NETWORK_CHARACTERS = 3
const GROUP_BYTES = 4

/** Base32 digits of the version of a UUID and the bit after it. Version 8 is for formats of one's own (RFC 9562). */
const VERSION_DIGIT = 10
const VERSION_8 = ['g', 'h']
const SUFFIX_CHARACTERS = 26

/** How the shares of guests begin. */
export const GUESTS = 'guests '

/**
 * Creates the id of a guest: a UUIDv8 that begins like the UUIDv7 of other ids, so that it sorts by creation time, and
 * ends with the group of the guest. Therefore, `shareOf` needs no query.
 *
 * @param group pseudorandom bytes, at least four. Equal for guests that share resources
 */
export function newGuestId(prefix: string, group: Uint8Array): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(Date.now(), 0, 6)
  bytes.writeUInt8(0x80 | (bytes.readUInt8(6) & 0x0f), 6)
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8)
  bytes.set(group.subarray(0, GROUP_BYTES), 16 - GROUP_BYTES)
  return TypeID.fromUUIDBytes(prefix, bytes).toString()
}

/** Returns the group of guests as their ids have it. */
export function groupName(group: Uint8Array): string {
  return newGuestId('usr', group).slice(-GROUP_CHARACTERS)
}

/**
 * Returns the name under which a user gets a share of resources, such as processes, connections and memory. Users have
 * a share each. All guests of one group have one share together, because a client may open any number of guests. For
 * processes, new customers belong to such a group too (`findShare`).
 */
export function shareOf(userId: string): string {
  const group = guestGroupOf(userId)
  return group === undefined ? userId : `${GUESTS}${group}`
}

/** Finds the share of an owner. Unlike `shareOf`, it may need a query. */
export type FindShare = (owner: string) => Awaitable<string>

/**
 * Tells whether a share belongs to visitors: guests and new customers of one network, or anonymous callers, whose share
 * is the key of their IP address. A client may have any number of networks.
 */
export function isShareOfVisitors(share: string | undefined): boolean {
  return share !== undefined && (share.startsWith(GUESTS) || /[.:]/.test(share))
}

/**
 * Returns what the shares of visitors of a whole network (`networkOf`) have in common, because a client can rent a network
 * with hundreds of addresses. Other shares are returned unchanged.
 */
export function networkOfShare(share: string): string {
  if (share.startsWith(GUESTS)) return share.slice(0, GUESTS.length + NETWORK_CHARACTERS)
  return isShareOfVisitors(share) ? networkOf(share) : share
}

/** Returns the group of a guest. Undefined for other users. */
export function guestGroupOf(userId: string): string | undefined {
  const suffix = userId.slice(-SUFFIX_CHARACTERS)
  const isGuest = suffix.length === SUFFIX_CHARACTERS && VERSION_8.includes(suffix[VERSION_DIGIT] ?? '')
  return isGuest ? suffix.slice(-GROUP_CHARACTERS) : undefined
}
