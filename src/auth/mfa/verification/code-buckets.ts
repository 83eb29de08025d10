import type { Config } from '../../../config.ts'
import type { Client } from '../../caller.ts'
import { codeAddressPool, codeDevicePool, codePool } from '../../throttle/buckets.ts'
import type { DeviceCookies } from '../../throttle/device-cookies.ts'
import type { Pool } from '../../throttle/store.ts'
import type { User } from '../../users/store.ts'

export interface CodePoolDeps {
  devices: DeviceCookies
  config: Pick<Config, 'login'>
}
/** Where a code that this client tries for an account is counted: `ownPool` is the account's, or the known device's. */
export function codePools(
  { config, devices }: CodePoolDeps,
  client: Client,
  user: Pick<User, 'id' | 'devicesSince'>,
): { ownPool: Pool; pools: Pool[] } {
  const rules = config.login
  const deviceId = devices.read(client, user)
  const ownPool = deviceId === undefined ? codePool(user.id, rules) : codeDevicePool(deviceId, user.id, rules)
  return { ownPool, pools: [ownPool, codeAddressPool(client.ip, rules)] }
}
