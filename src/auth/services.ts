import type { Config } from '../config/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { DatabasePool, Db } from '../platform/db/index.ts'
import type { Replica } from '../platform/db/reading/replica.ts'
import type { ProcessGroup } from '../platform/processes/process-group.ts'
import type { StorageQuota } from '../platform/storage/index.ts'
import type { Log } from '../platform/telemetry/log.ts'
import type { Metrics } from '../platform/telemetry/metrics.ts'
import type { AccountData } from './accounts/personal-data/account-data.ts'
import type { Audit } from './audit/audit.ts'
import type { CustomerTokens } from './customers/customer-token.ts'
import type { SigningKeys } from './keys/signing-keys.ts'
import type { SmsCapAlarm } from './mfa/sms/cap-alarm.ts'
import type { Providers } from './oauth/open-providers.ts'
import type { PasswordHasher } from './passwords/hasher.ts'
import type { RevocationCache } from './revocation/revocation-cache.ts'
import type { AccessTokens } from './sessions/access-token.ts'
import type { DeviceCookies } from './throttle/device-cookies.ts'
import type { Throttle } from './throttle/throttle.ts'

/** Dependencies that `createServices` passes to this feature. */
export interface AuthDeps {
  db: Db
  pool: DatabasePool['pool']
  openApart: DatabasePool['openApart']
  replica: Replica
  clock: Clock
  log: Log
  metrics: Pick<Metrics, 'registry'>
  /** How this process works together with the other processes of its node. Undefined: it is alone. */
  group?: Pick<ProcessGroup, 'processes' | 'shared'> | undefined
  config: Pick<
    Config,
    | 'production'
    | 'origin'
    | 'shopUrl'
    | 'shopName'
    | 'passkeys'
    | 'smtpUrl'
    | 'dataDir'
    | 'secretKey'
    | 'previousSecretKey'
    | 'secretKeyName'
    | 'tokens'
    | 'login'
    | 'sms'
    | 'smsPerHour'
    | 'presetProviders'
    | 'oidcProviders'
    | 'redirectUris'
    | 'pageOrigins'
    | 'passwordMinLength'
    | 'registration'
    | 'passwordRangeUrl'
    | 'rateLimits'
    | 'secretScanningKeysUrl'
    | 'auditSeconds'
    | 'paymentProvider'
  >
  /** How to export and erase the personal data of other features. Data is erased in this order. */
  accountData: readonly AccountData[]
  quota: Pick<StorageQuota, 'read' | 'accounts' | 'requireRoomFor' | 'requireWithin'>
}

/** All services of this feature. Each action and each route declares the ones that it needs. */
export interface AuthServices extends AuthDeps {
  keys: SigningKeys
  tokens: AccessTokens
  customerTokens: CustomerTokens
  revocations: RevocationCache
  throttle: Throttle
  audit: Audit
  devices: DeviceCookies
  hasher: PasswordHasher
  providers: Providers
  smsCapAlarm: SmsCapAlarm
}
