import { enableTotp } from '../../lib/second-factor.ts'
import { mailedToken } from '../../people.ts'
import { PASSWORD, type Stage } from './stage.ts'

/** API keys, leaked ones, accounts for administrators, and the record of security events. */
export async function recordAdministration(stage: Stage): Promise<void> {
  const { service, call, admin, customer, secretScanning, record } = stage
  const token = admin.accessToken
  const wanted = { name: 'Shop backend', permissions: ['designs:write', 'orders:read'] }
  const { id: keyId } = await call('createApiKey', { token, body: wanted })
  await call('getApiKey', { token, params: { keyId } })
  await call('listApiKeys', { token })
  const rotated = await call('rotateApiKey', { token, params: { keyId }, body: { overlapSeconds: 3_600 } })
  await call('revokeApiKey', { token, params: { keyId } })
  const leaked = [
    { token: rotated.key, type: 'platen_api_key', url: 'https://github.com/octocat/leak', source: 'commit' },
  ]
  const headers = secretScanning.headersFor(JSON.stringify(leaked))
  const reported = await service.request('POST', '/secret-scanning/alerts', { body: JSON.stringify(leaked), headers })
  record('reportLeakedKeys', leaked, reported)

  await call('listUsers', { token, query: 'q=ada' })
  await call('getUser', { token, params: { userId: customer.userId } })
  const other = await service.signUp({ email: 'kay@shop.example.com' })
  await call('updateUser', { token, params: { userId: other.userId }, body: { role: 'operator' } })
  await call('getStorage', { token })
  await call('listStorageAccounts', { token, query: 'limit=2' })
  await call('getStorageAccount', { token, params: { accountId: customer.userId } })
  const storageQuota = 5_000_000_000
  await call('updateStorageAccount', { token, params: { accountId: other.userId }, body: { storageQuota } })
  await call('listUserSessions', { token, params: { userId: other.userId } })
  await call('revokeUserSessions', { token, params: { userId: other.userId } })
  await recordInvitations(stage)
  await recordFactorResets(stage)
  await call('listSecurityEvents', { token, query: 'limit=2' })
}

async function recordInvitations({ service, call, admin }: Stage): Promise<void> {
  const token = admin.accessToken
  const mailed = (email: string) => mailedToken(service.request, service.origin, email)
  const email = 'hedy@shop.example.com'
  const { id } = await call('createInvitation', { token, body: { email, role: 'operator', staffRole: 'packing' } })
  await call('getInvitation', { token, params: { invitationId: id } })
  await call('listInvitations', { token })
  const offered = { token: await mailed(email) }
  await call('readInvitation', { body: offered })
  await call('acceptInvitation', { body: { ...offered, password: PASSWORD, name: 'Hedy Example' } })
  const known = await service.signUp({ email: 'dorothy@shop.example.com' })
  await service.request('POST', '/invitations', { token, body: { email: known.email, role: 'operator' } })
  await call('claimInvitation', { token: known.accessToken, body: { token: await mailed(known.email) } })
  const unwanted = { email: 'mallory@example.com', role: 'operator' }
  const { body: open } = await service.request('POST', '/invitations', { token, body: unwanted })
  await call('revokeInvitation', { token, params: { invitationId: open.id } })
}

async function recordFactorResets({ service, call, admin }: Stage): Promise<void> {
  const token = admin.accessToken
  const second = await service.signUp({ email: 'barbara@shop.example.com', role: 'admin' })
  const owner = await service.signUp({ email: 'katherine@shop.example.com' })
  await enableTotp(service, owner)
  const params = { userId: owner.userId }
  await call('startFactorReset', { token, params })
  const stop = { token: await mailedToken(service.request, service.origin, owner.email) }
  await call('stopOwnFactorReset', { body: stop })
  const begin = async () => ({
    resetId: (await service.request('POST', `/users/${owner.userId}/factor-resets`, { token })).body.id as string,
  })
  await call('stopFactorReset', { token, params: await begin() })
  const waiting = await begin()
  await call('listFactorResets', { token, query: 'status=waiting' })
  await call('confirmFactorReset', { token: second.accessToken, params: waiting })
}

/** Customers of a shop that has accounts of its own, and guests. */
export async function recordCustomers({ service, call, operator, customer, product }: Stage): Promise<void> {
  const token = operator.accessToken
  const details = { email: 'emmy@example.com', name: 'Emmy Example', locale: 'de', metadata: { tier: 'gold' } }
  const { id } = await call('createCustomer', { token, body: { externalId: 'shop-4711', ...details } })
  const { body: other } = await service.request('POST', '/customers', { token, body: { externalId: 'shop-4712' } })
  await call('listCustomers', { token, query: 'externalId=shop-4711' })
  await call('getCustomer', { token, params: { customerId: id } })
  await call('updateCustomer', { token, params: { customerId: id }, body: { locale: 'en' } })
  await call('mergeCustomer', { token, params: { customerId: other.id }, body: { into: id } })
  const scope = { permissions: ['designs:read', 'designs:write'], expiresInSeconds: 600 }
  await call('createCustomerToken', { token, params: { customerId: id }, body: scope })
  await call('deleteCustomer', { token, params: { customerId: id } })

  const guest = await call('createGuest')
  const design = { productId: product.id, variantId: product.variants[0].id }
  await service.request('POST', '/designs', { token: guest.accessToken, body: design })
  await call('claimGuest', { token: customer.accessToken, body: { guestToken: guest.refreshToken } })
}
