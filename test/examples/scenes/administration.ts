import type { Stage } from './stage.ts'

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

  await call('listUsers', { token, query: 'limit=2' })
  await call('getUser', { token, params: { userId: customer.userId } })
  const other = await service.signUp({ email: 'kay@shop.example.com' })
  await call('updateUser', { token, params: { userId: other.userId }, body: { role: 'operator' } })
  await call('listSecurityEvents', { token, query: 'limit=2' })
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
