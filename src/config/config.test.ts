import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import sharp from 'sharp'
import { oidcVariables } from '../auth/oauth/providers/oidc/settings.ts'
import { FLOW_LIMITS } from '../platform/http/flow/limits.ts'
import { CLIENT_VARIABLES } from './client-variables.ts'
import { ConfigError, readConfig } from './index.ts'
import { SETTINGS } from './settings.ts'

test('without any setting, the documented defaults apply', () => {
  const config = readConfig({})
  assert.equal(config.origin, 'http://127.0.0.1:8080')
  assert.equal(config.paymentProvider, 'manual')
  assert.deepEqual(config.tokens, {
    accessSeconds: 900,
    refreshSeconds: 2_592_000,
    sessionMaxSeconds: 7_776_000,
    replaySeconds: 10,
    stepUpSeconds: 600,
  })
  assert.deepEqual(config.login, {
    attempts: 5,
    windowSeconds: 60,
    blockSeconds: 900,
    extendedBlockSeconds: 86_400,
    blocksBeforeExtended: 3,
    attemptsPerIp: 20,
  })
})

test('the default pool size depends on the cores, between 10 and 30 connections', () => {
  const { databasePool } = readConfig({})
  assert.ok(databasePool >= 10 && databasePool <= 30, String(databasePool))
  assert.equal(readConfig({ PLATEN_DATABASE_POOL: '120' }).databasePool, 120)
})

test('README.md names existing settings only', () => {
  const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')
  const known = [...Object.keys(SETTINGS), ...Object.values(oidcVariables('keycloak')), ...CLIENT_VARIABLES]
  const unknown = readme.match(/\bPLATEN_[A-Z0-9_]+/g)?.filter((name) => !known.includes(name))
  assert.deepEqual(unknown, [])
})

test('a former name still works, with a warning, and the new name wins', () => {
  const former = { PLATEN_LOGIN_ATTEMPTS_PER_ADDRESS: '7' }
  const { login, warnings } = readConfig(former)
  assert.equal(login.attemptsPerIp, 7)
  assert.deepEqual(warnings, [
    'PLATEN_LOGIN_ATTEMPTS_PER_ADDRESS was renamed. Set PLATEN_LOGIN_ATTEMPTS_PER_IP instead.',
  ])
  assert.equal(readConfig({ ...former, PLATEN_LOGIN_ATTEMPTS_PER_IP: '9' }).login.attemptsPerIp, 9)
  assert.deepEqual(readConfig({ PLATEN_LOGIN_ATTEMPTS_PER_IP: '9' }).warnings, [])
  assert.deepEqual(readConfig({ PLATEN_PROT: '80', PLATEN_GOOGLE_SECRET_: '' }).warnings, [
    'PLATEN_PROT is not a setting. README.md lists all settings.',
    'PLATEN_GOOGLE_SECRET_ is not a setting. README.md lists all settings.',
  ])
})

test('variables of the commands for developers of clients are no settings, and cause no warning', () => {
  const env = { PLATEN_API_KEY: 'platen_x', PLATEN_URL: 'http://127.0.0.1:8080', PLATEN_PROFILE: '' }
  assert.deepEqual(readConfig(env).warnings, [])
})

test('quota and free disk space have defaults, and 0 disables each', () => {
  const limits = (env: Record<string, string>) => {
    const { storageQuotaBytes, storageFreeBytes } = readConfig(env)
    return [storageQuotaBytes, storageFreeBytes]
  }
  assert.deepEqual(limits({}), [2 ** 31, undefined])
  assert.deepEqual(limits({ PLATEN_STORAGE_QUOTA_MIB: '0', PLATEN_STORAGE_FREE_MIB: '0' }), [undefined, 0])
  assert.deepEqual(limits({ PLATEN_STORAGE_QUOTA_MIB: '1', PLATEN_STORAGE_FREE_MIB: '2' }), [2 ** 20, 2 ** 21])
})

test('the settings are frozen', () => {
  const config = readConfig({})
  assert.throws(() => Object.assign(config.login, { attempts: 1_000_000 }), TypeError)
})

