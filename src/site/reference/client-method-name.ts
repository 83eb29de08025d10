/** A method of `@platen/client`: `designs.finalize` is the method `finalize` of the resource `designs`. */
interface ClientMethodName {
  resource: string
  name: string
}

/** Parts of operation ids that the name of the resource already states. */
const NOUNS: Readonly<Record<string, readonly string[]>> = {
  me: ['Me', 'My'],
  links: ['Linked'],
  schemas: ['Schema'],
  production: ['Production'],
  webhookEndpoints: ['WebhookEndpoints', 'WebhookEndpoint', 'Webhook'],
}

/**
 * Names the method of an operation. The generator of the client uses this rule, too.
 *
 * @param path the path in the OpenAPI document, such as `/designs/{designId}/finalize`
 */
export function clientMethodName(path: string, operationId: string): ClientMethodName {
  const resource = resourceOf(path)
  return { resource, name: nameIn(resource, operationId) }
}

/** `/api/auth/login` belongs to `auth`, `/webhook-endpoints/{endpointId}` to `webhookEndpoints`. */
function resourceOf(path: string): string {
  const first = path.replace(/^\/api\//, '/').split('/')[1] ?? ''
  return first.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function nameIn(resource: string, operationId: string): string {
  const plural = `${resource.charAt(0).toUpperCase()}${resource.slice(1)}`
  for (const noun of NOUNS[resource] ?? [plural, plural.replace(/s$/, '')]) {
    // A noun ends before a capital letter or at the end: `Order` is no part of `reorder` or `Orderly`.
    const short = operationId.replace(new RegExp(`(?<=[a-z])${noun}(?![a-z])`), '')
    if (short !== operationId) return short
  }
  return operationId
}
