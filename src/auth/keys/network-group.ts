import { createHmac } from 'node:crypto'
import { addressKey } from '../../platform/http/core/client-address.ts'
import { networkOf } from '../../platform/networks.ts'
import type { KeyDerivation } from './secrets.ts'

const BITS = 15

/**
 * Returns the group of an IP address, whose guests and new customers share resources. The first half of its 30 bits is the
 * same for all addresses of a network (`networkOf`). The group does not tell the address without the secret of the service.
 */
export function networkGroup(keys: Pick<KeyDerivation, 'derive'>, ip: string): Buffer {
  const key = keys.derive('platen guest networks 1')
  const bitsOf = (text: string) => createHmac('sha256', key).update(text).digest().readUInt16BE() >>> (16 - BITS)
  const address = addressKey(ip)
  const group = Buffer.alloc(4)
  group.writeUInt32BE(bitsOf(networkOf(address)) * 2 ** BITS + bitsOf(address))
  return group
}