test('the storage is a folder, or a bucket of S3 or of a compatible service', () => {
  const env = { PLATEN_DATA_DIR: '/data' }
  const settings = (PLATEN_STORAGE_URL: string) => readConfig({ ...env, PLATEN_STORAGE_URL })
  assert.deepEqual([readConfig(env).storageDir, readConfig(env).s3], ['/data/storage', undefined])
  assert.equal(settings('file:///mnt/files').storageDir, '/mnt/files')
  assert.equal(settings('file:/mnt/files').storageDir, '/mnt/files')

  const amazon = settings('s3://prints/shop/one/?region=eu-central-1')
  assert.equal(amazon.storageDir, '/data/storage-cache')
  const expected = { bucket: 'prints', prefix: 'shop/one/', region: 'eu-central-1', endpoint: undefined }
  const rest = { pathStyle: false, redirect: true, credentials: undefined, cacheBytes: 2 ** 31 }
  assert.deepEqual(amazon.s3, { ...expected, ...rest })
  const own = settings('s3://prints?endpoint=http://minio.internal:9000/&redirect=off').s3
  assert.deepEqual(
    [own?.prefix, own?.region, own?.endpoint, own?.pathStyle, own?.redirect],
    ['', 'us-east-1', 'http://minio.internal:9000', true, false],
  )
})

test('HD-5: no message contains a storage key, and production needs https to a storage unless its URL says otherwise', () => {
  const production = { NODE_ENV: 'production', PLATEN_PUBLIC_URL: 'https://print.example.com' }
  const url = (endpoint: string) => ({ PLATEN_STORAGE_URL: `s3://prints?endpoint=${endpoint}` })
  assert.throws(
    () => readConfig({ ...production, ...url('http://minio.internal:9000') }),
    /^ConfigError: PLATEN_STORAGE_URL /,
  )
  readConfig({ ...production, ...url('http://127.0.0.1:9000') })
  readConfig({ ...production, ...url('https://minio.internal:9000') })
  const { s3 } = readConfig({ ...production, ...url('http://minio.internal:9000&insecure=on') })
  assert.equal(s3?.endpoint, 'http://minio.internal:9000')
  for (const value of ['off', 'yes']) {
    assert.throws(
      () => readConfig({ ...production, ...url(`http://minio.internal:9000&insecure=${value}`) }),
      /PLATEN_/,
    )
  }
  assert.throws(
    () => readConfig({ PLATEN_STORAGE_URL: 's3://AKID:the-secret@prints?region=eu-central-1' }),
    (error: Error) => /PLATEN_S3_SECRET_ACCESS_KEY/.test(error.message) && !error.message.includes('the-secret'),
  )
})

test('trusted proxies are IP addresses, networks or named networks', () => {
  const { trustedProxies } = readConfig({ PLATEN_TRUSTED_PROXIES: '10.0.0.1, 192.168.0.0/16,fd00::/8 , loopback' })
  assert.deepEqual(trustedProxies, ['10.0.0.1', '192.168.0.0/16', 'fd00::/8', 'loopback'])
})

test('PLATEN_RATE_LIMITS=off disables the limits of concurrent requests, not those of their memory', () => {
  const { flow } = readConfig({ PLATEN_RATE_LIMITS: 'off', PLATEN_HELD_MIB: '96', PLATEN_STALL_SECONDS: '20' })
  const mebibyte = 1024 * 1024
  assert.deepEqual(flow, {
    requests: undefined,
    uploads: undefined,
    accountBytes: 32 * mebibyte,
    totalBytes: 96 * mebibyte,
    stallMs: 20_000,
  })
  assert.deepEqual(readConfig({}).flow, FLOW_LIMITS)
  assert.equal(readConfig({ PLATEN_HELD_MIB: '16' }).flow.accountBytes, 16 * mebibyte)
})

