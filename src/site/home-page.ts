import { escapeHtml } from './html.ts'
import type { PageContent, SiteSettings } from './layout.ts'
import { hasOutbox } from './outbox/has-outbox.ts'

type Card = readonly [url: string, title: string, text: string]

const DOCUMENTATION: readonly Card[] = [
  ['/docs/guides/first-design', 'Your first design', 'From registration to the print file, with samples.'],
  ['/docs', 'Documentation', 'Guides by task, rules of the API, and formats.'],
  ['/docs/reference', 'API reference', 'Every operation, with schemas and examples.'],
  ['/problems', 'Errors', 'Every error code with its status and what to do.'],
]

const MACHINE_READABLE: readonly Card[] = [
  ['/v1/openapi.json', 'OpenAPI document', 'For generated clients and tools.'],
  ['/.well-known/jwks.json', 'Public keys', 'They verify access tokens and receipts.'],
  ['/health/ready', 'Health', 'Whether the service is ready for requests.'],
  ['/llms.txt', 'llms.txt', 'The list of pages for language models.'],
]

export function homePage(settings: SiteSettings): PageContent {
  const { origin, shopName } = settings
  const main = `<h1>${escapeHtml(shopName)}</h1>
<p class="lead">This is an installation of Platen, a service for made-to-order print products. Clients of its
HTTP API create designs, finalize and order them, and follow the orders.</p>
<p>The base URL of the API is <code>${escapeHtml(origin)}/v1</code>.</p>
<h2 id="read">Read</h2>
${cards(DOCUMENTATION)}
<h2 id="sign-in">Sign in</h2>
<p>Customers register with <code>POST /v1/api/auth/register</code> and sign in with <code>POST /v1/api/auth/login</code>. The
response contains an access token, which requests send as <code>Authorization: Bearer</code>. Programs use API keys in the
same way. <a href="/docs/sign-in">Sign-in</a> explains all methods.</p>
${development(settings)}
<h2 id="machines">For programs</h2>
${cards(MACHINE_READABLE)}`
  return { title: 'Start', main }
}

/** The outbox exists only outside of production, and only clients on the same machine can read it. */
function development(settings: SiteSettings): string {
  if (settings.production) return ''
  const outbox = hasOutbox(settings)
    ? '<p>Without a mail server, mails and text messages stay in the outbox, which only this machine can read: <a href="/dev/outbox/mails">as pages</a> and <a href="/dev/outbox">as JSON</a>.</p>'
    : ''
  return `<h2 id="development">Development</h2>
<p>This installation does not run in production mode. The first start printed the email address and the password of the
first administrator.</p>${outbox}`
}

function cards(list: readonly Card[]): string {
  const items = list.map(([url, title, text]) => `<li><a href="${url}">${title}</a><p>${text}</p></li>`)
  return `<ul class="cards">${items.join('')}</ul>`
}
