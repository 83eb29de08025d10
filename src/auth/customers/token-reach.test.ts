import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { attempt, type DescribedOperation, listOperations, permissionsFor } from '../../../test/lib/list-operations.ts'
import { CARD } from '../../designs/factory.ts'
import { startShop } from '../../orders/factory.ts'
import { createProduct } from '../../products/change-product.ts'
import { CUSTOMER_PERMISSIONS, type Permission } from '../access/permissions.ts'

/** Starts a shop whose customer has a design, with a function that issues tokens with every permission of customers. */
async function startWithDesign(t: TestContext) {
  const shop = await startShop(t)
  const { token: key } = await shop.signUpKey('admin', ['customers:write', 'read', 'write'])
  const { body: customer } = await shop.request('POST', '/customers', { token: key, body: { externalId: 'ada' } })
  const product = await shop.db.transaction().execute((trx) => createProduct(trx, CARD, shop.service.clock.now()))
  const { body: design } = await shop.request('POST', '/designs', {
    token: key,
    headers: { 'platen-customer': customer.id },
    body: { productId: product.id, variantId: product.variants[0]?.id },
  })
  const issue = async (more: { designId?: string } = {}): Promise<string> => {
    const body = { permissions: [...CUSTOMER_PERMISSIONS], ...more }
    const issued = await shop.request('POST', `/customers/${customer.id}/tokens`, { token: key, body })
    assert.equal(issued.status, 201, issued.text)
    return issued.body.token
  }
  return { shop, designId: design.id as string, issue }
}

/** Whether the permissions of customers suffice for an operation that needs a credential. */
function isOfCustomers(operation: DescribedOperation): boolean {
  const permissions = permissionsFor(operation)
  const isHeld = (one: Permission) => CUSTOMER_PERMISSIONS.has(one)
  return operation['x-platen-role'] === undefined && permissions.length > 0 && permissions.every(isHeld)
}

/** A ticket outlives the access token, so only an account or an API key gets one. */
const FOR_ACCOUNTS = new Set(['POST /events/tickets'])

const isOfOneDesign = ({ path }: DescribedOperation) =>
  (path.startsWith('/designs/{designId}') && !path.endsWith('/duplicate')) || /^\/(assets|fonts)(\/|$)/.test(path)

test('AK-3: a customer token with every permission reaches what customers may do, and never an account or the staff', async (t) => {
  const { shop, issue } = await startWithDesign(t)
  const token = await issue()
  let letIn = 0
  for (const operation of await listOperations(shop)) {
    if (operation.security.length === 0) continue
    const name = `${operation.method} ${operation.path}`
    const isExpected = isOfCustomers(operation) && !FOR_ACCOUNTS.has(name)
    assert.equal((await attempt(shop, token, operation)) === 'let in', isExpected, name)
    if (isExpected) letIn += 1
  }
  assert.ok(letIn > 40, String(letIn))
})

test('AK-3: a customer token for one design reaches that design and the assets only, with every permission', async (t) => {
  const { shop, designId, issue } = await startWithDesign(t)
  const token = await issue({ designId })
  let letIn = 0
  for (const operation of await listOperations(shop)) {
    // Deleting the design would make the later operations fail for another reason.
    if (operation.security.length === 0 || operation.method === 'DELETE') continue
    const isExpected = isOfCustomers(operation) && isOfOneDesign(operation)
    const answer = await attempt(shop, token, operation, { designId })
    assert.equal(answer === 'let in', isExpected, `${operation.method} ${operation.path}: ${answer}`)
    if (isExpected) letIn += 1
  }
  assert.ok(letIn > 20, String(letIn))
})