test('the rate of transfers has a default, and PLATEN_RATE_LIMITS=off disables it', () => {
  const rate = (env: Record<string, string>) => readConfig(env).transferBytesPerSecond
  assert.equal(rate({}), 8 * 2 ** 20)
  assert.equal(rate({ PLATEN_TRANSFER_MIB_PER_SECOND: '1' }), 2 ** 20)
  assert.equal(rate({ PLATEN_TRANSFER_MIB_PER_SECOND: '1', PLATEN_RATE_LIMITS: 'off' }), undefined)
})

const REFUSED: [string, Record<string, string>][] = [
  ['PLATEN_PORT', { PLATEN_PORT: 'http' }],
  ['PLATEN_PORT', { PLATEN_PORT: '70000' }],
  ['PLATEN_STORAGE_QUOTA_MIB', { PLATEN_STORAGE_QUOTA_MIB: '2 GiB' }],
  ['PLATEN_STORAGE_FREE_MIB', { PLATEN_STORAGE_FREE_MIB: '-1' }],
  ['PLATEN_PASSWORD_MIN_LENGTH', { PLATEN_PASSWORD_MIN_LENGTH: '7' }],
  ['PLATEN_PASSWORD_MIN_LENGTH', { PLATEN_PASSWORD_MIN_LENGTH: '129' }],
  ['PLATEN_PASSWORD_MIN_LENGTH', { PLATEN_PASSWORD_MIN_LENGTH: '8.5' }],
  ['PLATEN_ADMIN_PASSWORD', { PLATEN_PASSWORD_MIN_LENGTH: '20', PLATEN_ADMIN_PASSWORD: 'a quiet harbour' }],
  ['PLATEN_HOST', { PLATEN_HOST: ' ' }],
  ['PLATEN_PUBLIC_URL', { PLATEN_PUBLIC_URL: 'print.example.com' }],
  ['PLATEN_PUBLIC_URL', { PLATEN_PUBLIC_URL: 'https://print.example.com/shop' }],
  ['PLATEN_PUBLIC_URL', { NODE_ENV: 'production', PLATEN_PUBLIC_URL: 'http://print.example.com' }],
  [
    'PLATEN_PAYMENT_PROVIDER',
    { NODE_ENV: 'production', PLATEN_PUBLIC_URL: 'https://print.example.com', PLATEN_PAYMENT_PROVIDER: 'test' },
  ],
  ['PLATEN_DATABASE_URL', { PLATEN_DATABASE_URL: 'mysql://localhost' }],
  ['PLATEN_DATABASE_POOL', { PLATEN_DATABASE_POOL: '1' }],
  ['PLATEN_DATABASE_POOL', { PLATEN_DATABASE_POOL: 'many' }],
  ['PLATEN_STORAGE_URL', { PLATEN_STORAGE_URL: 's3://bucket' }],
  ['PLATEN_STORAGE_URL', { PLATEN_STORAGE_URL: 's3://?region=eu-central-1' }],
  ['PLATEN_STORAGE_URL', { PLATEN_STORAGE_URL: 's3://Bucket Name?region=eu-central-1' }],
  ['PLATEN_STORAGE_URL', { PLATEN_STORAGE_URL: 's3://bucket?region=eu-central-1&acl=public' }],
  ['PLATEN_STORAGE_URL', { PLATEN_STORAGE_URL: 's3://bucket?endpoint=minio.internal:9000' }],
  ['PLATEN_STORAGE_URL', { PLATEN_STORAGE_URL: 's3://bucket/%zz?region=eu-central-1' }],
  ['PLATEN_STORAGE_URL', { PLATEN_STORAGE_URL: 's3://bucket/a%20b?region=eu-central-1' }],
  ['PLATEN_STORAGE_URL', { PLATEN_STORAGE_URL: 's3://bucket?region=eu-central-1&redirect=maybe' }],
  ['PLATEN_STORAGE_URL', { PLATEN_STORAGE_URL: 'https://bucket.s3.amazonaws.com' }],
  ['PLATEN_S3_ACCESS_KEY_ID', { PLATEN_S3_SECRET_ACCESS_KEY: 'secret' }],
  ['PLATEN_S3_SECRET_ACCESS_KEY', { PLATEN_S3_ACCESS_KEY_ID: 'AKIDEXAMPLE' }],
  ['PLATEN_STORAGE_CACHE_MIB', { PLATEN_STORAGE_CACHE_MIB: '1' }],
  ['PLATEN_STORAGE_URL', { PLATEN_STORAGE_URL: 'file://bucket/path' }],
  ['PLATEN_TRUSTED_PROXIES', { PLATEN_TRUSTED_PROXIES: '10.0.0.1, proxy.internal' }],
  ['PLATEN_TRUSTED_PROXIES', { PLATEN_TRUSTED_PROXIES: '10.0.0.0/33' }],
  ['PLATEN_TRUSTED_PROXIES', { PLATEN_TRUSTED_PROXIES: '10.0.0.0/' }],
  ['PLATEN_WEBHOOK_ALLOWED_NETWORKS', { PLATEN_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1, localhost' }],
  ['PLATEN_WEBHOOK_ALLOWED_NETWORKS', { PLATEN_WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/33' }],
  ['PLATEN_WEBHOOK_ALLOWED_NETWORKS', { PLATEN_WEBHOOK_ALLOWED_NETWORKS: 'fe80::1%eth0' }],
  ['PLATEN_SMTP_URL', { PLATEN_SMTP_URL: 'mail.example.com' }],
  ['PLATEN_SMS_URL', { PLATEN_SMS_URL: 'api.twilio.com', PLATEN_SMS_COUNTRIES: 'DE' }],
  ['PLATEN_SMS_COUNTRIES', { PLATEN_SMS_URL: 'https://AC1:token@api.twilio.com' }],
  ['PLATEN_SMS_COUNTRIES', { PLATEN_SMS_URL: 'https://AC1:token@api.twilio.com', PLATEN_SMS_COUNTRIES: 'Germany' }],
  ['PLATEN_SMS_PER_HOUR', { PLATEN_SMS_PER_HOUR: '0' }],
  ['PLATEN_REQUESTS_IN_FLIGHT', { PLATEN_REQUESTS_IN_FLIGHT: '0' }],
  ['PLATEN_UPLOADS_IN_FLIGHT', { PLATEN_UPLOADS_IN_FLIGHT: 'many' }],
  ['PLATEN_HELD_MIB', { PLATEN_HELD_MIB: '1' }],
  ['PLATEN_HELD_MIB_PER_ACCOUNT', { PLATEN_HELD_MIB_PER_ACCOUNT: '65', PLATEN_HELD_MIB: '64' }],
  ['PLATEN_STALL_SECONDS', { PLATEN_STALL_SECONDS: '0' }],
  ['PLATEN_LOGIN_ATTEMPTS', { PLATEN_LOGIN_ATTEMPTS: '0' }],
  ['PLATEN_ACCESS_TOKEN_SECONDS', { PLATEN_ACCESS_TOKEN_SECONDS: '15m' }],
  ['PLATEN_ADMIN_PASSWORD', { PLATEN_ADMIN_PASSWORD: 'short' }],
  ['PLATEN_RATE_LIMITS', { PLATEN_RATE_LIMITS: 'no' }],
  ['PLATEN_TRANSFER_MIB_PER_SECOND', { PLATEN_TRANSFER_MIB_PER_SECOND: '0' }],
  ['PLATEN_TRANSFER_MIB_PER_SECOND', { PLATEN_TRANSFER_MIB_PER_SECOND: '1001' }],
  ['PLATEN_TRANSFER_MIB_PER_SECOND', { PLATEN_TRANSFER_MIB_PER_SECOND: '8 MiB' }],
]

test('HD-5: in production, URLs of other services need https, except on this machine', () => {
  const production = { NODE_ENV: 'production', PLATEN_PUBLIC_URL: 'https://print.example.com' }
  const services: [string, Record<string, string>][] = [
    ['PLATEN_SMS_URL', { PLATEN_SMS_COUNTRIES: 'DE' }],
    ['PLATEN_PASSWORD_RANGE_URL', {}],
    ['PLATEN_SECRET_SCANNING_KEYS_URL', {}],
  ]
  for (const [variable, env] of services) {
    const readWith = (url: string, rest: object = production) => readConfig({ ...rest, ...env, [variable]: url })
    for (const host of ['service.example', '127.0.0.1.example', 'localhost.example', '10.0.0.1', '[::2]']) {
      const refused = (error: unknown) =>
        error instanceof ConfigError && error.message.startsWith(`${variable} `) && !error.message.includes('secret')
      assert.throws(() => readWith(`http://user:secret@${host}/path`), refused, host)
      readWith(`https://user:secret@${host}/path`)
      readWith(`http://user:secret@${host}/path`, {})
    }
    for (const host of ['localhost:8081', '127.0.0.1:8081', '[::1]:8081']) readWith(`http://${host}/path`)
  }
})

for (const [variable, env] of REFUSED) {
  test(`rejects ${JSON.stringify(env)} with the name of the variable`, () => {
    assert.throws(
      () => readConfig(env),
      (error) => error instanceof ConfigError && error.message.startsWith(`${variable} `),
    )
  })
}

test('Stripe needs both secrets in the right format, and no message contains them', () => {
  const keys = { PLATEN_STRIPE_SECRET_KEY: 'sk_test_1234', PLATEN_STRIPE_WEBHOOK_SECRET: 'whsec_1234' }
  const chosen = { PLATEN_PAYMENT_PROVIDER: 'stripe' }
  const { paymentProvider, paymentProviders } = readConfig({ ...chosen, ...keys })
  assert.equal(paymentProvider, 'stripe')
  assert.deepEqual(paymentProviders.stripe, {
    secretKey: 'sk_test_1234',
    webhookSecret: 'whsec_1234',
    apiUrl: 'https://api.stripe.com',
  })
  // The keys are needed for refunds of payments that were made through Stripe.
  assert.equal(
    readConfig({ ...keys, PLATEN_PAYMENT_PROVIDER: 'manual' }).paymentProviders.stripe?.secretKey,
    'sk_test_1234',
  )
  const faulty: [string, Record<string, string>][] = [
    ['PLATEN_STRIPE_SECRET_KEY', {}],
    ['PLATEN_STRIPE_SECRET_KEY', { PLATEN_STRIPE_WEBHOOK_SECRET: 'whsec_1234' }],
    ['PLATEN_STRIPE_WEBHOOK_SECRET', { PLATEN_STRIPE_SECRET_KEY: 'sk_test_1234' }],
    ['PLATEN_STRIPE_SECRET_KEY', { ...keys, PLATEN_STRIPE_SECRET_KEY: 'pk_test_1234' }],
    ['PLATEN_STRIPE_WEBHOOK_SECRET', { ...keys, PLATEN_STRIPE_WEBHOOK_SECRET: 'sk_test_1234' }],
    ['PLATEN_STRIPE_API_URL', { ...keys, PLATEN_STRIPE_API_URL: 'https://stripe.test/v1' }],
  ]
  for (const [name, env] of faulty) {
    assert.throws(
      () => readConfig({ ...chosen, ...env }),
      (error) => {
        assert.ok(error instanceof ConfigError)
        assert.ok(error.message.startsWith(`${name} `), error.message)
        assert.doesNotMatch(error.message, /1234/)
        return true
      },
    )
  }
  const production = { NODE_ENV: 'production', PLATEN_PUBLIC_URL: 'https://print.example.com', ...chosen, ...keys }
  readConfig({ ...production, PLATEN_STRIPE_API_URL: 'http://127.0.0.1:12111' })
  assert.throws(
    () => readConfig({ ...production, PLATEN_STRIPE_API_URL: 'http://stripe.internal' }),
    /^ConfigError: PLATEN_STRIPE_API_URL /,
  )
})

const OIDC = {
  PLATEN_OIDC_PROVIDERS: 'keycloak, my-idp2',
  PLATEN_OIDC_KEYCLOAK_ISSUER: 'https://id.example.com/realms/works/',
  PLATEN_OIDC_KEYCLOAK_CLIENT_ID: 'platen',
  PLATEN_OIDC_KEYCLOAK_CLIENT_SECRET: 'secret-1234',
  PLATEN_OIDC_KEYCLOAK_TITLE: 'Printing Works',
  PLATEN_OIDC_MY_IDP2_ISSUER: 'http://127.0.0.1:9000',
  PLATEN_OIDC_MY_IDP2_CLIENT_ID: 'platen-2',
  PLATEN_OIDC_MY_IDP2_CLIENT_SECRET: 'secret-5678',
}

test('the variables of each provider in PLATEN_OIDC_PROVIDERS are settings', () => {
  const { oidcProviders, warnings } = readConfig({ ...OIDC, PLATEN_OIDC_OTHER_ISSUER: 'https://id.example.com' })
  assert.deepEqual(oidcProviders, [
    {
      name: 'keycloak',
      title: 'Printing Works',
      issuer: 'https://id.example.com/realms/works/',
      clientId: 'platen',
      clientSecret: 'secret-1234',
    },
    {
      name: 'my-idp2',
      title: 'my-idp2',
      issuer: 'http://127.0.0.1:9000',
      clientId: 'platen-2',
      clientSecret: 'secret-5678',
    },
  ])
  assert.deepEqual(warnings, ['PLATEN_OIDC_OTHER_ISSUER is not a setting. README.md lists all settings.'])
  assert.deepEqual(readConfig({}).oidcProviders, [])
})

test('HD-5: an OpenID provider needs a name of its own, all settings and in production https', () => {
  const production = { NODE_ENV: 'production', PLATEN_PUBLIC_URL: 'https://print.example.com' }
  const values: Record<string, (string | undefined)[]> = {
    PLATEN_OIDC_PROVIDERS: [
      ...['Keycloak', 'k', '1keycloak', 'key_cloak', 'keycloak/', 'k'.repeat(32), 'keycloak keycloak'],
      ...['google', 'github', 'password', 'identities', 'step-up', 'keycloak,keycloak'],
    ],
    PLATEN_OIDC_KEYCLOAK_ISSUER: [
      ...[undefined, 'id.example.com', 'ftp://id.example.com', 'https://user:secret-1234@id.example.com'],
      ...['https://id.example.com/?tenant=1', 'https://id.example.com/#a'],
    ],
    PLATEN_OIDC_KEYCLOAK_CLIENT_ID: [undefined],
    PLATEN_OIDC_KEYCLOAK_CLIENT_SECRET: [undefined, ' '],
    PLATEN_OIDC_KEYCLOAK_TITLE: ['Works\r\nBcc: all@example.com', 'x'.repeat(51)],
  }
  const faulty: [string, Record<string, string | undefined>][] = [
    ...Object.entries(values).flatMap(([name, those]) =>
      those.map((value): [string, Record<string, string | undefined>] => [name, { ...OIDC, [name]: value }]),
    ),
    ['PLATEN_OIDC_MY_IDP2_ISSUER', { ...OIDC, ...production }],
  ]
  for (const [name, env] of faulty) {
    assert.throws(
      () => readConfig(env),
      (error) => {
        assert.ok(error instanceof ConfigError, String(error))
        assert.ok(error.message.startsWith(`${name} `), error.message)
        assert.doesNotMatch(error.message, /secret-/)
        return true
      },
      JSON.stringify(env),
    )
  }
  readConfig({ ...OIDC, ...production, PLATEN_OIDC_MY_IDP2_ISSUER: 'https://id.example.com' })
  assert.throws(() => readConfig({ PLATEN_OIDC_PROVIDERS: 'password' }), /"password", which is reserved/)
})

test('production without a trusted proxy is named at the start, because then no request can come over https', () => {
  const production = { NODE_ENV: 'production', PLATEN_PUBLIC_URL: 'https://print.example.com' }
  assert.match(readConfig(production).warnings.join(), /^PLATEN_TRUSTED_PROXIES is not set/)
  assert.deepEqual(readConfig({ ...production, PLATEN_TRUSTED_PROXIES: '127.0.0.1' }).warnings, [])
  assert.deepEqual(readConfig({}).warnings, [])
})

test('the shutdown delay is 5 s in production and 15 s at most', () => {
  const production = { NODE_ENV: 'production', PLATEN_PUBLIC_URL: 'https://print.example.com' }
  assert.equal(readConfig({}).shutdownDelaySeconds, 0)
  assert.equal(readConfig(production).shutdownDelaySeconds, 5)
  assert.equal(readConfig({ ...production, PLATEN_SHUTDOWN_DELAY: '0' }).shutdownDelaySeconds, 0)
  assert.throws(() => readConfig({ PLATEN_SHUTDOWN_DELAY: '16' }), /^ConfigError: PLATEN_SHUTDOWN_DELAY /)
})

test('a logo is a small PNG or JPEG file, whatever its name', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'platen-logo-'))
  t.after(() => rm(dir, { recursive: true }))
  const path = join(dir, 'logo')
  const size = { width: 30, height: 20 }
  for (const format of ['png', 'jpeg'] as const) {
    const picture = sharp({ create: { ...size, channels: 3, background: '#aabbcc' } })
    await writeFile(path, await picture.toFormat(format).toBuffer())
    const { shopLogo, shopColor } = readConfig({ PLATEN_SHOP_LOGO: path, PLATEN_SHOP_COLOR: '#AABBCC' })
    assert.deepEqual([shopLogo, shopColor], [{ path, mediaType: `image/${format}`, ...size }, '#aabbcc'])
  }
  await writeFile(path, Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d]))
  assert.throws(() => readConfig({ PLATEN_SHOP_LOGO: path }), /PLATEN_SHOP_LOGO .*damaged/)
  await writeFile(path, Buffer.alloc(257 * 1024, 0xff))
  assert.throws(() => readConfig({ PLATEN_SHOP_LOGO: path }), /PLATEN_SHOP_LOGO .*256 KiB/)
})

