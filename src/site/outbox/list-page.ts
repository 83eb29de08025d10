import type { OutboxEntry } from '../../platform/messages/mail.ts'
import { escapeHtml } from '../html.ts'
import type { PageContent } from '../layout.ts'

/** Lists the messages of the outbox, with links to mails that have HTML. */
export function outboxPage(messages: readonly OutboxEntry[]): PageContent {
  const main = `<h1>Outbox</h1>
<p class="lead">Mails and text messages that the service did not send, newest first. Only this machine can read them.
Programs read them as <a href="/dev/outbox">JSON</a>.</p>
${messages.length === 0 ? '<p>The outbox is empty.</p>' : messages.map(toSection).join('\n')}`
  return { title: 'Outbox', main }
}

function toSection({ id, channel, kind, to, subject, text, html, at }: OutboxEntry): string {
  const title = subject ?? (channel === 'sms' ? 'Text message' : 'Mail')
  const link = html === undefined ? '' : `<p><a href="/dev/outbox/mails/${id}">Show the mail as HTML</a></p>`
  const label = kind === undefined ? '' : ` · <code>${escapeHtml(kind)}</code>`
  return `<section aria-labelledby="message-${id}"><h2 id="message-${id}">${escapeHtml(title)}</h2>
<p>To ${escapeHtml(to)}, <time datetime="${at.toISOString()}">${at.toISOString()}</time>${label}</p>${link}
<details${html === undefined ? ' open' : ''}><summary>Text</summary><pre>${withLinks(text)}</pre></details></section>`
}

/** Escapes a text and makes its http URLs links. */
function withLinks(text: string): string {
  return escapeHtml(text).replaceAll(/\bhttps?:\/\/[^\s<>"]+/g, (url) => `<a href="${url}">${url}</a>`)
}
