import type { Config } from '../../../config/index.ts'
import type { Client } from '../../caller.ts'
import { codeBucket, codeDeviceBucket, codeIpBucket } from '../../throttle/buckets.ts'
import type { DeviceCookies } from '../../throttle/device-cookies.ts'
import type { Bucket } from '../../throttle/store.ts'
import type { User } from '../../users/store.ts'

export interface CodeBucketDeps {
  devices: DeviceCookies
  config: Pick<Config, 'login'>
}

/**
 * Returns the buckets that count the attempts of a client to send codes for an account. `ownBucket` is the bucket of
 * the device if the account knows the device, otherwise that of the account.
 */
export function codeBuckets(
  { config, devices }: CodeBucketDeps,
  client: Client,
  user: Pick<User, 'id' | 'devicesSince'>,
): { ownBucket: Bucket; buckets: Bucket[] } {
  const rules = config.login
  const deviceId = devices.read(client, user)
  const ownBucket = deviceId === undefined ? codeBucket(user.id, rules) : codeDeviceBucket(deviceId, user.id, rules)
  return { ownBucket, buckets: [ownBucket, codeIpBucket(client.ip, rules)] }
}