test('the shop has the URL, the name and the passkeys of the service unless set', () => {
  const env = { PLATEN_PUBLIC_URL: 'https://api.shop.example' }
  const { shopUrl, shopName, passkeys, mailFrom } = readConfig(env)
  assert.deepEqual([shopUrl, shopName], ['https://api.shop.example', 'Platen'])
  assert.deepEqual(passkeys, { rpId: 'api.shop.example', origins: ['https://api.shop.example'] })
  assert.equal(mailFrom, '"Platen" <no-reply@api.shop.example>')
  const shop = readConfig({
    ...env,
    PLATEN_SHOP_URL: 'https://shop.example/account/',
    PLATEN_SHOP_NAME: 'Ada’s Cards',
    PLATEN_PASSKEY_RP_ID: 'shop.example',
    PLATEN_PASSKEY_ORIGINS: 'https://shop.example,https://www.shop.example',
    PLATEN_CORS_ORIGINS: 'https://shop.example',
  })
  assert.deepEqual([shop.shopUrl, shop.shopName], ['https://shop.example/account', 'Ada’s Cards'])
  const origins = ['https://api.shop.example', 'https://shop.example', 'https://www.shop.example']
  assert.deepEqual(shop.passkeys, { rpId: 'shop.example', origins })
  assert.deepEqual(shop.warnings, [])
  const mute = readConfig({ ...env, PLATEN_SHOP_URL: 'https://shop.example' })
  assert.match(mute.warnings.join(), /PLATEN_CORS_ORIGINS/)
})

test('origins of web pages are exact or the subdomains of one domain', () => {
  const entries = 'https://shop.example/, https://*.EXAMPLE.com:443 ,http://*.localhost:5173'
  const { pageOrigins } = readConfig({ PLATEN_CORS_ORIGINS: entries, PLATEN_REDIRECT_URIS: 'https://a.example/done' })
  assert.deepEqual(pageOrigins, [
    'https://a.example',
    'https://shop.example',
    'https://*.example.com',
    'http://*.localhost:5173',
  ])
  const wrong = ['*', 'https://*', 'https://*.com', 'https://a.*.example', 'https://*shop.example', '*.shop.example']
  for (const entry of [...wrong, 'https://*.*.example', 'https://*.shop.example/path', 'https://shop.example/path']) {
    assert.throws(() => readConfig({ PLATEN_CORS_ORIGINS: entry }), /PLATEN_CORS_ORIGINS/, entry)
  }
  const production = { NODE_ENV: 'production', PLATEN_PUBLIC_URL: 'https://api.example' }
  assert.throws(
    () => readConfig({ ...production, PLATEN_CORS_ORIGINS: 'http://*.shop.example' }),
    /must start with https/,
  )
})

for (const env of [
  { PLATEN_SHOP_URL: 'shop.example' },
  { PLATEN_SHOP_URL: 'https://shop.example/?a=b' },
  { PLATEN_SHOP_URL: 'ftp://shop.example' },
  { PLATEN_SHOP_NAME: 'Shop <a@b.example>' },
  { PLATEN_SHOP_NAME: 'x'.repeat(61) },
  { PLATEN_SHOP_COLOR: 'blue' },
  { PLATEN_SHOP_PALETTE: '#c8322b, red' },
  { PLATEN_SHOP_LOGO: '/no/such/logo.png' },
  { PLATEN_SHOP_LOGO: import.meta.filename },
  { PLATEN_MAIL_TEMPLATES_DIR: '/no/such/folder' },
  { PLATEN_MAIL_TEMPLATES_DIR: import.meta.filename },
  { PLATEN_ORDER_MAILS: 'no' },
  { PLATEN_PASSKEY_RP_ID: 'com' },
  { PLATEN_PASSKEY_RP_ID: 'https://shop.example' },
  { PLATEN_PASSKEY_RP_ID: 'shop.example' },
  { PLATEN_PASSKEY_ORIGINS: 'https://shop.example' },
]) {
  test(`rejects ${JSON.stringify(env)} with the name of the setting`, () => {
    const [name = ''] = Object.keys(env)
    assert.throws(() => readConfig(env), new RegExp(name))
  })
}

test('an archive is for the embedded database, and is not in its data folder', () => {
  const archive = (value: string, env = {}) => readConfig({ PLATEN_WAL_ARCHIVE: value, ...env }).walArchive
  assert.equal(archive('/mnt/archive'), '/mnt/archive')
  const own = { PLATEN_DATABASE_URL: 'postgres://db.example/platen' }
  assert.throws(() => archive('/mnt/archive', own), /PLATEN_WAL_ARCHIVE is for the embedded database/)
  const env = { PLATEN_DATA_DIR: '/srv/data' }
  for (const inside of ['/srv/data', '/srv/data/wal', '/srv/other/../data/wal']) {
    assert.throws(() => archive(inside, env), /PLATEN_WAL_ARCHIVE is in \/srv\/data, whose loss it must survive/)
  }
  assert.equal(archive('/srv/data-archive', env), '/srv/data-archive')
  assert.throws(() => archive('s3://bucket/archive'), /PLATEN_WAL_ARCHIVE is "s3:.*must be a folder/)
})

test('a URL without the pooler needs the URL of the pooler', () => {
  const direct = { PLATEN_DATABASE_DIRECT_URL: 'postgres://db.example/platen' }
  assert.throws(() => readConfig(direct), /PLATEN_DATABASE_DIRECT_URL is set without PLATEN_DATABASE_URL/)
  const replica = { PLATEN_DATABASE_REPLICA_URL: 'postgres://replica.example/platen' }
  assert.throws(() => readConfig(replica), /PLATEN_DATABASE_REPLICA_URL is set without PLATEN_DATABASE_URL/)
  const pooled = { ...direct, PLATEN_DATABASE_URL: 'postgres://pool.example/platen', PLATEN_DATABASE_PREPARED: 'off' }
  const { databaseDirectUrl, databasePrepared } = readConfig(pooled)
  assert.deepEqual([databaseDirectUrl, databasePrepared], ['postgres://db.example/platen', false])
})
